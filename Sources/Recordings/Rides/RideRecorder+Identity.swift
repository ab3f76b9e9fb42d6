import LocationCore

// To which ride the files of this run belong, and its name.
extension RideRecorder {
  /// Continues the ride that the search found if the pause was short enough, else waits for a date.
  mutating func endSearch() {
    let found = search?.found
    search = nil
    var isNamed = inherited > 0
    if let found, inherited == 0, found.continues(at: begun, boot: boot) {
      isNamed = join(found)
    } else if let found, found.summary.boot != boot {
      previous = found
    }
    if search != nil { return }
    if let firstDate {
      self.firstDate = nil
      applyDate(of: firstDate.fix, firstDate.measured)
    } else if !isNamed, name.start == nil, startUTC != nil {
      rename(to: startUTC, at: begun)
    }
    forgetEarly()
  }

  mutating func giveUp() {
    if earlier != nil { hasAllFixes = false }
    earlier = nil
    if search != nil { endSearch() }
    previous = nil
    forgetEarly()
  }

  mutating func keepEarly(_ fix: PublishedFix) {
    forgetEarly()
    guard isEarly else { return }
    early.append(fix)
    if early.count >= Self.maximumEarlyFixes { giveUp() }
  }

  private var isEarly: Bool { search != nil || previous != nil || earlier != nil }

  private mutating func forgetEarly() {
    if !isEarly { early = [] }
  }

  /// Determines by the date of a fix to which ride the files belong and when it began.
  mutating func applyDate(of fix: Fix, _ measured: UTCInstant) {
    if let previous {
      self.previous = nil
      if previous.continues(with: measured), join(previous) { return }
    }
    guard let begun = rideBegun else { return }
    rideBegun = nil
    let start = measured + (begun - fix.received)
    if let named = name.start, named - start <= Self.nameTolerance, start - named <= Self.nameTolerance { return }
    rename(to: start + .milliseconds(500), at: begun)
  }

  /// Makes this boot's files the next parts of the previous ride. If that fails they remain a ride of their own.
  private mutating func join(_ previous: PreviousRide) -> Bool {
    let offset = previous.ride.parts.last ?? 0
    do throws(RecordingError) {
      try moveFiles(to: previous.ride.name, offset: offset)
    } catch {
      notices.append("the ride \(previous.ride.name.stem) continues under the name \(name.stem): \(error)")
      return false
    }
    name = previous.ride.name
    damages += previous.summary.damages
    rideBegun = nil
    directory.synchronize()
    if inherited == 0, let sums = previous.sums {
      resume(after: sums)
    } else {
      var ride = previous.ride
      ride.parts += ownParts.prefix(inherited)
      do throws(RecordingError) {
        earlier = try RideSummaryReader(ride, in: directory, splitStop: policy.splitStop.inSeconds)
      } catch {
        hasAllFixes = false
      }
    }
    if previous.summary.boot == boot, previous.summary.lastFix == nil || name.start == nil,
      let begun = previous.begun(in: directory)
    {
      // Without a date so far: to which ride it belongs, and its name, are still open.
      rideBegun = begun
      inherited = previous.ride.parts.count
      ownParts = previous.ride.parts + ownParts
      let others = directory.ridesIfReadable.filter { $0.name != name }
      search = PreviousRideSearch(among: others, in: directory, boot: boot, splitStop: policy.splitStop)
    }
    return true
  }

  mutating func readEarlier() {
    // Of a ride that cannot be read, the readable part counts.
    if (try? earlier?.advance(reading: Self.pieceSize)) == false { return }
    if let sums = earlier?.sums { resume(after: sums) }
    earlier = nil
    forgetEarly()
  }

  private mutating func resume(after earlier: RideAccumulator) {
    sums = earlier
    sums.interrupt()
    for fix in early { sums.add(fix) }
  }

  private mutating func rename(to utc: UTCInstant?, at begun: MonotonicInstant) {
    for duplicate in 1..<1000 {
      let name = RideName(utc: utc, boot: boot, instant: begun, duplicate: duplicate)
      do throws(RecordingError) {
        try moveFiles(to: name, offset: 0)
        self.name = name
        directory.synchronize()
        return
      } catch {
        if error.reason == .exists { continue }
        return notices.append("the ride keeps the name \(self.name.stem) instead of \(name.stem): \(error)")
      }
    }
  }

  /// Renames this boot's files to those of another ride, all or none, or the next recorder joins them.
  private mutating func moveFiles(to next: RideName, offset: Int) throws(RecordingError) {
    let closed = ownParts.dropLast()
    var moved = 0
    do throws(RecordingError) {
      for part in closed {
        try RecordingFile.rename(location(name, part), to: location(next, part + offset))
        moved += 1
      }
      try file.rename(to: location(next, (ownParts.last ?? 1) + offset))
    } catch {
      for part in closed.prefix(moved).reversed() {
        do throws(RecordingError) {
          try RecordingFile.rename(location(next, part + offset), to: location(name, part))
        } catch {
          notices.append("the ride \(name.stem) stays in two parts until recording starts again: \(error)")
          break
        }
      }
      throw error
    }
    ownParts = ownParts.map { $0 + offset }
  }

  private func location(_ name: RideName, _ part: Int) -> String { directory.location(of: name.file(part: part)) }
}

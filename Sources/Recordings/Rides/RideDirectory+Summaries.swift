import Glibc
import LocationCore

extension RideDirectory {
  /// What is worth knowing of a ride: from its index if that is fresh, else read from its files, and left beside them
  /// for the next time if that is allowed.
  ///
  /// - Parameter splitStop: see ``RideAccumulator/splitStop``; `nil` takes an index by whatever length it was made.
  package func summary(of ride: Ride, splitStop: Double? = nil) throws(RecordingError) -> RideSummary {
    let before = parts(of: ride)
    if let index = index(of: ride), index.parts == before, splitStop == nil || index.splitStop == splitStop {
      return index.summary
    }
    let splitStop = splitStop ?? RidePolicy.standardSplitStop.inSeconds
    let summary = try RideSummary(reading: files(of: ride), splitStop: splitStop)
    if !isInProgress(ride), parts(of: ride) == before {
      keep(RideIndex(parts: before, splitStop: splitStop, summary: summary), of: ride.name)
    }
    return summary
  }

  /// Leaves a summary beside a ride that has come to its end.
  func keep(_ summary: RideSummary, of ride: Ride, splitStop: Double) {
    keep(RideIndex(parts: parts(of: ride), splitStop: splitStop, summary: summary), of: ride.name)
  }

  private func keep(_ index: RideIndex, of name: RideName) {
    do throws(RecordingError) {
      try RecordingFile.replace(location(of: Self.indexFile(of: name)), with: index.bytes, mode: 0o640)
    } catch {
      // Somebody who may only read sees the same figures, read anew.
    }
  }

  private func parts(of ride: Ride) -> [RideIndex.Part] {
    ride.parts.map { number in
      var status = stat()
      guard lstat(location(of: ride.name.file(part: number)), &status) == 0 else {
        return RideIndex.Part(number: number, size: -1, modified: 0)
      }
      let modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
      return RideIndex.Part(number: number, size: Int(status.st_size), modified: modified)
    }
  }

  private func index(of ride: Ride) -> RideIndex? {
    let descriptor = open(location(of: Self.indexFile(of: ride.name)), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // A hundred bytes for each part of a ride of a month are less than this.
    var bytes = [UInt8](repeating: 0, count: 131_072)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count > 0, count < bytes.count else { return nil }
    return RideIndex(bytes: Array(bytes[..<count]))
  }

  /// The rides that are there, in no particular order, seen at a time: those are marked that a wrong clock named. Without
  /// a time none is.
  func rides(at utc: UTCInstant?) throws(RecordingError) -> [Ride] {
    var rides = try rides()
    guard let utc else { return rides }
    for index in rides.indices where rides[index].age > utc + Self.clockTolerance {
      rides[index].isMisdated = !isInProgress(rides[index]) && !hasDate(rides[index])
    }
    return rides
  }

  /// A clock that is ahead by no more than this puts no ride out of order for long.
  private static let clockTolerance = Duration.seconds(86_400)

  /// Whether a fix of the ride told the date; one that cannot be read is given the benefit of the doubt.
  private func hasDate(_ ride: Ride) -> Bool {
    do throws(RecordingError) {
      return try summary(of: ride).lastFix != nil
    } catch {
      return true
    }
  }

  static func indexFile(of name: RideName) -> String { name.stem + ".figures" }
}

extension RideDirectory {
  /// The rides that are there, the oldest first.
  package func ridesInOrder() throws(RecordingError) -> [Ride] {
    try rides().sorted { ($0.age, $0.name.stem) < ($1.age, $1.name.stem) }
  }
}

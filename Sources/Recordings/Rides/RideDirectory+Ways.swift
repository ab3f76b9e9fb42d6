import LocationCore

// The ways that were ridden before.
extension RideDirectory {
  /// The newest rides that are searched for a way, and the bytes of them that are read, at most and at once.
  private static let (waysRides, waysBytes, waysPiece) = (100, 256 << 20, 1 << 20)

  /// The way on from the last fix, of the newest ride that has one; `nil` as soon as it is not wanted. It takes seconds.
  package func way(from last: Fix, while isWanted: () -> Bool) -> RiddenWay? {
    var left = Self.waysBytes
    for ride in ridesIfReadable.sorted(by: { $0.modified > $1.modified }).prefix(Self.waysRides) {
      var search = RiddenWaySearch(from: last)
      guard isWanted(), left > 0, var reader = try? RideReader(files: files(of: ride), followsLinks: false) else {
        continue
      }
      repeat {
        guard isWanted() else { return nil }
        left -= Self.waysPiece
        reader.files.reader.allowance = Self.waysPiece
        do {
          while try reader.advance() {
            for moment in reader.moments {
              if case .fix(let fix) = moment { search.add(fix.fix, fix.sensed.fused) }
              if case .interrupted = moment { search.end() }
            }
          }
        } catch { break }
      } while reader.files.reader.isPaused && left > 0
      search.end()
      if let way = search.found { return way }
    }
    return nil
  }
}

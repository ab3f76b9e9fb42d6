import LocationCore

// The runs of recorders that wrote the files.
extension RideDirectory {
  /// Bytes at the beginning of a file that are searched for its header.
  private static let headerSearch = 1 << 20
  /// A larger file has more than a header.
  private static let maximumHeader = 65_536
  private static let maximumRides = 16

  /// The header of a recording, after damage at most; `nil` without one within the first items.
  func header(ofFileAt path: String) -> RecordingHeader? {
    do throws(RecordingError) {
      var reader = try RecordingReader(path: path, followsLinks: false)
      reader.allowance = Self.headerSearch
      for _ in 0..<8 {
        if case .header(let header)? = try reader.next() { return header }
      }
    } catch {
      // An unreadable file has no header.
    }
    return nil
  }

  /// Removes rides of nothing but a header, of runs killed early: they would hide the one before, which continues.
  func removeUnused(among rides: inout [Ride]) {
    rides.removeAll { ride in
      guard ride.parts == [1], ride.bytes <= Self.maximumHeader, let file = files(of: ride).first,
        ride.bytes == 0 || header(ofFileAt: file)?.lines.count == ride.bytes, !isInProgress(ride)
      else { return false }
      RecordingFile.remove(file)
      return true
    }
  }

  /// The newest files with what was recorded since an instant of a boot, and on the current one; up to two full ones.
  package func files(
    since instant: MonotonicInstant, of boot: String, current: String
  ) throws(RecordingError) -> [String] {
    let boots = [boot, current]
    var found: [String] = []
    var (size, hasRun) = (0, false)
    let newest = try rides().sorted { $0.modified > $1.modified }.prefix(Self.maximumRides)
    for (file, part) in newest.flatMap({ zip(files(of: $0), parts(of: $0)).reversed() }) {
      guard let header = header(ofFileAt: file), let own = header["boot"], boots.contains(own) else { continue }
      size += part.size
      guard size <= 2 * RotationPolicy.maximumSize else { break }
      found.append(file)
      // The run may have begun this file after that instant.
      if hasRun { break }
      let begun = header["run"].flatMap { Int64($0) }
      hasRun = own == boot && begun.map { MonotonicInstant.zero + .milliseconds($0) <= instant } ?? false
    }
    return found.reversed()
  }
}

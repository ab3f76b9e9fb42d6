import Glibc
import LocationCore

/// The directory that rides are recorded into. Files that are not named as rides are left alone.
package struct RideDirectory: Hashable, Sendable {
  /// Where it is.
  package let path: String

  /// Opens the directory to record into; creates it, but not its parents, if it is not there.
  package init(path: String) throws(RecordingError) {
    self.path = path
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else { throw RecordingError(.open, path, code: ENOTDIR) }
      guard access(path, W_OK | X_OK) == 0 else { throw RecordingError(.create, path, code: errno) }
      return
    }
    guard errno == ENOENT, mkdir(path, 0o750) == 0 || errno == EEXIST else {
      throw RecordingError(.create, path, code: errno)
    }
  }

  /// A directory that is there; nothing is created.
  package init(existing path: String) throws(RecordingError) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else { throw RecordingError(.open, path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw RecordingError(.open, path, code: ENOTDIR) }
  }

  /// Where a ride's files are, in order.
  package func files(of ride: Ride) -> [String] {
    ride.parts.map { location(of: ride.name.file(part: $0)) }
  }

  /// The ride of that name (its stem, `20260319T123519Z`); `nil` when there is none.
  package func ride(named stem: String) throws(RecordingError) -> Ride? {
    try rides().first { $0.name.stem == stem }
  }

  /// The rides that are there, in no particular order.
  package func rides() throws(RecordingError) -> [Ride] {
    guard let stream = opendir(path) else { throw RecordingError(.list, path, code: errno) }
    defer { closedir(stream) }
    var rides: [RideName: Ride] = [:]
    while let entry = readdir(stream) {
      let file = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var status = stat()
      guard let (name, part) = RideName.parse(file: file), lstat(location(of: file), &status) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { continue }
      let modified = UTCInstant(
        nanosecondsSince1970: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec))
      var ride = rides[name] ?? Ride(name: name, parts: [], bytes: 0, modified: modified)
      ride.parts.append(part)
      ride.parts.sort()
      ride.bytes += Int(status.st_size)
      ride.modified = max(ride.modified, modified)
      rides[name] = ride
    }
    return Array(rides.values)
  }

  /// Removes a ride's files, the last part first: what a failure leaves is the ride's beginning.
  package func remove(_ ride: Ride) throws(RecordingError) {
    for part in ride.parts.reversed() {
      let file = location(of: ride.name.file(part: part))
      if unlink(file) != 0 && errno != ENOENT { throw RecordingError(.remove, file, code: errno) }
    }
    unlink(location(of: Self.indexFile(of: ride.name)))
  }

  /// Whether a recorder, of this or of another process, is writing the ride.
  package func isInProgress(_ ride: Ride) -> Bool {
    files(of: ride).reversed().contains { RecordingFile.isBeingWritten($0) }
  }

  /// Sees to it that names given to files survive a power cut.
  func synchronize() {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Free bytes for whoever is not root; `nil` when the system does not tell.
  package var freeBytes: Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? .max : Int(clamping: bytes)
  }

  /// Creates the file of a part with the header in it, and sees to it that its name survives a power cut. There
  /// is either both or nothing.
  package func create(
    _ name: RideName, part: Int, header: RecordingHeader
  ) throws(RecordingError) -> RecordingFile {
    let path = location(of: name.file(part: part))
    var file = try RecordingFile(creating: path)
    do throws(RecordingError) {
      try file.append(header.lines)
    } catch {
      unlink(path)
      throw error
    }
    synchronize()
    return file
  }

  /// Creates the first file of a ride. While another ride has that name, `next` gives the name with the
  /// next number.
  package func create(
    _ name: inout RideName, header: RecordingHeader, next: (_ duplicate: Int) -> RideName
  ) throws(RecordingError) -> RecordingFile {
    var duplicate = 1
    while true {
      do throws(RecordingError) {
        return try create(name, part: 1, header: header)
      } catch {
        guard error.reason == .exists, duplicate < 1000 else { throw error }
        duplicate += 1
        name = next(duplicate)
      }
    }
  }

  func location(of file: String) -> String { path + "/" + file }
}

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

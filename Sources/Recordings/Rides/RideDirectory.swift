import Glibc
import LocationCore

/// A directory of recorded rides. Other files in it are ignored.
package struct RideDirectory: Hashable, Sendable {
  /// The path.
  package let path: String

  /// A directory to record into; creates it, but not its parents, if it does not exist.
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

  /// An existing directory.
  package init(existing path: String) throws(RecordingError) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else { throw RecordingError(.open, path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw RecordingError(.open, path, code: ENOTDIR) }
  }

  /// The paths of a ride's files, in order.
  package func files(of ride: Ride) -> [String] {
    ride.parts.map { location(of: ride.name.file(part: $0)) }
  }

  /// The ride of that name (its stem, `20260319T123519Z`), or `nil`.
  package func ride(named stem: String) throws(RecordingError) -> Ride? {
    try rides().first { $0.name.stem == stem }
  }

  /// All rides, in no particular order.
  package func rides() throws(RecordingError) -> [Ride] {
    guard let stream = opendir(path) else { throw RecordingError(.list, path, code: errno) }
    defer { closedir(stream) }
    var rides: [RideName: Ride] = [:]
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw RecordingError(.list, path, code: errno) }
        break
      }
      let file = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var status = stat()
      // One damaged file must not end retention and joining for all others.
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

  /// Removes a ride's files, the last part first, so that a failure leaves the beginning of the ride.
  package func remove(_ ride: Ride) throws(RecordingError) {
    for part in ride.parts.reversed() {
      let file = location(of: ride.name.file(part: part))
      if unlink(file) != 0 && errno != ENOENT { throw RecordingError(.remove, file, code: errno) }
    }
    unlink(location(of: Self.indexFile(of: ride.name)))
  }

  /// Whether a recorder of this or another process is writing the ride.
  package func isInProgress(_ ride: Ride) -> Bool {
    files(of: ride).reversed().contains { RecordingFile.isBeingWritten($0) }
  }

  /// Whether a process has a ``RetentionHold`` on the ride.
  func isHeld(_ ride: Ride) -> Bool {
    files(of: ride).first.map { RecordingFile.isHeld($0) } ?? false
  }

  /// Makes changed file names survive a power cut.
  func synchronize() {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Free bytes for unprivileged users, or `nil` if unknown.
  package var freeBytes: Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? .max : Int(clamping: bytes)
  }

  /// Creates the file of a part with its header, so that its name survives a power cut. On failure there is no file.
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

  /// Creates the first file of a ride. If another ride has that name, `next` returns the name with the next number.
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
  /// The summary of a ride: from its index if that is current, else from its files; then the index is written if possible.
  ///
  /// - Parameter splitStop: see ``RideAccumulator/splitStop``; `nil` accepts an index with any value.
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

  /// Writes the index of a ride that has ended.
  func keep(_ summary: RideSummary, of ride: Ride, splitStop: Double) {
    keep(RideIndex(parts: parts(of: ride), splitStop: splitStop, summary: summary), of: ride.name)
  }

  private func keep(_ index: RideIndex, of name: RideName) {
    do throws(RecordingError) {
      try RecordingFile.replace(location(of: Self.indexFile(of: name)), with: index.bytes, mode: 0o640)
    } catch {
      // Without write permission the figures are read from the ride each time.
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
    // More than a hundred bytes for each part of a ride of a month.
    var bytes = [UInt8](repeating: 0, count: 131_072)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count > 0, count < bytes.count else { return nil }
    return RideIndex(bytes: Array(bytes[..<count]))
  }

  /// All rides, in no particular order. With the current time, rides named by a wrong clock are marked as misdated.
  func rides(at utc: UTCInstant?) throws(RecordingError) -> [Ride] {
    var rides = try rides()
    guard let utc else { return rides }
    for index in rides.indices where rides[index].age > utc + Self.clockTolerance {
      rides[index].isMisdated = !isInProgress(rides[index]) && !hasDate(rides[index])
    }
    return rides
  }

  /// A ride less far in the future is not misdated.
  private static let clockTolerance = Duration.seconds(86_400)

  /// Whether a fix of the ride has a date; true for a ride that cannot be read.
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
  /// All rides, the oldest first.
  package func ridesInOrder() throws(RecordingError) -> [Ride] {
    try rides().sorted { ($0.age, $0.name.stem) < ($1.age, $1.name.stem) }
  }
}

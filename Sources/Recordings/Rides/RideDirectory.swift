import Libc
import LocationCore

/// A directory of recorded rides. Other files in it are ignored.
package struct RideDirectory: Hashable, Sendable {
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

  package init(existing path: String) throws(RecordingError) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else { throw RecordingError(.open, path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw RecordingError(.open, path, code: ENOTDIR) }
  }

  package func files(of ride: Ride) -> [String] { ride.parts.map { location(of: ride.name.file(part: $0)) } }

  package func rides() throws(RecordingError) -> [Ride] {
    let (files, code) = Directory.read(path)
    guard code == 0 else { throw RecordingError(.list, path, code: code) }
    var rides: [RideName: Ride] = [:]
    for file in files {
      // One damaged file must not end retention and joining for all others.
      guard let (name, part) = RideName.parse(file: file), let status = Self.status(location(of: file)) else {
        continue
      }
      let modified = UTCInstant(nanosecondsSince1970: status.modified)
      rides[name, default: Ride(name: name, parts: [], bytes: 0, modified: modified)]
        .add(part: part, bytes: status.size, modified: modified)
    }
    for name in rides.keys { rides[name]?.parts.sort() }
    return Array(rides.values)
  }

  package func ridesInOrder() throws(RecordingError) -> [Ride] {
    try rides().sorted { ($0.age, $0.name.stem) < ($1.age, $1.name.stem) }
  }

  /// Size and time of the last modification, in nanoseconds, of a regular file; `nil` for anything else.
  package static func status(_ path: String) -> (size: Int, modified: Int64)? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return (Int(status.st_size), Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec))
  }

  var ridesIfReadable: [Ride] { (try? rides()) ?? [] }

  /// Removes a ride's files, the last part first, so that a failure leaves the beginning of the ride.
  package func remove(_ ride: Ride) throws(RecordingError) {
    for part in ride.parts.reversed() {
      let file = location(of: ride.name.file(part: part))
      if unlink(file) != 0 && errno != ENOENT { throw RecordingError(.remove, file, code: errno) }
    }
    unlink(location(of: Self.indexFile(of: ride.name)))
  }

  package func isInProgress(_ ride: Ride) -> Bool {
    files(of: ride).reversed().contains { RecordingFile.isBeingWritten($0) }
  }

  func isHeld(_ ride: Ride) -> Bool { files(of: ride).first.map { RecordingFile.isHeld($0) } ?? false }
  /// Makes changed file names survive a power cut, if possible: the files are readable under either name.
  func synchronize() { try? RecordingFile.synchronize(directory: path) }

  package var freeBytes: Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? .max : Int(clamping: bytes)
  }

  /// Creates a file whose name survives a power cut: the first name not in use for the numbers from `number` to `most`.
  func create(
    _ header: RecordingHeader, number: inout Int, most: Int, _ name: (Int) -> String
  ) throws(RecordingError) -> RecordingFile {
    while true {
      do throws(RecordingError) {
        return try create(header, at: location(of: name(number)))
      } catch {
        guard error.reason == .exists, number < most else { throw error }
        number += 1
      }
    }
  }

  private func create(_ header: RecordingHeader, at path: String) throws(RecordingError) -> RecordingFile {
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

  func location(of file: String) -> String { path + "/" + file }

  /// The summary of a ride: from its index if that is current (and of that split stop, if any), else from its files.
  package func summary(of ride: Ride, splitStop: Double? = nil) throws(RecordingError) -> RideSummary {
    if let summary = indexedSummary(of: ride, splitStop: splitStop) { return summary }
    var reader = try RideSummaryReader(ride, in: self, splitStop: splitStop ?? RideAccumulator.splitStop)
    _ = try reader.advance(reading: .max)
    reader.keepIndex()
    return reader.summary
  }

  func indexedSummary(of ride: Ride, splitStop: Double? = nil) -> RideSummary? {
    let path = location(of: Self.indexFile(of: ride.name))
    let bytes = try? RecordingFile.contents(of: path, limit: RideIndex.maximumSize)
    guard let index = bytes.flatMap({ RideIndex(bytes: $0) }), splitStop == nil || index.splitStop == splitStop,
      index.parts == parts(of: ride)
    else { return nil }
    return index.summary
  }

  func keep(_ summary: RideSummary, of ride: Ride, splitStop: Double) {
    let index = RideIndex(parts: parts(of: ride), splitStop: splitStop, summary: summary)
    let path = location(of: Self.indexFile(of: ride.name))
    // Without write permission the figures are read from the ride each time.
    try? RecordingFile.replace(path, with: index.bytes, mode: 0o640, isDurable: false)
  }

  func parts(of ride: Ride) -> [RideIndex.Part] {
    ride.parts.map { number in
      let status = Self.status(location(of: ride.name.file(part: number)))
      return RideIndex.Part(number: number, size: status?.size ?? -1, modified: status?.modified ?? 0)
    }
  }

  /// Marks rides that a wrong clock named: of more than ``maximumMisdated``, the clock is rather wrong now.
  func markMisdated(_ rides: inout [Ride], at utc: UTCInstant) {
    let ahead = rides.indices.filter { rides[$0].age > utc + Self.clockTolerance }
    for index in ahead.sorted(by: { rides[$0].age > rides[$1].age }).prefix(Self.maximumMisdated) {
      rides[index].isMisdated = !isInProgress(rides[index]) && !hasDate(rides[index])
    }
  }

  /// A ride less far in the future is not misdated.
  private static let clockTolerance = Duration.seconds(86_400)
  private static let maximumMisdated = 64
  /// Bytes at the beginning of a ride that are searched for a date.
  private static let dateSearch = 256 << 10

  /// Whether a fix of the ride has a date; true for a ride that cannot be read, or is too long to be read for this.
  private func hasDate(_ ride: Ride) -> Bool {
    if let summary = indexedSummary(of: ride) { return summary.lastFix != nil }
    guard var reader = try? RideSummaryReader(ride, in: self, splitStop: RideAccumulator.splitStop),
      (try? reader.advance(reading: Self.dateSearch)) ?? false
    else { return true }
    return reader.summary.lastFix != nil
  }

  static func indexFile(of name: RideName) -> String { name.stem + ".figures" }
}

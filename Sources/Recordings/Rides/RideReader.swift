import LocationCore

/// Reads what happened on a ride of any length, a few moments at a time: calls of ``advance()`` give ``moments``.
/// Several files are one ride: the parts that rotation and restarts left, in order. Any log that can be replayed can be
/// read. With ``mayGrow`` a ride is read while it is recorded.
package struct RideReader: ~Copyable, Sendable {
  /// What happened next, in order; at least one moment until the end. To be read in place: a fix is large to copy.
  package private(set) var moments: [RideMoment] = []
  package var damage: RecordingDamageCounts { files.damage }
  package var outOfOrder: UInt64 { engine.outOfOrder }
  package var clockSteps: UInt64 { engine.clockSteps }
  /// Names of the sources in the newest header; empty for a log without header.
  package private(set) var devices: [String] = []
  package var boot: String? { files.boot }
  /// The newest instant on that boot's monotonic clock.
  package var lastInstant: MonotonicInstant? { files.lastInstant }
  /// Whether the last file may grow and others follow: ``advance()`` then returns `false` at the end so far.
  package var mayGrow: Bool {
    get { files.mayGrow }
    set { files.mayGrow = newValue }
  }
  package var skipped: (boot: String, until: MonotonicInstant)?

  var files: RecordedFiles
  private var engine = RideEngine()

  /// Opens the files, in order; at least one. A link is an error unless `followsLinks`.
  package init(files: [String], followsLinks: Bool = true) throws(RecordingError) {
    self.init(try RecordedFiles(files: files, followsLinks: followsLinks, skipsUnknown: true))
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(_ files: consuming RecordedFiles) { self.files = files }
  package var paths: [String] { files.files }

  /// Adds the file that follows the last one of a growing ride, if it is there.
  package mutating func addNextFile(of ride: RideName, in directory: String) -> Bool {
    let path = directory + "/" + ride.file(part: part(of: paths.count - 1) + 1)
    guard RideDirectory.status(path) != nil else { return false }
    files.files.append(path)
    return true
  }

  /// Goes on to the next moments; `false` at the end of the last file, where there are none.
  package mutating func advance() throws(RecordingError) -> Bool {
    moments.removeAll(keepingCapacity: true)
    while moments.isEmpty {
      guard let input = try files.take() else { return false }
      var part = 0
      if case .begin(let setup) = input.content { (devices, part) = (setup.devices, self.part(of: files.file)) }
      if let skipped, files.boot == skipped.boot, let instant = files.lastInstant, instant < skipped.until,
        case .bytes = input.content
      {
        continue
      }
      engine.replay(input, part: part, into: &moments)
    }
    return true
  }

  /// The number of a file: that in its name, else its place.
  private func part(of file: Int) -> Int {
    let name = paths[file].split(separator: "/").last.map(String.init) ?? ""
    return RideName.parse(file: name)?.part ?? file + 1
  }
}

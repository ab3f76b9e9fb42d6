import LocationCore

/// Reads what happened on a ride of any length, a few moments at a time: calls of ``advance()`` give ``moments``.
///
/// Several files are one ride: the parts that rotation and restarts left, in order. Any log that can be replayed
/// can be read. With ``mayGrow`` a ride is read while it is recorded.
package struct RideReader: ~Copyable, Sendable {
  /// What happened next, in order; at least one moment until the end. To be read in place: a fix is large to copy.
  package private(set) var moments: [RideMoment] = []
  package private(set) var damage = RecordingDamageCounts()
  /// Names of the sources in the newest header; empty for a log without header.
  package private(set) var devices: [String] = []
  package private(set) var boot: String?
  /// The newest instant on that boot's monotonic clock.
  package private(set) var lastInstant: MonotonicInstant?
  /// Whether the last file may grow and others follow: ``advance()`` then returns `false` at the end so far.
  package var mayGrow = false

  /// Number of bytes after which ``advance()`` returns `false` and ``isPaused`` is `true`.
  package var allowance: Int {
    get { reader.allowance }
    set { reader.allowance = newValue }
  }
  /// Whether reading waits for another ``allowance``.
  package var isPaused: Bool { reader.isPaused }

  private let followsLinks: Bool
  private var files: [String]
  private var file = 0
  private var reader: RecordingReader
  private var player = RecordingPlayer()
  private var engine = RideEngine()
  private var isOver = false

  /// Opens the files, in order; at least one. A link is an error unless `followsLinks`.
  package init(files: [String], followsLinks: Bool = true) throws(RecordingError) {
    self.files = files
    self.followsLinks = followsLinks
    reader = try RecordingReader(path: files.first ?? "", followsLinks: followsLinks)
  }

  /// Adds the file that follows the last one of a growing ride.
  package mutating func add(file: String) { files.append(file) }

  /// Goes on to the next moments; `false` at the end of the last file, where there are none.
  package mutating func advance() throws(RecordingError) -> Bool {
    moments.removeAll(keepingCapacity: true)
    while moments.isEmpty {
      guard !isOver, try step() else { return false }
    }
    return true
  }

  /// Reads one item; `false` at the end of a file that may grow.
  private mutating func step() throws(RecordingError) -> Bool {
    reader.mayGrow = mayGrow && file + 1 == files.count
    if let item = try item() {
      switch item {
      case .damage(let damage): self.damage.count(damage)
      case .header(let header): boot = header["boot"]
      case .burst(let burst): lastInstant = burst.stamp?.instant ?? lastInstant
      case .event(let event): lastInstant = event.stamp?.instant ?? lastInstant
      }
      player.format = reader.format
      player.take(item)
      takeInputs()
      return true
    }
    guard !reader.mayGrow, !reader.isPaused else { return false }
    guard file + 1 < files.count else {
      player.finish()
      takeInputs()
      isOver = true
      return true
    }
    player.beginFile()
    takeInputs()
    let allowance = reader.allowance
    reader = try RecordingReader(path: files[file + 1], followsLinks: followsLinks)
    reader.allowance = allowance
    file += 1
    return true
  }

  /// The next item of the file at hand. A part of which a power cut left nothing, or only NULs, has none.
  private mutating func item() throws(RecordingError) -> RecordingItem? {
    do throws(RecordingError) {
      return try reader.next()
    } catch {
      guard files.count > 1, error.code == RecordingError.unknownFormat else { throw error }
      return nil
    }
  }

  private mutating func takeInputs() {
    for input in player.inputs {
      if case .begin(let setup) = input.content { devices = setup.devices }
      engine.take(input, part: part, into: &moments)
    }
    player.removeInputs()
  }

  /// The number of the file at hand: that in its name, else its place.
  private var part: Int {
    let name = files[file].split(separator: "/").last.map(String.init) ?? ""
    return RideName.parse(file: name)?.part ?? file + 1
  }
}

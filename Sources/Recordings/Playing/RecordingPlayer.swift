import GPSDProtocol
import LocationCore

/// Translates the items of a recording to what an engine takes: what its sources and clients gave, in order, each at its
/// instant of recorded time. Pure.
///
/// The header's facts, the times, runs of the recorder, gaps, losses, and reports among sentences are handled here. The
/// caller adds the pace:
/// ```
/// player.take(item)
/// for input in player.inputs { engine.take(input) }
/// player.removeInputs()
/// ```
package struct RecordingPlayer: Sendable {
  /// What the items so far have completed; removed by the caller.
  package private(set) var inputs: [RecordedInput] = []
  /// The newest instant.
  package private(set) var now = MonotonicInstant.zero

  private var time = RecordedTime()
  private var timed: [RecordedTime.Item] = []
  private var run: RecorderRun?
  private var hasBegun = false

  /// The beginning of a recording, at instant zero.
  package init() {}

  /// Removes the inputs, keeping their storage.
  package mutating func removeInputs() { inputs.removeAll(keepingCapacity: true) }

  /// Takes the next item. Damage has no input.
  package mutating func take(_ item: RecordingItem) {
    switch item {
    case .damage: return
    case .header(let header): take(header)
    case .burst(let burst):
      guard let stamp = burst.stamp else { break }
      // The common case, without a copy of the item.
      let (position, isAfterGap) = time.take(stamp, into: &timed)
      takeTimed()
      take(burst, at: position, isAfterGap: isAfterGap)
      return
    case .event: break
    }
    time.take(item, into: &timed)
    takeTimed()
  }

  /// Continues in another file.
  package mutating func beginFile() {
    flush()
    time.beginFile()
  }

  /// Ends the recording.
  package mutating func finish() {
    flush()
    append(.end)
  }

  private mutating func flush() {
    time.flush(into: &timed)
    takeTimed()
  }

  /// A rotated file repeats the header; a restarted recorder has another run.
  private mutating func take(_ header: RecordingHeader) {
    let run = RecorderRun(header)
    defer { self.run = run }
    if hasBegun {
      guard run != self.run else { return }
      flush()
      append(.end)
    }
    hasBegun = true
    append(.begin(RecordedSetup(header)))
  }

  private mutating func takeTimed() {
    for item in timed {
      switch item.content {
      case .burst(let burst): take(burst, at: item.position, isAfterGap: item.isAfterGap)
      case .event(let event):
        advance(to: item.position, isAfterGap: item.isAfterGap)
        take(event)
      }
    }
    timed.removeAll(keepingCapacity: true)
  }

  private mutating func take(_ burst: RecordedBurst, at position: Duration, isAfterGap: Bool) {
    advance(to: position, isAfterGap: isAfterGap)
    let source = burst.stamp?.source ?? 0
    let isStamped = burst.stamp != nil
    burst.bytes.withUnsafeBytes { bytes in
      RecordedPiece.forEach(of: bytes, at: now) { piece in
        switch piece {
        case .sentences(let sentences):
          // A burst without reports is passed on as it is.
          let whole = sentences.count == burst.bytes.count ? burst.bytes : Array(sentences)
          append(.bytes(whole), source: source, isStamped: isStamped)
        case .report(let report, let line):
          append(.report(report, line: Array(line)), source: source, isStamped: isStamped)
        case .otherReport(let line):
          append(.otherReport(line: Array(line)), source: source, isStamped: isStamped)
        case .malformedReport: append(.malformedReport, source: source, isStamped: isStamped)
        }
      }
    }
  }

  private mutating func take(_ event: RecordedEvent) {
    let source = event.stamp?.source ?? 0
    if event.json == RecordedEvent.sourceLost {
      append(.lost, source: source)
    } else if event.json == RecordedEvent.sourceFound {
      append(.found, source: source)
    } else if let request = Request(recorded: event.json) {
      append(.request(request), source: source)
    }
  }

  private mutating func advance(to position: Duration, isAfterGap: Bool) {
    if !hasBegun {
      hasBegun = true
      append(.begin(.log))
    }
    now = .zero + position
    if isAfterGap { append(.gap) }
  }

  private mutating func append(_ content: RecordedInput.Content, source: Int = 0, isStamped: Bool = true) {
    inputs.append(RecordedInput(instant: now, source: source, isStamped: isStamped, content: content))
  }
}

/// An input of a recording, at its instant.
package struct RecordedInput: Sendable {
  package enum Content: Sendable {
    /// A run of the recorder, or a log, begins: its sources are new. The first input; ``end`` precedes any other.
    case begin(RecordedSetup)
    /// The run has ended.
    case end
    /// The time since the previous input of every source is unknown.
    case gap
    /// Bytes of a receiver, as received.
    case bytes([UInt8])
    /// A gpsd's report about positions, and its line with the end.
    case report(GPSDReport, line: [UInt8])
    /// The line of a report about something else.
    case otherReport(line: [UInt8])
    /// A line that begins like a report and is none.
    case malformedReport
    /// The source was unplugged, closed or failed.
    case lost
    /// The source is open again.
    case found
    /// A client's request, which the daemon had accepted.
    case request(Request)
  }

  /// Recorded time since the beginning.
  package let instant: MonotonicInstant
  /// Number of the source, as in the header; 0 for what concerns none.
  package let source: Int
  /// Whether the instant was recorded, and does not follow from the times in the sentences.
  package let isStamped: Bool
  package let content: Content
}

/// The sources of a run, as its header describes them.
package struct RecordedSetup: Sendable {
  /// Sources that are read when no header names any.
  private static let undeclaredSources = 4

  /// Names of the sources; empty for a log without a header.
  package let devices: [String]
  /// Whether sentences without a checksum were accepted.
  package let checksums: ChecksumPolicy
  /// Speed of the serial line, bit/s, if it was recorded.
  package let speed: Int?

  /// The setup in the header of a file; `nil` without one.
  package init?(ofFileAt path: String) throws(RecordingError) {
    var reader = try RecordingReader(path: path)
    guard case .header(let header)? = try reader.next() else { return nil }
    self.init(header)
  }

  init(_ header: RecordingHeader) {
    devices = header.all("device")
    checksums = header["checksums"].flatMap { ChecksumPolicy(rawValue: $0) } ?? .require
    speed = header["speed"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  private init(devices: [String], checksums: ChecksumPolicy, speed: Int?) {
    self.devices = devices
    self.checksums = checksums
    self.speed = speed
  }

  /// A log without a header: the receiver's checksum policy is unknown.
  static let log = RecordedSetup(devices: [], checksums: .prefer, speed: nil)

  /// Number of sources. Those with a higher number are not declared, and skipped.
  package var sourceCount: Int { devices.isEmpty ? Self.undeclaredSources : devices.count }

  /// The sources for an engine, numbered from `first`.
  package func sources(from first: Int = 0, readsSatellites: Bool) -> [SourceSetup] {
    let configuration = ReceiverConfiguration(checksums: checksums, readsSatellites: readsSatellites)
    return (0..<sourceCount).map { SourceSetup(id: first + $0, form: .either, configuration: configuration) }
  }
}

/// One run of a recorder, from its start to its end or a power cut: the kernel's boot id, and when it began on
/// that boot's monotonic clock.
struct RecorderRun: Hashable, Sendable {
  let boot: String?
  let begun: String?

  init(_ header: RecordingHeader) {
    boot = header["boot"]
    begun = header["run"]
  }
}

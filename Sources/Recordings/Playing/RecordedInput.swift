import GPSDProtocol
import Libc
import LocationCore

/// An input of a recording, at its instant: what a source or a client gave to the engine.
package struct RecordedInput: Sendable {
  /// What is large is boxed: an input of bytes, which is nearly every one, is passed on in two registers.
  package enum Content: Sendable {
    /// A run of the recorder, or a log, begins: its sources are new. The first input; ``end`` precedes any other.
    indirect case begin(RecordedSetup)
    case end
    /// Another measurement begins, unrelated to the one before.
    case restart
    /// The time since the previous input of every source is unknown, or longer than that between the instants.
    case gap
    /// From here on, measured times are later by this than recorded, so that they never step back.
    case shift(Duration)
    case bytes([UInt8])
    /// A gpsd's report about positions, and its line with the end.
    indirect case report(GPSDReport, line: ReportLine)
    case otherReport(line: [UInt8])
    /// A line that begins like a report and is none.
    case malformedReport
    /// The source was unplugged or closed.
    case lost
    case found
    /// A client's request, which the daemon had accepted.
    indirect case request(Request)
    /// What the receiver stated about its signals and its antenna, which its bytes repeat.
    case interference
    case otherEvent([UInt8])

    package init(event json: [UInt8]) {
      if json == RecordedEvent.sourceLost {
        self = .lost
      } else if json == RecordedEvent.sourceFound {
        self = .found
      } else if json.starts(with: RecordedEvent.interferenceBegin.utf8) {
        self = .interference
      } else {
        self = Request(recorded: json).map { .request($0) } ?? .otherEvent(json)
      }
    }
  }

  /// Recorded time since the beginning, or the instant at which the input is played.
  package var instant: MonotonicInstant
  /// Number of the source, as in the header; `nil` for what concerns none.
  package let source: Int?
  /// Whether the instant was recorded, and does not follow from the times in the sentences.
  package let isStamped: Bool
  package let content: Content

  package init(_ content: Content, of source: Int? = nil, at instant: MonotonicInstant, isStamped: Bool = true) {
    self.instant = instant
    self.source = source
    self.isStamped = isStamped
    self.content = content
  }
}

extension RecordedInput.Content {
  /// Calls `body` with the pieces of a burst in order: sentences as received, and lines of JSON, read without libgps so
  /// that a replay gives the same on a board without gpsd and with any release of it.
  static func forEach(of burst: [UInt8], at instant: MonotonicInstant, _ body: (Self) -> Void) {
    burst.withUnsafeBufferPointer { text in
      guard let base = text.baseAddress else { return }
      // No sentence has a brace, and a search for one costs next to nothing.
      guard memchr(base, Int32(UInt8(ascii: "{")), text.count) != nil else { return body(.bytes(burst)) }
      var sentences = 0
      var start = 0
      while start < text.count {
        let end: Int
        switch ReceivedPart(of: text, from: start, isLast: true) {
        case .line(let next), .incomplete(let next): end = next
        case .frame(let next):
          start = next
          continue
        }
        let line = UnsafeBufferPointer(rebasing: text[start..<end])
        defer { start = end }
        guard Report.begins(line), let report = Self(line: line, at: instant) else { continue }
        if sentences < start { body(.bytes(Array(text[sentences..<start]))) }
        body(report)
        sentences = end
      }
      if sentences < text.count { body(.bytes(Array(text[sentences...]))) }
    }
  }

  /// A line that begins with a brace; `nil` when that is a byte of a damaged or divided frame.
  private init?(line: UnsafeBufferPointer<UInt8>, at instant: MonotonicInstant) {
    if let report = Report(anyRelease: line) {
      self =
        GPSDReport(report, at: instant).map { .report($0, line: .received(Array(line))) }
        ?? .otherReport(line: Array(line))
    } else {
      let isText = line.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
      guard isText, line.starts(with: "{\"".utf8), !line.contains(UInt8(ascii: "$")) else { return nil }
      self = .malformedReport
    }
  }
}

/// The line of a report, with its end.
package enum ReportLine: Sendable {
  case received([UInt8])
  /// Made when it is asked for.
  case point(RecordedPoint)

  package var bytes: [UInt8] {
    switch self {
    case .received(let bytes): bytes
    case .point(let point): point.line
    }
  }

  package var isPoint: Bool { if case .point = self { true } else { false } }
}

extension GPSDReport {
  init(_ recorded: RecordedPoint, at instant: MonotonicInstant) {
    let point = recorded.point
    var tpv = TPV(device: recorded.format.rawValue, mode: point.isVoid ? 1 : point.altitude == nil ? 2 : 3)
    (tpv.time, tpv.lat, tpv.lon) = (point.time, point.position.latitude, point.position.longitude)
    (tpv.altMSL, tpv.track, tpv.speed) = (point.altitude, point.course, point.speed)
    self.init(tpv, at: instant)
  }
}

package struct RecordedSetup: Sendable {
  /// Sources that are read when no header names any.
  private static let undeclaredSources = 4

  /// Names of the sources; empty for a log without a header.
  package let devices: [String]
  /// Whether sentences without a checksum were accepted.
  package let checksums: ChecksumPolicy
  /// Speed of the serial line, bit/s, if it was recorded.
  package let speed: Int?
  let wheels: KnownWheels

  package init(
    devices: [String], checksums: ChecksumPolicy = .require, speed: Int? = nil, wheels: KnownWheels = KnownWheels()
  ) {
    self.devices = devices
    self.checksums = checksums
    self.speed = speed
    self.wheels = wheels
  }

  init(_ header: RecordingHeader) {
    self.init(
      devices: header.all("device"),
      checksums: header["checksums"].flatMap { ChecksumPolicy(rawValue: $0) } ?? .require,
      speed: header["speed"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil },
      wheels: header.wheels)
  }

  /// A log without a header: the receiver's checksum policy is unknown.
  static let log = RecordedSetup(devices: [], checksums: .prefer)

  /// Number of sources. Those with a higher number are not declared, and skipped.
  package var sourceCount: Int { devices.isEmpty ? Self.undeclaredSources : devices.count }
}

/// One run of a recorder, to its end or a power cut: the kernel's boot id, and its start on that monotonic clock.
struct RecorderRun: Hashable, Sendable {
  let boot: String?
  let begun: String?

  init(_ header: RecordingHeader) {
    boot = header["boot"]
    begun = header["run"]
  }
}

import GPSDProtocol
import LocationCore

/// A line from the daemon, checked for the rules of every line.
struct ReceivedLine: CustomStringConvertible {
  /// A line that gpsd clients cannot read.
  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  /// The line without its end.
  let text: String
  let report: Report

  /// Reads a line that ends with CR LF.
  init(_ bytes: some Collection<UInt8>) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasSuffix("\r\n"), text.utf8.count <= 10_239, text.hasPrefix(#"{"class":""#), !text.contains(":null")
    else { throw Malformed(description: "not a line of the protocol: \(text.debugDescription)") }
    self.text = String(text.dropLast())
    report = try Report(line: Array(self.text.utf8)[...])
  }

  var description: String { text }

  /// The class.
  var name: String {
    let rest = text.dropFirst(#"{"class":""#.count)
    return String(rest.prefix { $0 != "\"" })
  }
}

extension [ReceivedLine] {
  /// The classes in order.
  var names: [String] { map(\.name) }

  var fixes: [TPV] { compactMap { if case .tpv(let one) = $0.report { one } else { nil } } }
  var states: [StateReport] { compactMap { if case .state(let one) = $0.report { one } else { nil } } }
  var follows: [FollowReport] { compactMap { if case .follow(let one) = $0.report { one } else { nil } } }
  var arrivals: [ArrivalReport] { compactMap { if case .arrival(let one) = $0.report { one } else { nil } } }
  var trips: [TripReport] { compactMap { if case .trip(let one) = $0.report { one } else { nil } } }
  var sensors: [SensorReport] { compactMap { if case .sensor(let one) = $0.report { one } else { nil } } }
  var courses: [CourseReport] { compactMap { if case .course(let one) = $0.report { one } else { nil } } }
  var coursePieces: [CoursePiece] {
    compactMap { if case .coursePiece(let one) = $0.report { one.piece } else { nil } }
  }
  var records: [RecordReport] { compactMap { if case .record(let one) = $0.report { one } else { nil } } }
  var playbacks: [PlaybackReport] { compactMap { if case .playback(let one) = $0.report { one } else { nil } } }
  var errors: [ErrorReport] { compactMap { if case .error(let one) = $0.report { one } else { nil } } }
  var polls: [POLL] { compactMap { if case .poll(let one) = $0.report { one } else { nil } } }
  var statuses: [StatusReport] { compactMap { if case .status(let one) = $0.report { one } else { nil } } }
  var watches: [WatchRequest] { compactMap { if case .watch(let one) = $0.report { one.settings } else { nil } } }
  var latencies: [Double] { compactMap { if case .watch(let one) = $0.report { one.latency } else { nil } } }
  var devices: [DevicesReport] { compactMap { if case .devices(let one) = $0.report { one } else { nil } } }
}

/// Splits the daemon's output into lines.
struct LineSplitter {
  private var partial: [UInt8] = []

  /// Appends bytes; returns the lines that they complete.
  mutating func append(_ bytes: some Sequence<UInt8>) throws -> [ReceivedLine] {
    partial += bytes
    var lines: [ReceivedLine] = []
    var start = partial.startIndex
    while let end = partial[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(try ReceivedLine(partial[start...end]))
      start = end + 1
    }
    partial.removeFirst(start)
    return lines
  }
}

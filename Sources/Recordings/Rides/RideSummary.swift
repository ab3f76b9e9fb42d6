import LocationCore

/// The figures of a ride, and how it ended.
package struct RideSummary: Hashable, Sendable {
  /// The figures.
  package var figures: RideFigures
  /// UTC of the last fix, including a stop at the end.
  package var lastFix: UTCInstant?
  /// Duration of the stop at the end, seconds.
  package var standing: Double
  /// Whether the rider ever moved.
  package var hasMoved: Bool
  /// The kernel's boot id of the last run.
  package var boot: String?
  /// The last instant on that boot's monotonic clock.
  package var lastInstant: MonotonicInstant?
  /// Number of skipped damaged parts.
  package var damages: Int

  /// The summary of accumulated figures.
  package init(_ sums: RideAccumulator, boot: String?, lastInstant: MonotonicInstant?, damages: Int) {
    figures = sums.figures
    lastFix = sums.lastMeasured
    standing = sums.standing
    hasMoved = sums.firstMove != nil
    self.boot = boot
    self.lastInstant = lastInstant
    self.damages = damages
  }

  /// The summary of a ride's files.
  package init(reading files: [String], splitStop: Double) throws(RecordingError) {
    var sums = RideAccumulator(splitStop: splitStop)
    self = try Self(adding: files, to: &sums)
  }

  /// The summary of a ride's files, which are added to `sums`.
  init(adding files: [String], to sums: inout RideAccumulator) throws(RecordingError) {
    var reader = try RideReader(files: files)
    while try reader.advance() {
      for index in reader.moments.indices { sums.take(reader.moments[index]) }
    }
    self.init(sums, boot: reader.boot, lastInstant: reader.lastInstant, damages: reader.damage.total)
  }
}

/// The summary of a ride in a small file beside it, `NAME.figures`, so that listing rides need not read them.
///
/// It contains size and modification time of each of the ride's files: if one of them differs, or the checksum in the last
/// line does not match, it is written again. It is replaced atomically.
struct RideIndex: Hashable, Sendable {
  /// A file of the ride at the time of the summary.
  struct Part: Hashable, Sendable {
    var number: Int
    var size: Int
    /// Nanoseconds.
    var modified: Int64
  }

  /// The first line; changes with the rules of the figures.
  static let version = "# handlebar-figures 1"

  var parts: [Part]
  /// See ``RideAccumulator/splitStop``.
  var splitStop: Double
  var summary: RideSummary

  init(parts: [Part], splitStop: Double, summary: RideSummary) {
    self.parts = parts
    self.splitStop = splitStop
    self.summary = summary
  }
}

extension RideIndex {
  /// The contents of the file.
  var bytes: [UInt8] {
    let figures = summary.figures
    var lines = [Self.version]
    for part in parts { lines.append("part=\(part.number) \(part.size) \(part.modified)") }
    func line(_ key: String, _ value: (some LosslessStringConvertible)?) {
      if let value { lines.append("\(key)=\(value)") }
    }
    line("split", splitStop)
    line("start", figures.start?.nanosecondsSince1970)
    line("end", figures.end?.nanosecondsSince1970)
    line("duration", figures.duration)
    line("moving", figures.movingTime)
    line("distance", figures.distance)
    line("ascent", figures.ascent)
    line("descent", figures.descent)
    line("maximum", figures.maximumSpeed)
    line("fixes", figures.fixes)
    line("gaps", figures.gaps)
    line("gaptime", figures.gapTime)
    line("lastfix", summary.lastFix?.nanosecondsSince1970)
    line("standing", summary.standing)
    line("moved", summary.hasMoved)
    line("boot", summary.boot)
    line("instant", summary.lastInstant?.nanoseconds)
    line("damages", summary.damages)
    let text = Array((lines.joined(separator: "\n") + "\n").utf8)
    return text + Array("sum=\(Self.sum(of: text))\n".utf8)
  }

  /// Reads the contents of a file; `nil` unless it is complete and of this version.
  init?(bytes: [UInt8]) {
    let mark = Array("sum=".utf8)
    guard bytes.last == UInt8(ascii: "\n"), let end = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    let text = bytes[...end]
    let last = bytes[(end + 1)...].dropLast()
    guard last.starts(with: mark), UInt64(String(decoding: last.dropFirst(4), as: UTF8.self)) == Self.sum(of: text)
    else { return nil }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    guard lines.first.map(String.init) == Self.version else { return nil }
    var parts: [Part] = []
    var values: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let equals = line.firstIndex(of: "=") else { return nil }
      let value = line[line.index(after: equals)...]
      if line[..<equals] == "part" {
        let numbers = value.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 3, let number = Int(exactly: numbers[0]), let size = Int(exactly: numbers[1]) else {
          return nil
        }
        parts.append(Part(number: number, size: size, modified: numbers[2]))
      } else {
        values[String(line[..<equals])] = String(value)
      }
    }
    func double(_ key: String) -> Double? { values[key].flatMap { Double($0) } }
    func utc(_ key: String) -> UTCInstant? {
      values[key].flatMap { Int64($0) }.map { UTCInstant(nanosecondsSince1970: $0) }
    }
    guard let split = double("split"), let duration = double("duration"), let moving = double("moving"),
      let distance = double("distance"), let fixes = values["fixes"].flatMap({ Int($0) }),
      let gaps = values["gaps"].flatMap({ Int($0) }), let gapTime = double("gaptime"),
      let standing = double("standing"), let moved = values["moved"].flatMap({ Bool($0) }),
      let damages = values["damages"].flatMap({ Int($0) })
    else { return nil }
    var figures = RideFigures()
    figures.start = utc("start")
    figures.end = utc("end")
    figures.duration = duration
    figures.movingTime = moving
    figures.distance = distance
    figures.ascent = double("ascent")
    figures.descent = double("descent")
    figures.maximumSpeed = double("maximum")
    figures.fixes = fixes
    figures.gaps = gaps
    figures.gapTime = gapTime
    var summary = RideSummary(
      RideAccumulator(), boot: values["boot"],
      lastInstant: values["instant"].flatMap { Int64($0) }.map { MonotonicInstant(nanoseconds: $0) }, damages: damages)
    summary.figures = figures
    summary.lastFix = utc("lastfix")
    summary.standing = standing
    summary.hasMoved = moved
    self.init(parts: parts, splitStop: split, summary: summary)
  }

  /// FNV-1a, 64 bits.
  private static func sum(of bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

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

}

/// A reader of a ride's summary from its files, in pieces: a ride can be of any size.
struct RideSummaryReader: ~Copyable, Sendable {
  let ride: Ride
  /// The figures of what was read.
  private(set) var sums: RideAccumulator
  private let directory: RideDirectory
  private let before: [RideIndex.Part]
  private var reader: RideReader

  init(_ ride: Ride, in directory: RideDirectory, splitStop: Double) throws(RecordingError) {
    let before = directory.parts(of: ride)
    let reader = try RideReader(files: directory.files(of: ride), followsLinks: false)
    self.init(ride, directory, before, RideAccumulator(splitStop: splitStop), reader)
  }

  // Swift 6.2 destroys properties set so far twice when an initializer throws.
  private init(
    _ ride: Ride, _ directory: RideDirectory, _ before: [RideIndex.Part], _ sums: RideAccumulator,
    _ reader: consuming RideReader
  ) {
    self.ride = ride
    self.directory = directory
    self.before = before
    self.sums = sums
    self.reader = reader
  }

  /// The summary of what was read.
  var summary: RideSummary {
    RideSummary(sums, boot: reader.boot, lastInstant: reader.lastInstant, damages: reader.damage.total)
  }

  /// Reads on by about so many bytes; `true` at the end.
  mutating func advance(reading limit: Int) throws(RecordingError) -> Bool {
    reader.allowance = limit
    while try reader.advance() {
      for index in reader.moments.indices { sums.take(reader.moments[index]) }
    }
    return !reader.isPaused
  }

  /// Writes the index of the ride, which has been read to its end, if it has ended and did not change meanwhile.
  func keepIndex() {
    guard !directory.isInProgress(ride), directory.parts(of: ride) == before else { return }
    directory.keep(summary, of: ride, splitStop: sums.splitStop)
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

  /// Largest size of the file: more than a hundred bytes for each part of a ride of a month.
  static let maximumSize = 131_072
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

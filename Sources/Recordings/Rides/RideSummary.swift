import LocationCore

package struct RideSummary: Hashable, Sendable {
  package var figures: RideFigures
  /// UTC of the last fix, including a stop at the end.
  package var lastFix: UTCInstant?
  /// Duration of the stop at the end, seconds.
  package var standing: Double
  package var hasMoved: Bool
  package var boot: String?
  /// The last instant on that boot's monotonic clock.
  package var lastInstant: MonotonicInstant?
  package var damages: Int

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
  private(set) var sums: RideAccumulator
  private let directory: RideDirectory
  private let before: [RideIndex.Part]
  private var reader: RideReader

  init(_ ride: Ride, in directory: RideDirectory, splitStop: Double) throws(RecordingError) {
    let before = directory.parts(of: ride)
    let reader = try RideReader(files: directory.files(of: ride), followsLinks: false)
    self.init(ride, directory, before, reader, splitStop: splitStop)
  }

  // Swift 6.2 destroys properties set so far twice when an initializer throws.
  private init(
    _ ride: Ride, _ directory: RideDirectory, _ before: [RideIndex.Part], _ reader: consuming RideReader,
    splitStop: Double
  ) {
    self.ride = ride
    self.directory = directory
    self.before = before
    self.reader = reader
    sums = RideAccumulator(splitStop: splitStop)
  }

  var summary: RideSummary {
    RideSummary(sums, boot: reader.boot, lastInstant: reader.lastInstant, damages: reader.damage.total)
  }

  /// Reads on by about so many bytes; `true` at the end.
  mutating func advance(reading limit: Int) throws(RecordingError) -> Bool {
    reader.files.reader.allowance = limit
    while try reader.advance() {
      for index in reader.moments.indices { sums.add(reader.moments[index]) }
    }
    return !reader.files.reader.isPaused
  }

  /// Writes the index of the ride, which has been read to its end, if it has ended and did not change meanwhile.
  mutating func keepIndex() {
    guard !directory.isInProgress(ride), directory.parts(of: ride) == before else { return }
    directory.keep(summary, of: ride, splitStop: sums.splitStop)
  }
}

/// The summary of a ride in `NAME.figures` beside it, so that listing rides need not read them: replaced atomically
/// if a file's size or time of modification, or the checksum in the last line, differs.
struct RideIndex: Hashable, Sendable {
  struct Part: Hashable, Sendable {
    var number: Int
    var size: Int
    var modified: Int64
  }

  /// Largest size of the file: more than a hundred bytes for each part of a ride of a month.
  static let maximumSize = 131_072
  /// The first line; changes with the rules of the figures.
  static let version = "# handlebar-figures 5"

  var parts: [Part]
  var splitStop: Double
  var summary: RideSummary
}

extension RideIndex {
  /// A line `key=value`: how its value is written (`nil` for none), and read, which fails without a needed one.
  private struct Field {
    let key: String
    let text: (RideIndex) -> String?
    let read: (String?, inout RideIndex) -> Bool

    init<Value: LosslessStringConvertible>(_ key: String, _ path: WritableKeyPath<RideIndex, Value>) {
      self.key = key
      text = { $0[keyPath: path].description }
      read = { text, index in
        guard let value = text.flatMap({ Value($0) }) else { return false }
        index[keyPath: path] = value
        return true
      }
    }

    init<Value: LosslessStringConvertible>(_ key: String, optional path: WritableKeyPath<RideIndex, Value?>) {
      self.key = key
      text = { $0[keyPath: path]?.description }
      read = { text, index in
        index[keyPath: path] = text.flatMap { Value($0) }
        return true
      }
    }
  }

  private static var fields: [Field] {
    [
      Field("split", \.splitStop), Field("start", optional: \.summary.figures.start.nanoseconds),
      Field("end", optional: \.summary.figures.end.nanoseconds), Field("duration", \.summary.figures.duration),
      Field("moving", \.summary.figures.movingTime), Field("distance", \.summary.figures.distance),
      Field("ascent", optional: \.summary.figures.ascent), Field("descent", optional: \.summary.figures.descent),
      Field("maximum", optional: \.summary.figures.maximumSpeed), Field("fixes", \.summary.figures.fixes),
      Field("gaps", \.summary.figures.gaps), Field("gaptime", \.summary.figures.gapTime),
      Field("lastfix", optional: \.summary.lastFix.nanoseconds), Field("standing", \.summary.standing),
      Field("moved", \.summary.hasMoved), Field("boot", optional: \.summary.boot),
      Field("instant", optional: \.summary.lastInstant.nanoseconds), Field("damages", \.summary.damages),
      Field("heartrate", optional: \.summary.figures.sensors.heartRate),
      Field("cadence", optional: \.summary.figures.sensors.cadence),
      Field("power", optional: \.summary.figures.sensors.power),
      Field("temperature", optional: \.summary.figures.sensors.temperature),
    ]
  }

  var bytes: [UInt8] {
    var lines = [Self.version] + parts.map { "part=\($0.number) \($0.size) \($0.modified)" }
    for field in Self.fields {
      if let text = field.text(self) { lines.append("\(field.key)=\(text)") }
    }
    let text = Array((lines.joined(separator: "\n") + "\n").utf8)
    return text + Array("sum=\(Self.sum(of: text))\n".utf8)
  }

  /// Reads the contents of a file; `nil` unless it is complete and of this version.
  init?(bytes: [UInt8]) {
    guard bytes.last == UInt8(ascii: "\n"), let end = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    let text = bytes[...end]
    let last = bytes[(end + 1)...].dropLast()
    let sum = UInt64(String(decoding: last.dropFirst(4), as: UTF8.self))
    guard last.starts(with: "sum=".utf8), sum == Self.sum(of: text) else { return nil }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    guard lines.first.map(String.init) == Self.version else { return nil }
    let empty = RideSummary(RideAccumulator(), boot: nil, lastInstant: nil, damages: 0)
    self.init(parts: [], splitStop: 0, summary: empty)
    var values: [Substring: String] = [:]
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
        values[line[..<equals]] = String(value)
      }
    }
    for field in Self.fields {
      guard field.read(values[field.key[...]], &self) else { return nil }
    }
  }

  private static func sum(of bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

extension UTCInstant? {
  /// Nanoseconds since 1970.
  fileprivate var nanoseconds: Int64? {
    get { self?.nanosecondsSince1970 }
    set { self = newValue.map { UTCInstant(nanosecondsSince1970: $0) } }
  }
}

extension MonotonicInstant? {
  fileprivate var nanoseconds: Int64? {
    get { self?.nanoseconds }
    set { self = newValue.map { MonotonicInstant(nanoseconds: $0) } }
  }
}

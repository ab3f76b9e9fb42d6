import LocationCore

/// A decoder of every format that can be replayed, fed in pieces of any size. Pure, in bounded memory.
package struct InputDecoder: Sendable {
  /// The beginning of the file until its format is detected.
  private var head: [UInt8] = []
  /// The decoder of the format; at most one is set. As payloads of an enum they would be copied at each step.
  private var lines: RecordingDecoder?
  private var track: TrackDecoder?
  package private(set) var isUnknown = false
  package private(set) var format: InputFormat?
  package private(set) var isEnded = false
  private let readsAnything: Bool

  /// With `readsAnything`, what does not begin like a file of points is read as lines at once, whatever it is.
  package init(readsAnything: Bool = false) { self.readsAnything = readsAnything }
  /// Whether the file has points without times that are too far apart to be replayed.
  package var isTooLong: Bool { track?.isTooLong ?? false }

  /// Adds the next bytes of the file; to be called when ``next()`` has returned `nil`, which bounds the memory.
  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    if isUnknown || isTooLong { return }
    guard format == nil else {
      lines?.feed(bytes)
      track?.feed(bytes)
      return
    }
    head.append(contentsOf: bytes)
    decide()
  }

  package mutating func end() {
    isEnded = true
    if format == nil, !isUnknown { decide() }
    lines?.end()
    track?.end()
  }

  /// The next item; `nil` when more bytes are needed, at the end, or when the file ``isUnknown`` or ``isTooLong``.
  package mutating func next() -> RecordingItem? {
    if let item = lines?.next() { return item }
    return track?.next()
  }

  private mutating func decide() {
    switch InputFormat.detect(head, isWhole: isEnded) {
    case .failure where readsAnything && !TrackFormat.mayBegin(head): begin(.nmea)
    case .failure(.undecided): return
    case .failure(.unknown): isUnknown = true
    case .success(let format): begin(format)
    }
    head = []
  }

  private mutating func begin(_ format: InputFormat) {
    self.format = format
    if let format = TrackFormat(rawValue: format.rawValue) {
      track = TrackDecoder(format)
    } else {
      lines = RecordingDecoder()
    }
    // Before the header it would make that a line of something else.
    let mark = head.starts(with: InputFormat.byteOrderMark) ? InputFormat.byteOrderMark.count : 0
    Array(head.dropFirst(mark)).withUnsafeBufferPointer { feed($0) }
  }
}

/// The format of a file that can be replayed, detected by its content and not by its name.
package enum InputFormat: String, Hashable, Sendable {
  /// A recording: sentences or reports with `# t=` lines.
  case recording
  /// Sentences or binary frames of a receiver, possibly with comments or gpsd's reports between them.
  case nmea
  /// gpsd's reports, as `gpspipe -w` writes them.
  case gpsd
  case gpx, tcx, fit
  /// Nothing but blank lines, comments or NULs.
  case empty

  /// Number of bytes at the beginning that decide.
  package static let headSize = 65_536

  /// What some editors write before UTF-8.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  enum Doubt: Error, Hashable {
    case undecided
    case unknown
  }

  /// The format of a file that begins with these bytes, or consists of them if `isWhole`.
  static func detect(_ head: [UInt8], isWhole: Bool) -> Result<InputFormat, Doubt> {
    let isEnough = isWhole || head.count >= headSize
    let head = head.prefix(headSize)
    if let format = TrackFormat(head: head).flatMap({ InputFormat(rawValue: $0.rawValue) }) { return .success(format) }
    var start: Int = head.firstIndex { $0 != 0 } ?? head.endIndex
    if head[start...].starts(with: byteOrderMark) { start += byteOrderMark.count }
    let text = head[start...].drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    if text.first == UInt8(ascii: "<") { return .failure(isEnough ? .unknown : .undecided) }
    if hasFrame(head[start...]) { return .success(.nmea) }
    var isEmpty = true
    for line in text.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "# handlebar-recording ".utf8) || line.starts(with: "# t=".utf8) {
        return .success(.recording)
      }
      // gpsd's lines begin with `{"class":`, blanks allowed.
      if line.first == UInt8(ascii: "{"), line.prefix(64).lazy.filter({ $0 > 0x20 }).starts(with: #"{"class":""#.utf8) {
        return .success(.gpsd)
      }
      if hasSentence(line) { return .success(.nmea) }
      let isBlank = line.allSatisfy { $0 == 0 || $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      isEmpty = isEmpty && (isBlank || line.first == UInt8(ascii: "#"))
    }
    guard isEnough else { return .failure(.undecided) }
    return isEmpty ? .success(.empty) : .failure(.unknown)
  }

  private static func hasFrame(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      bytes.indices.contains { index in
        guard bytes[index] == 0xB5, case .complete = BinaryFrame.scan(bytes, at: index) else { return false }
        return true
      }
    }
  }

  /// Whether a line has `$` or `!`, a name of capitals and digits, and a comma.
  private static func hasSentence(_ line: ArraySlice<UInt8>) -> Bool {
    var rest = line
    while let start = rest.firstIndex(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "!") }) {
      rest = rest[(start + 1)...]
      let name = rest.prefix { byte in
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
      let delimiter = rest.dropFirst(name.count).first
      if (3...12).contains(name.count), delimiter == UInt8(ascii: ",") || delimiter == UInt8(ascii: "*") { return true }
    }
    return false
  }
}

/// Turns the bytes of any file that can be replayed, in pieces of any size, into a recording's items: recordings, plain
/// logs, gpsd's reports, GPX. Pure, and of bounded memory.
package struct InputDecoder: Sendable {
  /// The beginning, until it tells the format.
  private var head: [UInt8] = []
  /// What reads the format, one at most. Not the payloads of an enum: each step would copy them out and in.
  private var lines: RecordingDecoder?
  private var gpx: GPXDecoder?
  /// Whether the file is none that can be read.
  package private(set) var isUnknown = false
  /// What the file holds, once that is known.
  package private(set) var format: InputFormat?
  /// Whether the end of the file was said.
  package private(set) var isEnded = false

  /// A decoder at the start of a file.
  package init() {}

  /// Adds the next bytes of the file. To be called when ``next()`` has returned `nil`, which keeps the memory bounded.
  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    if isUnknown { return }
    guard format == nil else {
      lines?.feed(bytes)
      gpx?.feed(bytes)
      return
    }
    head.append(contentsOf: bytes)
    decide()
  }

  /// Says that the file ends here.
  package mutating func end() {
    isEnded = true
    if format == nil, !isUnknown { decide() }
    lines?.end()
    gpx?.end()
  }

  /// The next item; `nil` when more bytes are needed, none come any more, or the file ``isUnknown``.
  package mutating func next() -> RecordingItem? {
    if let item = lines?.next() { return item }
    return gpx?.next()
  }

  private mutating func decide() {
    switch InputFormat.of(head, isWhole: isEnded) {
    case .failure(.undecided): return
    case .failure(.unknown): isUnknown = true
    case .success(let format):
      self.format = format
      if format == .gpx {
        var decoder = GPXDecoder()
        head.withUnsafeBufferPointer { decoder.feed($0) }
        gpx = decoder
      } else {
        var decoder = RecordingDecoder()
        head.withUnsafeBufferPointer { decoder.feed($0) }
        lines = decoder
      }
    }
    head = []
  }
}

/// What a file that can be replayed holds, known by its content and not by its name.
package enum InputFormat: String, Hashable, Sendable {
  /// This project's own form: sentences or reports with `# t=` lines.
  case recording
  /// Sentences, perhaps with comments, binary or gpsd's reports between them.
  case nmea
  /// gpsd's reports, as `gpspipe -w` writes them.
  case gpsd
  /// A GPX document.
  case gpx
  /// Nothing but blank lines, comments or NULs.
  case empty

  /// So many bytes at the beginning decide.
  package static let enough = 65_536

  /// Why no format is told.
  enum Doubt: Error, Hashable {
    /// More of the file must be seen.
    case undecided
    /// It is none of these.
    case unknown
  }

  /// The format of a file that begins with these bytes; all of them if `isWhole`.
  static func of(_ head: [UInt8], isWhole: Bool) -> Result<InputFormat, Doubt> {
    let isEnough = isWhole || head.count >= enough
    let head = head.prefix(enough)
    var start = head.firstIndex { $0 != 0 } ?? head.endIndex
    if head[start...].starts(with: [0xEF, 0xBB, 0xBF]) { start += 3 }
    let text = head[start...].drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    if text.first == UInt8(ascii: "<") {
      if hasGPX(text) { return .success(.gpx) }
      return .failure(isEnough ? .unknown : .undecided)
    }
    var isEmpty = true
    for line in text.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "# handlebar-recording ".utf8) || line.starts(with: "# t=".utf8) {
        return .success(.recording)
      }
      if isReport(line) { return .success(.gpsd) }
      if hasSentence(line) { return .success(.nmea) }
      isEmpty =
        isEmpty
        && (line.first == UInt8(ascii: "#") || line.allSatisfy { $0 == 0 || $0 == 0x20 || $0 == 0x09 || $0 == 0x0D })
    }
    guard isEnough else { return .failure(.undecided) }
    return isEmpty ? .success(.empty) : .failure(.unknown)
  }

  /// Whether a line begins as gpsd's do: `{"class":`, blanks allowed.
  private static func isReport(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.first == UInt8(ascii: "{") else { return false }
    return line.prefix(64).lazy.filter { $0 > 0x20 }.starts(with: #"{"class":""#.utf8)
  }

  private static func hasGPX(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while let bracket = rest.firstIndex(of: UInt8(ascii: "<")) {
      let name = rest[(bracket + 1)...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") }
      if name.endIndex < rest.endIndex,
        name.elementsEqual("gpx".utf8) || name.suffix(4).elementsEqual(":gpx".utf8)
      {
        return true
      }
      rest = rest[(bracket + 1)...]
    }
    return false
  }

  /// Whether a line has `$` or `!`, a name of capitals and digits, and a comma.
  private static func hasSentence(_ line: ArraySlice<UInt8>) -> Bool {
    var rest = line
    while let start = rest.firstIndex(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "!") }) {
      rest = rest[(start + 1)...]
      let name = rest.prefix { byte in
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
      let behind = rest.dropFirst(name.count).first
      if (3...12).contains(name.count), behind == UInt8(ascii: ",") || behind == UInt8(ascii: "*") { return true }
    }
    return false
  }
}

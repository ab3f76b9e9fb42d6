import LocationCore

/// Turns reads and events into the text of a recording. Pure: the caller owns clock and file.
///
/// The text is plain NMEA with comments, so a read is not written where it happened to stop:
/// - Each line of the file is a line as received. A line belongs to the read that finished it and has that
///   read's time; every line that one read finished stands below one `# t=` line.
/// - A line stays unfinished in memory for at most ``holdLimit`` after its last byte and ``maximumHeld``
///   bytes. Then, when its source goes silent, or at ``finish(into:)``, it is written as it is, under
///   the time of its last byte.
/// - A line that was received without LF (unfinished, or ended by CR alone) follows a line `# cut`: the
///   LF behind it is the file's own.
/// - Bytes that cannot stand as a line of text (anything outside 0x20–0x7E except the line's end, or a
///   `#` at its start) are written as `# x` and hexadecimal digits. Text from the next `$`, `!` or `{` on
///   stays text, so a sentence behind noise remains readable to every other program.
///
/// Joining what ``RecordingDecoder`` reads back gives each source's bytes exactly. Every call appends
/// whole records that are to be written with a single `write`.
package struct RecordingWriter: Sendable {
  /// How long an unfinished line waits for more of its source.
  package static let holdLimit = Duration.milliseconds(250)
  /// How many bytes of an unfinished line are held; longer than gpsd's longest JSON line.
  package static let maximumHeld = 16_384
  private static let bytesPerHexLine = 128

  private var held: [HeldLine] = []
  private var newest: MonotonicInstant = .zero

  /// A writer that holds nothing yet.
  package init() {}

  /// Appends the records of one read from a source.
  package mutating func burst(
    _ read: UnsafeBufferPointer<UInt8>, from source: Int, at instant: MonotonicInstant, utc: UTCInstant?,
    into output: inout [UInt8]
  ) {
    guard !read.isEmpty else { return }
    let place = place(of: source)
    if !held[place].bytes.isEmpty && instant - held[place].stamp.instant > Self.holdLimit {
      release(place, evenUnfinished: true, into: &output)
    }
    var rest = read[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.maximumHeld)
      rest = rest.dropFirst(part.count)
      held[place].take(UnsafeBufferPointer(rebasing: part), at: instant, utc: utc)
      release(place, evenUnfinished: false, into: &output)
      if held[place].bytes.count >= Self.maximumHeld {
        release(place, evenUnfinished: true, into: &output)
      }
    }
  }

  /// Appends the records of one read from a source.
  package mutating func burst(
    _ read: [UInt8], from source: Int, at instant: MonotonicInstant, utc: UTCInstant?, into output: inout [UInt8]
  ) {
    read.withUnsafeBufferPointer { burst($0, from: source, at: instant, utc: utc, into: &output) }
  }

  /// Appends an event with its stamp. What its source left unfinished comes before it. Line ends inside
  /// the JSON, where they are only blanks, are written as blanks.
  package mutating func event(_ event: RecordedEvent, into output: inout [UInt8]) {
    if let source = event.stamp?.source, let place = held.firstIndex(where: { $0.source == source }) {
      release(place, evenUnfinished: true, into: &output)
    }
    if let stamp = event.stamp { write(stamp, into: &output) }
    output.append(contentsOf: "# e ".utf8)
    output.append(contentsOf: event.json.lazy.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 })
    output.append(UInt8(ascii: "\n"))
  }

  /// Appends the unfinished lines that have waited for longer than ``holdLimit``.
  package mutating func releaseSilent(at instant: MonotonicInstant, into output: inout [UInt8]) {
    for place in held.indices where instant - held[place].stamp.instant > Self.holdLimit {
      release(place, evenUnfinished: true, into: &output)
    }
  }

  /// Appends every unfinished line: the recording ends, or goes on in another file.
  package mutating func finish(into output: inout [UInt8]) {
    for place in held.indices { release(place, evenUnfinished: true, into: &output) }
  }

  private mutating func place(of source: Int) -> Int {
    if let place = held.firstIndex(where: { $0.source == source }) { return place }
    held.append(HeldLine(source: source))
    return held.count - 1
  }

  private mutating func release(_ place: Int, evenUnfinished: Bool, into output: inout [UInt8]) {
    var source = HeldLine(source: held[place].source)
    swap(&source, &held[place])
    var stamp: RecordingStamp? = source.stamp
    source.release(evenUnfinished: evenUnfinished) { line in
      if let first = stamp { write(first, into: &output) }
      stamp = nil
      Self.write(line, into: &output)
    }
    swap(&source, &held[place])
  }

  /// Stamps never step back in a file, not even when a line that another source left unfinished
  /// comes late.
  private mutating func write(_ stamp: RecordingStamp, into output: inout [UInt8]) {
    var stamp = stamp
    newest = max(newest, stamp.instant)
    stamp.instant = newest
    stamp.write(into: &output)
  }

  private static func write(_ line: UnsafeBufferPointer<UInt8>.SubSequence, into output: inout [UInt8]) {
    let text = textStart(of: line)
    var binary = line[..<text]
    while !binary.isEmpty {
      output.append(contentsOf: "# x ".utf8)
      for byte in binary.prefix(bytesPerHexLine) { output.append(hexByte: byte) }
      output.append(UInt8(ascii: "\n"))
      binary = binary.dropFirst(bytesPerHexLine)
    }
    guard text < line.endIndex else { return }
    let isWhole = line.last == UInt8(ascii: "\n")
    if !isWhole { output.append(contentsOf: "# cut\n".utf8) }
    output.append(contentsOf: line[text...])
    if !isWhole { output.append(UInt8(ascii: "\n")) }
  }

  /// Where the part of the line begins that can stand as text; its end when no part can.
  private static func textStart(of line: UnsafeBufferPointer<UInt8>.SubSequence) -> Int {
    var end = line.endIndex
    if end > line.startIndex && line[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > line.startIndex && line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    var start = end
    while start > line.startIndex && line[start - 1].isPrintable { start -= 1 }
    if start == line.startIndex && (start == end || line[start] != UInt8(ascii: "#")) { return start }
    while start < end {
      switch line[start] {
      case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "{"): return start
      default: start += 1
      }
    }
    return line.endIndex
  }
}

/// The bytes of one source that wait for the end of their line.
///
/// A read can stop anywhere, a line of the file cannot: what the read left unfinished is held until
/// the line ends. A line ends with LF, or with a CR that something other than LF follows.
struct HeldLine: Sendable {
  /// The source, as in ``RecordingStamp/source``.
  let source: Int
  /// The unfinished line; after ``take(_:at:utc:)`` also what has been finished.
  private(set) var bytes: [UInt8] = []
  /// When the newest of the bytes was read.
  private(set) var stamp: RecordingStamp

  init(source: Int) {
    self.source = source
    stamp = RecordingStamp(instant: .zero, source: source)
  }

  /// Adds what was read.
  mutating func take(_ read: UnsafeBufferPointer<UInt8>, at instant: MonotonicInstant, utc: UTCInstant?) {
    bytes.append(contentsOf: read)
    stamp = RecordingStamp(instant: instant, utc: utc, source: source)
  }

  /// Hands each finished line to `body` and forgets it. With `evenUnfinished` the rest goes as well.
  mutating func release(evenUnfinished: Bool, _ body: (UnsafeBufferPointer<UInt8>.SubSequence) -> Void) {
    let used = bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        let isLoneCR = byte == UInt8(ascii: "\r") && index + 1 < bytes.count && bytes[index + 1] != UInt8(ascii: "\n")
        index += 1
        if byte == UInt8(ascii: "\n") || isLoneCR {
          body(bytes[start..<index])
          start = index
        }
      }
      if evenUnfinished && start < bytes.count {
        body(bytes[start...])
        start = bytes.count
      }
      return start
    }
    bytes.removeFirst(used)
  }
}

import LocationCore

/// A writer of reads and events as the text of a recording. Pure: the caller owns clock and file.
/// The text is plain NMEA with comments, independent of where a read happened to end:
/// - Each line of the file is a line as received. A line belongs to the read that completed it and has its time; all lines
///   that one read completed are below one `# t=` line.
/// - An incomplete line stays in memory for at most ``holdLimit`` after its last byte, and up to ``maximumHeld`` bytes.
///   Then, when its source falls silent, or at ``finish(into:)``, it is written with the time of its last byte.
/// - A line received without LF (incomplete, or ended by CR only) follows a line `# cut`: its LF was not received.
/// - A binary frame (UBX, RTCM 3, CASIC) is complete with its checksum, like a line with its LF. Its bytes are written as
///   `# x` and hexadecimal digits.
/// - So are bytes that cannot be part of a line of text (outside 0x20–0x7E except the line end, or a `#` at the
///   start). Text from the next `$`, `!` or `{` on stays text, so that other programs can read a
///   sentence after noise.
/// Joining the bursts of ``RecordingDecoder`` gives each source's bytes exactly. Every call appends whole records that
/// are to be written with a single `write`.
package struct RecordingWriter: Sendable {
  /// How long an incomplete line waits for the rest.
  package static let holdLimit = Duration.milliseconds(250)
  /// Largest number of bytes of an incomplete line in memory; longer than gpsd's longest JSON line.
  package static let maximumHeld = 16_384
  private static let bytesPerHexLine = 128

  private var held: [HeldLine] = []
  private var newest: MonotonicInstant = .zero

  package init() {}

  package mutating func burst(
    _ read: [UInt8], from source: Int, at instant: MonotonicInstant, utc: UTCInstant?, into output: inout [UInt8]
  ) {
    guard !read.isEmpty else { return }
    let index = index(of: source)
    if !held[index].bytes.isEmpty && instant - held[index].stamp.instant > Self.holdLimit {
      release(index, evenUnfinished: true, into: &output)
    }
    var rest = read[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.maximumHeld)
      rest = rest.dropFirst(part.count)
      held[index].add(part, at: instant, utc: utc)
      release(index, evenUnfinished: false, into: &output)
      if held[index].bytes.count >= Self.maximumHeld { release(index, evenUnfinished: true, into: &output) }
    }
  }

  /// Appends an event with its stamp, after the incomplete line of its source. Line ends in the JSON become blanks.
  package mutating func event(_ event: RecordedEvent, into output: inout [UInt8]) {
    if let source = event.stamp?.source, let index = held.firstIndex(where: { $0.source == source }) {
      release(index, evenUnfinished: true, into: &output)
    }
    if let stamp = event.stamp { write(stamp, into: &output) }
    output.append(contentsOf: "# e ".utf8)
    output.append(contentsOf: event.json.lazy.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 })
    output.append(UInt8(ascii: "\n"))
  }

  package mutating func releaseSilent(at instant: MonotonicInstant, into output: inout [UInt8]) {
    for index in held.indices where instant - held[index].stamp.instant > Self.holdLimit {
      release(index, evenUnfinished: true, into: &output)
    }
  }

  /// Appends every incomplete line: the recording ends, or continues in another file.
  package mutating func finish(into output: inout [UInt8]) {
    for index in held.indices { release(index, evenUnfinished: true, into: &output) }
  }

  private mutating func index(of source: Int) -> Int {
    if let index = held.firstIndex(where: { $0.source == source }) { return index }
    held.append(HeldLine(source: source))
    return held.count - 1
  }

  private mutating func release(_ index: Int, evenUnfinished: Bool, into output: inout [UInt8]) {
    var source = HeldLine(source: held[index].source)
    swap(&source, &held[index])
    var stamp: RecordingStamp? = source.stamp
    source.release(evenUnfinished: evenUnfinished) { part, isFrame in
      if let first = stamp { write(first, into: &output) }
      stamp = nil
      Self.write(part, isFrame: isFrame, into: &output)
    }
    swap(&source, &held[index])
  }

  /// Stamps never step back in a file, not even for a late line of another source.
  private mutating func write(_ stamp: RecordingStamp, into output: inout [UInt8]) {
    var stamp = stamp
    newest = max(newest, stamp.instant)
    stamp.instant = newest
    stamp.write(into: &output)
  }

  private static func write(
    _ line: UnsafeBufferPointer<UInt8>.SubSequence, isFrame: Bool, into output: inout [UInt8]
  ) {
    let text = isFrame ? line.endIndex : textStart(of: line)
    var binary = line[..<text]
    while !binary.isEmpty {
      output.append(contentsOf: "# x ".utf8)
      for byte in binary.prefix(bytesPerHexLine) {
        output.append(Hexadecimal.digit(byte >> 4))
        output.append(Hexadecimal.digit(byte & 0xF))
      }
      output.append(UInt8(ascii: "\n"))
      binary = binary.dropFirst(bytesPerHexLine)
    }
    guard text < line.endIndex else { return }
    let isWhole = line.last == UInt8(ascii: "\n")
    if !isWhole { output.append(contentsOf: "# cut\n".utf8) }
    output.append(contentsOf: line[text...])
    if !isWhole { output.append(UInt8(ascii: "\n")) }
  }

  /// The start of the part of the line that can be written as text; the line's end if there is none.
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

/// The incomplete line or frame of a source. A line ends with LF, or with a CR that is not followed by LF.
struct HeldLine: Sendable {
  let source: Int
  /// The incomplete line; after ``add(_:at:utc:)`` also complete lines before it.
  private(set) var bytes: [UInt8] = []
  private(set) var stamp: RecordingStamp

  init(source: Int) {
    self.source = source
    stamp = RecordingStamp(instant: .zero, source: source)
  }

  mutating func add(_ read: ArraySlice<UInt8>, at instant: MonotonicInstant, utc: UTCInstant?) {
    bytes.append(contentsOf: read)
    stamp = RecordingStamp(instant: instant, utc: utc, source: source)
  }

  /// Removes each complete line and frame and passes it to `body`; with `evenUnfinished` also the incomplete one.
  mutating func release(
    evenUnfinished: Bool, _ body: (UnsafeBufferPointer<UInt8>.SubSequence, _ isFrame: Bool) -> Void
  ) {
    let used = bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      while start < bytes.count {
        switch ReceivedPart(of: bytes, from: start, isLast: evenUnfinished) {
        case .frame(let end):
          body(bytes[start..<end], true)
          start = end
        case .line(let end): start = Self.release(bytes, start, end, body)
        case .incomplete(let end):
          start = Self.release(bytes, start, end, isComplete: false, body)
          guard evenUnfinished else { return start }
          if start < bytes.count { body(bytes[start...], false) }
          start = bytes.count
        }
      }
      return start
    }
    bytes.removeFirst(used)
  }

  /// Passes on the lines that end with a CR alone, and the rest if it `isComplete`; returns the end.
  private static func release(
    _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, isComplete: Bool = true,
    _ body: (UnsafeBufferPointer<UInt8>.SubSequence, _ isFrame: Bool) -> Void
  ) -> Int {
    var start = start
    for index in start..<end where bytes[index] == UInt8(ascii: "\r") {
      guard index + 1 < bytes.count, bytes[index + 1] != UInt8(ascii: "\n") else { continue }
      body(bytes[start...index], false)
      start = index + 1
    }
    guard isComplete, start < end else { return start }
    body(bytes[start..<end], false)
    return end
  }
}

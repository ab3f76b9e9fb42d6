import Libc

/// What a decoder that is fed in pieces comes to next.
enum DecodingStep<Item> {
  case item(Item)
  case again
  /// More bytes are needed.
  case starved
}

/// A decoder of recordings and plain logs, fed in pieces of any size. Pure, in bounded memory. It reads recordings,
/// plain NMEA logs, and plain logs with `#` comments like gpsfake's. A file is a recording from its header or its first
/// `# t=` line on; from there on everything that the writer does not produce is damage, and is skipped. In a plain log
/// only comments are dropped; everything else is passed on by lines and binary frames.
package struct RecordingDecoder: Sendable {
  package static let maximumLine = 32_768
  package static let maximumBurst = 65_536

  /// Bytes not yet decoded, from `start` on.
  private var buffer: [UInt8] = []
  private var start = 0
  /// There is no line end before this index.
  private var searched = 0
  package private(set) var isEnded = false
  /// Whether anything other than a NUL was read.
  private var hasBegun = false
  private var isRecording = false
  private var stamp: RecordingStamp?
  private var header: RecordingHeader?
  private var burst: [UInt8] = []
  /// Size of the previous burst, as an estimate for the next.
  private var room = 0
  /// Whether the line end of the next line was not received.
  private var isCut = false
  /// The damaged part that may continue in the next piece, and its size so far.
  private var skipping: Skipping?
  private var skipped = 0

  private enum Skipping { case nuls, line }

  package init() {}

  /// Adds the next bytes of the file; to be called when ``next()`` has returned `nil`, which bounds the memory.
  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    buffer.removeFirst(start)
    searched -= start
    start = 0
    buffer.append(contentsOf: bytes)
  }

  package mutating func end() { isEnded = true }

  /// The next item; `nil` when more bytes are needed, or at the end.
  package mutating func next() -> RecordingItem? {
    while true {
      switch step() {
      case .item(let item): return item
      case .again: continue
      case .starved: return isEnded ? finish() : nil
      }
    }
  }

  private typealias Step = DecodingStep<RecordingItem>

  private mutating func step() -> Step {
    if let skipping { return skip(skipping) }
    if isRecording || !hasBegun, start < buffer.count, buffer[start] == 0 {
      if let completed = completed() { return .item(completed) }
      isCut = false
      skipping = .nuls
      return .again
    }
    hasBegun = hasBegun || start < buffer.count
    let line = nextLine()
    if isRecording, let line, let step = plain(line) { return step }
    let end = line?.upperBound ?? buffer.count
    let window = start..<min(end, start + Self.maximumLine)
    if isRecording, let nul = first(0, in: window) { return torn(at: nul) }
    if end > window.upperBound { return overlong(window) }
    guard let line else { return .starved }
    return read(line: line)
  }

  /// Reads a stamp or text, as nearly every line of a recording is; `nil` for all other lines.
  private mutating func plain(_ line: Range<Int>) -> Step? {
    guard line.count <= Self.maximumLine else { return nil }
    if buffer[line.lowerBound] == UInt8(ascii: "#") {
      guard first(0, in: line) == nil else { return nil }
      let stamp = buffer.withUnsafeBufferPointer { RecordingComment.stamp(in: $0[line]) }
      guard let stamp else { return nil }
      let completed = completed()
      consume(to: line.upperBound)
      isCut = false
      self.stamp = stamp
      return completed.map { .item($0) } ?? .again
    }
    guard header == nil, buffer.withUnsafeBufferPointer({ Self.isText($0[line]) }) else { return nil }
    guard !isCut else { return deliver(line.lowerBound..<(line.upperBound - 1), to: line.upperBound) }
    let end = endOfText(from: line.upperBound, most: Self.maximumBurst - burst.count - line.count)
    return deliver(line.lowerBound..<end, to: end)
  }

  /// The end of the whole lines of text from `start` on, at most `most` bytes: the lines of a burst are read together.
  private func endOfText(from start: Int, most: Int) -> Int {
    guard stamp != nil else { return start }
    return buffer.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return start }
      var end = start
      while end < buffer.count, base[end] != UInt8(ascii: "#"),
        let feed = memchr(base + end, Int32(UInt8(ascii: "\n")), buffer.count - end)
      {
        let next = UnsafeRawPointer(feed) - UnsafeRawPointer(base) + 1
        guard next - start <= most, next - end <= Self.maximumLine, Self.isText(buffer[end..<next]) else { break }
        end = next
      }
      return end
    }
  }

  /// The next line; in a plain log a frame is one, too.
  private mutating func nextLine() -> Range<Int>? {
    guard isRecording || buffer[start...].first == UInt8(ascii: "#") else { return nextPart() }
    let found = first(UInt8(ascii: "\n"), in: max(start, searched)..<buffer.count)
    searched = found ?? buffer.count
    return found.map { start..<($0 + 1) }
  }

  private func nextPart() -> Range<Int>? {
    guard start < buffer.count else { return nil }
    return buffer.withUnsafeBufferPointer { bytes in
      switch ReceivedPart(of: bytes, from: start, isLast: isEnded) {
      case .line(let end), .frame(let end): start..<end
      case .incomplete: nil
      }
    }
  }

  private func first(_ byte: UInt8, in window: Range<Int>) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base + window.lowerBound, Int32(byte), window.count) else {
        return nil
      }
      return UnsafeRawPointer(found) - base
    }
  }

  /// The complete header or burst before the next line.
  private mutating func completed() -> RecordingItem? {
    if let header {
      self.header = nil
      return .header(header)
    }
    guard !burst.isEmpty else { return nil }
    var bytes: [UInt8] = []
    swap(&bytes, &burst)
    room = bytes.count
    return .burst(RecordedBurst(stamp: stamp, bytes: bytes))
  }

  private mutating func consume(to end: Int) {
    start = end
    searched = max(searched, end)
  }

  private mutating func read(line: Range<Int>) -> Step {
    if buffer[line.lowerBound] == UInt8(ascii: "#") { return read(comment: line) }
    if header != nil, let completed = completed() { return .item(completed) }
    if isRecording, !buffer.withUnsafeBufferPointer({ Self.isText($0[line]) }) {
      if let completed = completed() { return .item(completed) }
      isCut = false
      consume(to: line.upperBound)
      return .item(.damage(.notText(bytes: line.count)))
    }
    return deliver(line.lowerBound..<(isCut ? line.upperBound - 1 : line.upperBound), to: line.upperBound)
  }

  /// Adds payload to the burst. In a plain log each line is a burst.
  private mutating func deliver(_ payload: Range<Int>, to end: Int) -> Step {
    if burst.count + payload.count > Self.maximumBurst, let completed = completed() { return .item(completed) }
    if burst.isEmpty { burst.reserveCapacity(stamp == nil ? payload.count : max(payload.count, room)) }
    buffer.withUnsafeBufferPointer { burst.append(contentsOf: UnsafeBufferPointer(rebasing: $0[payload])) }
    consume(to: end)
    isCut = false
    if stamp == nil, let completed = completed() { return .item(completed) }
    return .again
  }

  private mutating func torn(at nul: Int) -> Step {
    if let completed = completed() { return .item(completed) }
    isCut = false
    let bytes = nul - start
    consume(to: nul)
    return .item(.damage(.tornLine(bytes: bytes)))
  }

  /// Skips a line that is longer than any of a recording. In a plain log it is binary data, passed on in parts.
  private mutating func overlong(_ window: Range<Int>) -> Step {
    if let completed = completed() { return .item(completed) }
    guard isRecording || buffer[start] == UInt8(ascii: "#") else { return deliver(window, to: window.upperBound) }
    isCut = false
    skipping = .line
    return .again
  }

  private mutating func read(comment line: Range<Int>) -> Step {
    let comment = buffer.withUnsafeBufferPointer { buffer in
      RecordingComment(buffer[line], inRecording: isRecording, inHeader: header != nil)
    }
    let isApart =
      switch comment {
      case .other, .field, .cut: false
      case .bytes(let bytes): burst.count + bytes.count > Self.maximumBurst
      case .mark, .stamp, .event, .damage: true
      }
    if isApart {
      if let completed = completed() { return .item(completed) }
      isCut = false
    }
    consume(to: line.upperBound)
    switch comment {
    case .other: break
    case .field(let field):
      if header?.fields.count ?? .max < RecordingHeader.maximumFields { header?.fields.append(field) }
    case .bytes(let bytes): burst.append(contentsOf: bytes)
    case .cut: isCut = true
    case .mark:
      isRecording = true
      header = RecordingHeader()
    case .stamp(let stamp):
      isRecording = true
      self.stamp = stamp
    case .event(let json): return .item(.event(RecordedEvent(stamp: stamp, json: json)))
    case .damage(let damage): return .item(.damage(damage))
    }
    return .again
  }

  /// Continues a damaged part, which may be longer than any piece.
  private mutating func skip(_ what: Skipping) -> Step {
    let end: Int? =
      switch what {
      case .nuls: buffer.withUnsafeBufferPointer { $0[start...].firstIndex { $0 != 0 } }
      case .line: nextLine()?.upperBound
      }
    skipped += (end ?? buffer.count) - start
    consume(to: end ?? buffer.count)
    return end == nil ? .starved : .item(endSkipping(what))
  }

  private mutating func endSkipping(_ what: Skipping) -> RecordingItem {
    defer { (skipping, skipped) = (nil, 0) }
    return .damage(what == .nuls ? .nulRun(bytes: skipped) : .overlongLine(bytes: skipped))
  }

  private mutating func finish() -> RecordingItem? {
    if let completed = completed() { return completed }
    if let skipping { return endSkipping(skipping) }
    let rest = start..<buffer.count
    guard !rest.isEmpty else { return nil }
    consume(to: buffer.count)
    if isRecording { return .damage(.tornTail(bytes: rest.count)) }
    guard buffer[rest.lowerBound] != UInt8(ascii: "#") else { return nil }
    return .burst(RecordedBurst(stamp: nil, bytes: Array(buffer[rest])))
  }

  /// Whether all bytes are printable ASCII; tests eight at a time, since a long ride has millions of lines.
  private static func isPrintable(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let high: UInt64 = 0x8080_8080_8080_8080
    var index = 0
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // No byte ≥ 0x80, < 0x20 or = 0x7F.
      let below = ((word | high) &- 0x2020_2020_2020_2020) & high
      let rubout = (word &+ 0x0101_0101_0101_0101) & high
      guard word & high == 0, below == high, rubout == 0 else { return false }
      index += 8
    }
    while index < bytes.count {
      guard bytes[index].isPrintable else { return false }
      index += 1
    }
    return true
  }

  /// Whether a line is printable except for its end.
  private static func isText(_ line: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool {
    var end = line.endIndex - 1
    if end > line.startIndex && line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return isPrintable(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: line[..<end])))
  }
}

import Glibc

/// Turns the bytes of a recording, in pieces of any size, into its items. Pure, and of bounded memory.
///
/// It reads three forms: recordings, plain NMEA logs, and plain logs with `#` comments as gpsfake
/// has them. A file is taken for a recording from its header or its first `# t=` line on; from there on
/// everything that the writer would never have written is damage, and is skipped. In a plain log only
/// comments are dropped; everything else is handed out as it is, a line at a time, binary included.
package struct RecordingDecoder: Sendable {
  /// The longest line that is taken whole.
  package static let maximumLine = 32_768
  /// The most bytes in one burst.
  package static let maximumBurst = 65_536

  /// What has been fed and not been read, from `start` on.
  private var buffer: [UInt8] = []
  private var start = 0
  /// Bytes before this place hold no line end.
  private var searched = 0
  /// Whether the end of the file was said.
  package private(set) var isEnded = false
  /// Something other than a NUL has been read.
  private var hasBegun = false

  /// Whether the form is the recording's: what cannot be in one is damage.
  private var isRecording = false
  private var stamp: RecordingStamp?
  private var header: RecordingHeader?
  private var burst: [UInt8] = []
  /// The size of the burst before: the next one's will be about the same.
  private var room = 0
  /// The line end of the next line was not received.
  private var isCut = false
  /// The kind and size of a damaged place that may go on with the next piece.
  private var skipping: Skipping?

  private enum Skipping {
    case nuls(Int)
    case line(Int)
  }

  /// A decoder at the start of a file.
  package init() {}

  /// Adds the next bytes of the file. To be called when ``next()`` has returned `nil`, which keeps the
  /// memory bounded.
  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    if start > 0 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Says that the file ends here.
  package mutating func end() { isEnded = true }

  /// The next item; `nil` when more bytes are needed, or none come any more.
  package mutating func next() -> RecordingItem? {
    while true {
      switch step() {
      case .item(let item): return item
      case .again: continue
      case .starved: return isEnded ? finish() : nil
      }
    }
  }
}

extension RecordingDecoder {
  private enum Step {
    case item(RecordingItem)
    case again
    case starved
  }

  /// Reads one line or one damaged place.
  private mutating func step() -> Step {
    if let skipping { return skip(skipping) }
    if isRecording || !hasBegun, start < buffer.count, buffer[start] == 0 {
      if let waiting = waiting() { return .item(waiting) }
      isCut = false
      skipping = .nuls(0)
      return .again
    }
    hasBegun = hasBegun || start < buffer.count
    let line = nextLine()
    if isRecording, let line, let step = plain(line) { return step }
    let end = line?.upperBound ?? buffer.count
    let window = start..<min(end, start + Self.maximumLine)
    if isRecording, let nul = firstNUL(in: window) { return torn(at: nul) }
    if end > window.upperBound { return overlong(window) }
    guard let line else { return .starved }
    return read(line: line)
  }

  /// Reads what nearly every line of a recording is, a stamp or text; `nil` for all others.
  private mutating func plain(_ line: Range<Int>) -> Step? {
    guard line.count <= Self.maximumLine else { return nil }
    if buffer[line.lowerBound] == UInt8(ascii: "#") {
      guard firstNUL(in: line) == nil else { return nil }
      let stamp = buffer.withUnsafeBufferPointer { RecordingComment.stamp(in: $0[line]) }
      guard let stamp else { return nil }
      let waiting = waiting()
      consume(to: line.upperBound)
      isCut = false
      self.stamp = stamp
      return waiting.map { .item($0) } ?? .again
    }
    guard header == nil, buffer.withUnsafeBufferPointer({ Self.isText($0[line]) }) else { return nil }
    guard !isCut else { return deliver(line.lowerBound..<(line.upperBound - 1), to: line.upperBound) }
    let end = endOfText(from: line.upperBound, most: Self.maximumBurst - burst.count - line.count)
    return deliver(line.lowerBound..<end, to: end)
  }

  /// Where the text ends that goes on from a line's end with whole lines, for so many bytes at the most: those of a
  /// burst are taken at once.
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

  /// The bounds of the next line, its LF included.
  private mutating func nextLine() -> Range<Int>? {
    let from = max(start, searched)
    let found = buffer.withUnsafeBytes { bytes -> Int? in
      guard from < bytes.count, let base = bytes.baseAddress,
        let place = memchr(base + from, Int32(UInt8(ascii: "\n")), bytes.count - from)
      else { return nil }
      return UnsafeRawPointer(place) - base
    }
    guard let found else {
      searched = buffer.count
      return nil
    }
    searched = found
    return start..<(found + 1)
  }

  private func firstNUL(in window: Range<Int>) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let place = memchr(base + window.lowerBound, 0, window.count) else {
        return nil
      }
      return UnsafeRawPointer(place) - base
    }
  }

  /// The header or the burst that the coming line does not belong to any more.
  private mutating func waiting() -> RecordingItem? {
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
    if let header {
      self.header = nil
      return .item(.header(header))
    }
    if isRecording {
      let isText = buffer.withUnsafeBufferPointer { Self.isText($0[line]) }
      if !isText {
        if let waiting = waiting() { return .item(waiting) }
        isCut = false
        consume(to: line.upperBound)
        return .item(.damage(.notText(bytes: line.count)))
      }
    }
    return deliver(line.lowerBound..<(isCut ? line.upperBound - 1 : line.upperBound), to: line.upperBound)
  }

  /// Adds payload to the burst. A plain log has no bursts: there each line is handed out alone.
  private mutating func deliver(_ payload: Range<Int>, to end: Int) -> Step {
    if burst.count + payload.count > Self.maximumBurst, let waiting = waiting() { return .item(waiting) }
    if burst.isEmpty { burst.reserveCapacity(stamp == nil ? payload.count : max(payload.count, room)) }
    buffer.withUnsafeBufferPointer { burst.append(contentsOf: UnsafeBufferPointer(rebasing: $0[payload])) }
    consume(to: end)
    isCut = false
    if stamp == nil, let waiting = waiting() { return .item(waiting) }
    return .again
  }

  /// The line stops at a NUL.
  private mutating func torn(at nul: Int) -> Step {
    if let waiting = waiting() { return .item(waiting) }
    isCut = false
    let bytes = nul - start
    consume(to: nul)
    return .item(.damage(.tornLine(bytes: bytes)))
  }

  /// The line is longer than any of a recording. In a plain log that is binary, which is handed out in parts.
  private mutating func overlong(_ window: Range<Int>) -> Step {
    if let waiting = waiting() { return .item(waiting) }
    guard isRecording || buffer[start] == UInt8(ascii: "#") else { return deliver(window, to: window.upperBound) }
    isCut = false
    skipping = .line(0)
    return .again
  }

  private mutating func read(comment line: Range<Int>) -> Step {
    let comment = buffer.withUnsafeBufferPointer { buffer in
      RecordingComment(buffer[line], inRecording: isRecording, inHeader: header != nil)
    }
    switch comment {
    case .other:
      consume(to: line.upperBound)
      return .again
    case .field(let field):
      consume(to: line.upperBound)
      if header?.fields.count ?? .max < RecordingHeader.maximumFields { header?.fields.append(field) }
      return .again
    case .bytes(let bytes):
      if burst.count + bytes.count > Self.maximumBurst, let waiting = waiting() { return .item(waiting) }
      burst.append(contentsOf: bytes)
      consume(to: line.upperBound)
      return .again
    case .cut:
      consume(to: line.upperBound)
      isCut = true
      return .again
    case .mark, .stamp, .event, .damage:
      if let waiting = waiting() { return .item(waiting) }
    }
    consume(to: line.upperBound)
    isCut = false
    switch comment {
    case .mark:
      isRecording = true
      header = RecordingHeader()
    case .stamp(let stamp):
      isRecording = true
      self.stamp = stamp
    case .event(let json): return .item(.event(RecordedEvent(stamp: stamp, json: json)))
    case .damage(let damage): return .item(.damage(damage))
    case .other, .field, .bytes, .cut: break
    }
    return .again
  }

  /// Goes on with a damaged place that may be longer than any piece.
  private mutating func skip(_ what: Skipping) -> Step {
    switch what {
    case .nuls(let count):
      let rest = buffer.withUnsafeBufferPointer { $0[start...].firstIndex { $0 != 0 } }
      let end = rest ?? buffer.count
      let total = count + end - start
      consume(to: end)
      skipping = rest == nil ? .nuls(total) : nil
      return rest == nil ? .starved : .item(.damage(.nulRun(bytes: total)))
    case .line(let count):
      let line = nextLine()
      let end = line?.upperBound ?? buffer.count
      let total = count + end - start
      consume(to: end)
      skipping = line == nil ? .line(total) : nil
      return line == nil ? .starved : .item(.damage(.overlongLine(bytes: total)))
    }
  }

  /// What is left when the file has ended.
  private mutating func finish() -> RecordingItem? {
    if let waiting = waiting() { return waiting }
    switch skipping {
    case .nuls(let count):
      skipping = nil
      return .damage(.nulRun(bytes: count))
    case .line(let count):
      skipping = nil
      return .damage(.overlongLine(bytes: count))
    case nil: break
    }
    let rest = start..<buffer.count
    guard !rest.isEmpty else { return nil }
    consume(to: buffer.count)
    if isRecording { return .damage(.tornTail(bytes: rest.count)) }
    guard buffer[rest.lowerBound] != UInt8(ascii: "#") else { return nil }
    return .burst(RecordedBurst(stamp: nil, bytes: Array(buffer[rest])))
  }

  /// Whether all bytes are printable ASCII, eight at a time: a recording of a long ride has millions of lines.
  private static func isPrintable(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let high: UInt64 = 0x8080_8080_8080_8080
    var index = 0
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // No byte from 0x80 on, none below 0x20, none of 0x7F.
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

  /// Whether a line is printable but for its end.
  private static func isText(_ line: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool {
    var end = line.endIndex - 1
    if end > line.startIndex && line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return isPrintable(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: line[..<end])))
  }
}

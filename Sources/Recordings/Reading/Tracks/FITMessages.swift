/// A reader of the messages of a FIT file, or of several that are joined, fed in pieces of any size. Pure; it holds one
/// message, which has at most 130,051 bytes. A message whose definition is missing has no known length: the rest of its
/// file is skipped. A file without the size of its messages, as a device leaves it whose battery is empty, is read to
/// its end.
struct FITMessages: Sendable {
  enum Item: Hashable, Sendable {
    case message(FITMessage)
    case damage(RecordingDamage)
  }

  static let shortestHeader = 12
  /// Sizes of headers: 12 or 14 as of today.
  static let headerSizes: ClosedRange<UInt8> = 12...31
  static let signature = Array(".FIT".utf8)

  private enum State {
    case header
    case messages
    case checksum
    /// Bytes after a message that cannot be read.
    case skipping
    case over
  }

  private static let localTypes = 16

  private var buffer: [UInt8] = []
  private var start = 0
  private(set) var isEnded = false
  private var state = State.header
  private var definitions: [FITDefinition?] = Array(repeating: nil, count: localTypes)
  /// Bytes of messages that follow; `nil` if the header does not state them.
  private var rest: Int?
  private var skipped = 0
  private var checksum: UInt16 = 0
  private var time: UInt32?

  var buffered: Int { buffer.count - start }

  /// Adds the next bytes of the file; to be called when ``next()`` has returned `nil`.
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    buffer.removeFirst(start)
    start = 0
    if state != .over { buffer.append(contentsOf: bytes) }
  }

  mutating func end() { isEnded = true }

  /// The next message; `nil` when more bytes are needed, or at the end.
  mutating func next() -> Item? {
    while true {
      let step =
        switch state {
        case .header: header()
        case .messages: message()
        case .skipping: skip()
        case .checksum: sum()
        case .over: Step.starved
        }
      switch step {
      case .item(let item): return item
      case .again: continue
      case .starved: return isEnded ? finish() : nil
      }
    }
  }

  private typealias Step = DecodingStep<Item>

  /// The end of the file: within a message, or before the checksum.
  private mutating func finish() -> Item? {
    let isWhole = state == .over || state == .header && buffered == 0
    let count = buffered + skipped
    state = .over
    start = buffer.count
    return isWhole ? nil : .damage(.tornTail(bytes: count))
  }

  private mutating func header() -> Step {
    guard buffered >= Self.shortestHeader else { return .starved }
    let size = Int(buffer[start])
    (checksum, time, skipped, rest) = (0, nil, 0, nil)
    guard Self.headerSizes.contains(buffer[start]), buffer[(start + 8)...].starts(with: Self.signature) else {
      return go(to: .skipping)
    }
    guard buffered >= size else { return .starved }
    let count = (4..<8).reversed().reduce(0) { $0 << 8 | Int(buffer[start + $1]) }
    consume(size)
    rest = count == 0 ? nil : count
    definitions = Array(repeating: nil, count: Self.localTypes)
    return go(to: .messages)
  }

  private mutating func go(to state: State) -> Step {
    self.state = state
    return .again
  }

  private mutating func message() -> Step {
    if rest == 0 { return go(to: .checksum) }
    guard buffered > 0 else { return .starved }
    let head = buffer[start]
    if head & 0xC0 == 0x40 { return define(head) }
    let isCompressed = head & 0x80 != 0
    guard let definition = definitions[Int(isCompressed ? head >> 5 & 3 : head & 15)], hasRoom(1 + definition.size)
    else { return go(to: .skipping) }
    guard buffered > definition.size else { return .starved }
    var message = FITMessage(definition, bytes: buffer[(start + 1)...].prefix(definition.size))
    consume(1 + definition.size)
    if isCompressed, let time {
      let offset = UInt32(head & 31)
      message.seconds = time &- (time & 31) &+ offset &+ (offset < time & 31 ? 32 : 0)
    }
    time = message.seconds ?? time
    return .item(.message(message))
  }

  /// Reads a definition: a reserved byte, byte order, number of the message, fields of three bytes; developers' fields.
  private mutating func define(_ head: UInt8) -> Step {
    let hasDeveloperFields = head & 0x20 != 0
    guard buffered >= 6 else { return .starved }
    var size = 6 + 3 * Int(buffer[start + 5])
    let fields = stride(from: start + 6, to: start + size, by: 3)
    var developerFields = stride(from: 0, to: 0, by: 3)
    if hasDeveloperFields {
      guard buffered > size else { return .starved }
      let first = start + size + 1
      size += 1 + 3 * Int(buffer[start + size])
      developerFields = stride(from: first, to: start + size, by: 3)
    }
    guard hasRoom(size) else { return go(to: .skipping) }
    guard buffered >= size else { return .starved }
    let isBigEndian = buffer[start + 2] != 0
    let number = (UInt16(buffer[start + 3]), UInt16(buffer[start + 4]))
    var definition = FITDefinition(
      number: isBigEndian ? number.0 << 8 | number.1 : number.1 << 8 | number.0, isBigEndian: isBigEndian)
    for place in fields { definition.add(buffer[place], size: Int(buffer[place + 1]), type: buffer[place + 2]) }
    for place in developerFields { definition.size += Int(buffer[place + 1]) }
    definitions[Int(head & 15)] = definition
    consume(size)
    return .again
  }

  private mutating func skip() -> Step {
    let count = min(rest ?? buffered, buffered)
    skipped += count
    consume(count)
    guard rest == 0 else { return .starved }
    state = .checksum
    return .item(.damage(.badMessage(bytes: skipped)))
  }

  private mutating func sum() -> Step {
    guard buffered >= 2 else { return .starved }
    let isRight = checksum == UInt16(buffer[start + 1]) << 8 | UInt16(buffer[start])
    start += 2
    skipped = 0
    state = .header
    return isRight ? .again : .item(.damage(.badChecksum))
  }

  private func hasRoom(_ count: Int) -> Bool { rest.map { $0 >= count } ?? true }

  private mutating func consume(_ count: Int) {
    checksum = FITChecksum.sum(of: buffer[start..<(start + count)], after: checksum)
    start += count
    if let rest { self.rest = rest - count }
  }
}

/// The checksum of FIT files, CRC-16 of polynomial 0xA001.
package enum FITChecksum {
  private static let sums: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xA001 }
  }

  package static func sum(of bytes: ArraySlice<UInt8>, after start: UInt16 = 0) -> UInt16 {
    sums.withUnsafeBufferPointer { sums in
      bytes.reduce(start) { sum, byte in sum >> 8 ^ sums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
    }
  }
}

/// Finds sentences in contiguous bytes. What it decides at a place depends only on the bytes from there on
/// and on its few flags, never on where the input was cut.
struct Framer {
  /// Room for what may be waiting for more: one line, TAG block or binary frame, of which the latter is the longest,
  /// and for reading behind it.
  typealias Carry = [1048 of UInt8]
  /// Most bytes that may be waiting.
  static let carryBound = 1032
  /// Bytes appended at once to what is waiting.
  static let carryStep = 256

  /// A stretch of the stream.
  struct Input {
    /// The bytes.
    let bytes: UnsafePointer<UInt8>
    /// How many there are.
    let count: Int
    /// How many bytes may be read, whatever they say.
    let readable: Int
    /// Where to stop taking up anything new.
    let until: Int
    /// Whether nothing follows.
    let isLast: Bool
    /// Place of the first byte in the input of the current call; negative for what was waiting.
    let origin: Int
  }

  var counters = NMEACounters()
  let policy: ChecksumPolicy
  var checksumSeen = false
  private var atLineStart = true
  private var inComment = false

  init(policy: ChecksumPolicy) {
    self.policy = policy
  }

  /// Back to the start of a stream; counters stay.
  mutating func restart() {
    checksumSeen = false
    atLineStart = true
    inComment = false
  }

  /// Takes what can be decided, and returns how many bytes that was. The rest begins something whose end is
  /// not there yet.
  mutating func consume(
    _ input: Input, _ workspace: Workspace, _ body: (borrowing NMEAEvent) -> Void
  ) -> Int {
    var at = 0
    while at < input.until {
      let byte = input.bytes[at]
      if byte == 0x0A || byte == 0x0D {
        atLineStart = true
        inComment = false
        at &+= 1
        continue
      }
      if inComment {
        at &+= 1
        continue
      }
      let wasAtLineStart = atLineStart
      atLineStart = false
      switch byte {
      case 0x24, 0x21:
        guard let length = line(input, at, workspace, body) else {
          atLineStart = wasAtLineStart
          return at
        }
        at &+= length
      case 0x23 where wasAtLineStart:
        inComment = true
        at &+= 1
      case 0x5C:
        guard let length = tagBlock(input, at) else {
          atLineStart = wasAtLineStart
          return at
        }
        at &+= length
      case 0xB5, 0xD3, 0xBA:
        guard let length = binaryFrame(input, at) else {
          atLineStart = wasAtLineStart
          return at
        }
        at &+= length
      default:
        counters.noise &+= 1
        at &+= 1
      }
    }
    return at
  }

  private mutating func tagBlock(_ input: Input, _ at: Int) -> Int? {
    switch TagBlock.scan(input.bytes + at, count: input.count &- at) {
    case .whole(let length):
      counters.tagBlocks &+= 1
      return length
    case .bad(let length):
      counters.badTagBlocks &+= 1
      return length
    case .open:
      guard input.isLast else { return nil }
      counters.badTagBlocks &+= 1
      return input.count &- at
    }
  }

  private mutating func binaryFrame(_ input: Input, _ at: Int) -> Int? {
    switch BinaryFrame.scan(input.bytes + at, count: input.count &- at) {
    case .whole(let length):
      counters.binaryFrames &+= 1
      return length
    case .open where !input.isLast:
      return nil
    case .none, .open:
      counters.noise &+= 1
      return 1
    }
  }
}

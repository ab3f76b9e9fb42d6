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

extension Framer {
  /// Takes the line that begins at `at`; `nil` when its end is not there yet.
  mutating func line(
    _ input: Input, _ at: Int, _ workspace: Workspace, _ body: (borrowing NMEAEvent) -> Void
  ) -> Int? {
    let base = input.bytes + at
    let available = input.count &- at
    let scan = LineScan.scan(base, count: available, workspace.map)
    var line = Line(base: base, commas: scan.commas, length: scan.length, origin: input.origin &+ at)
    switch scan.end {
    case .star:
      line.length = scan.length &+ 1
      guard line.length < available else { break }
      guard let high = Hexadecimal.value(base[line.length]) else {
        reject(.badChecksumFormat, line, workspace, body)
        return line.length
      }
      line.length &+= 1
      guard line.length < available else { break }
      guard let low = Hexadecimal.value(base[line.length]) else {
        reject(.badChecksumFormat, line, workspace, body)
        return line.length
      }
      line.length &+= 1
      let found = high << 4 | low
      if found == scan.checksum {
        checksumSeen = true
        accept(line, input.readable &- at, workspace, body)
      } else {
        reject(.checksum(expected: scan.checksum, found: found), line, workspace, body)
      }
      return line.length
    case .lineEnd where scan.length > 1:
      if policy == .accept || (policy == .prefer && !checksumSeen) {
        accept(line, input.readable &- at, workspace, body)
      } else {
        reject(.noChecksum, line, workspace, body)
      }
      return scan.length
    case .restart where scan.length > 1:
      reject(.truncated, line, workspace, body)
      return scan.length
    case .notASCII where scan.length > 1:
      line.length &+= 1
      reject(.notASCII, line, workspace, body)
      return scan.length
    case .overlong:
      reject(.overlong, line, workspace, body)
      return scan.length
    case .lineEnd, .restart, .notASCII:
      // A lone `$`: receivers double it, and binary data is full of them.
      counters.noise &+= 1
      return 1
    case .open:
      break
    }
    guard input.isLast else { return nil }
    line.length = available
    reject(.truncated, line, workspace, body)
    return available
  }

  /// A line that has been found.
  private struct Line {
    let base: UnsafePointer<UInt8>
    let commas: Int
    /// How many bytes of it count.
    var length: Int
    /// Place of its first byte in the input of the current call.
    let origin: Int

    var offset: Int { origin &+ length }
  }

  @inline(__always)
  private mutating func accept(
    _ line: Line, _ readable: Int, _ workspace: Workspace, _ body: (borrowing NMEAEvent) -> Void
  ) {
    let isSpacious = readable >= line.length &+ Workspace.slack
    let base = isSpacious ? line.base : workspace.copy(line.base, count: line.length)
    let fields = SentenceFields(
      base: base, map: workspace.map, count: line.commas)
    let address = SentenceAddress(fields)
    switch base[0] == 0x21 ? .encapsulated : workspace.decode(address.type, fields) {
    case .decoded:
      counters.sentences &+= 1
      let problems = workspace.map.problems
      if !problems.isEmpty {
        counters.malformedFields &+= UInt64(truncatingIfNeeded: problems.rawValue.nonzeroBitCount)
      }
    case .unknown:
      counters.sentences &+= 1
      counters.unknown &+= 1
      workspace.payload.initialize(to: .sentence(.unknown))
    case .encapsulated:
      counters.sentences &+= 1
      counters.encapsulated &+= 1
      workspace.payload.initialize(to: .sentence(.encapsulated))
    case .tooFewFields:
      counters.fieldCount &+= 1
      workspace.payload.initialize(to: .rejected(.fieldCount))
    }
    body(
      NMEAEvent(
        storage: UnsafePointer(workspace.payload), talker: address.talker, type: address.type,
        raw: UnsafeRawBufferPointer(start: base, count: line.length), fields: fields, offset: line.offset))
  }

  @inline(never)
  private mutating func reject(
    _ reason: SentenceRejection, _ line: Line, _ workspace: Workspace, _ body: (borrowing NMEAEvent) -> Void
  ) {
    counters.count(reason)
    workspace.payload.initialize(to: .rejected(reason))
    body(
      NMEAEvent(
        storage: UnsafePointer(workspace.payload), talker: Talker(code: 0), type: .none,
        raw: UnsafeRawBufferPointer(start: line.base, count: line.length),
        fields: SentenceFields(base: line.base, map: workspace.map, count: 0), offset: line.offset))
  }
}

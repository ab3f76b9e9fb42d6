/// Framer of sentences in contiguous bytes. Its decisions depend only on its flags and on the bytes from a position on,
/// never on how the input is split.
struct Framer {
  /// Buffer for an incomplete line, TAG block or binary frame (the longest), with slack for reading beyond its end.
  typealias Carry = [1048 of UInt8]
  /// Maximum number of buffered bytes.
  static let carryBound = 1032
  /// Number of bytes appended to the buffer at a time.
  static let carryStep = 256

  /// A section of the stream.
  struct Input {
    let bytes: UnsafePointer<UInt8>
    /// Number of bytes.
    let count: Int
    /// Number of bytes that are safe to read.
    let readable: Int
    /// Position from which nothing new is begun.
    let until: Int
    /// Whether this is the end of the stream.
    let isLast: Bool
    /// Position of the first byte in the input of the current call; negative for buffered bytes.
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

  /// Resets to the start of a stream and keeps the counters.
  mutating func restart() {
    checksumSeen = false
    atLineStart = true
    inComment = false
  }

  /// Consumes everything that can be decided and returns the number of bytes. The rest is the start of something
  /// incomplete.
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
    case .complete(let length):
      counters.tagBlocks &+= 1
      return length
    case .malformed(let length):
      counters.badTagBlocks &+= 1
      return length
    case .incomplete:
      guard input.isLast else { return nil }
      counters.badTagBlocks &+= 1
      return input.count &- at
    }
  }

  private mutating func binaryFrame(_ input: Input, _ at: Int) -> Int? {
    switch BinaryFrame.scan(input.bytes + at, count: input.count &- at) {
    case .complete(let length):
      counters.binaryFrames &+= 1
      return length
    case .incomplete where !input.isLast:
      return nil
    case .none, .incomplete:
      counters.noise &+= 1
      return 1
    }
  }
  /// Consumes the line at `at` and returns its length; `nil` when it is incomplete.
  private mutating func line(
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
      // A lone `$`: some receivers double it, and binary data contains many.
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

  /// A complete or rejected line.
  private struct Line {
    let base: UnsafePointer<UInt8>
    let commas: Int
    var length: Int
    /// Position of its first byte in the input of the current call.
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

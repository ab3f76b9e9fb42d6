/// Framer of sentences. Its decisions depend on its flags and the bytes ahead, never on how the input is split.
struct Framer {
  /// Buffer for an incomplete line, TAG block or binary frame (the longest), with slack for reading beyond its end.
  typealias Carry = [3096 of UInt8]
  static let carryBound = 3080
  /// Number of bytes appended to the buffer at a time.
  static let carryStep = 256

  struct Input {
    let bytes: UnsafePointer<UInt8>
    let count: Int
    /// Number of bytes that are safe to read.
    let readable: Int
    /// Position from which nothing new is begun.
    let until: Int
    let isLast: Bool
    /// Position of the first byte in the input of the current call; negative for buffered bytes.
    let origin: Int
  }

  var counters = NMEACounters()
  let policy: ChecksumPolicy
  private let reportsCASIC: Bool
  var checksumSeen = false
  private var atLineStart = true
  private var inComment = false
  /// Position in the stream before which RTCM 3 is not looked for. A `D3` that begins no frame costs the sum of up to
  /// 1,029 bytes; after that, as many bytes as an eighth of them pass as noise.
  private var rtcmFrom: UInt64 = 0

  init(policy: ChecksumPolicy, reportsCASIC: Bool) { (self.policy, self.reportsCASIC) = (policy, reportsCASIC) }

  /// Resets to the start of a stream and keeps the counters.
  mutating func restart() {
    checksumSeen = false
    atLineStart = true
    inComment = false
  }

  /// Moves the rest to the start of the buffer. Returns the bytes consumed; nothing new is begun from `until` on.
  mutating func consume(
    _ carry: inout Carry, _ count: Int, until: Int, isLast: Bool = false, origin: Int, _ workspace: Workspace,
    _ body: (borrowing NMEAEvent) -> Void
  ) -> Int {
    withUnsafeMutableBytes(of: &carry) { buffer in
      guard let bytes = buffer.assumingMemoryBound(to: UInt8.self).baseAddress else { return 0 }
      let input = Input(
        bytes: UnsafePointer(bytes), count: count, readable: Self.carryBound + Workspace.slack, until: until,
        isLast: isLast, origin: origin)
      let used = consume(input, workspace, body)
      if used < until { bytes.update(from: bytes + used, count: count - used) }
      return used
    }
  }

  /// The position of the first whole UBX frame or sentence after the first of `count` buffered bytes.
  func message(within carry: inout Carry, _ count: Int, _ workspace: Workspace) -> Int? {
    withUnsafeBytes(of: &carry) { buffer in
      guard let bytes = buffer.assumingMemoryBound(to: UInt8.self).baseAddress else { return nil }
      return (1..<count).first { begin in
        let base = bytes + begin
        switch base[0] {
        case 0xB5:
          if case .complete = BinaryFrame.scan(base, count: count - begin) { return true }
        case 0x24:
          let scan = LineScan.scan(base, count: count - begin, workspace.map)
          return scan.end == .star && scan.length + 2 < count - begin
            && Hexadecimal.byte(base[scan.length + 1], base[scan.length + 2]) == scan.checksum
        default: break
        }
        return false
      }
    }
  }

  /// Consumes everything that can be decided and returns the number of bytes. The rest begins something incomplete.
  mutating func consume(_ input: Input, _ workspace: Workspace, _ body: (borrowing NMEAEvent) -> Void) -> Int {
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
        // Any other byte is one of binary data, in which the mark was no comment's.
        inComment = byte == 0x09 || 0x20...0x7E ~= byte
        if inComment {
          at &+= 1
          continue
        }
      }
      let wasAtLineStart = atLineStart
      atLineStart = false
      let used: Int?
      switch byte {
      case 0x24, 0x21: used = line(input, at, workspace, body)
      case 0x23 where wasAtLineStart:
        inComment = true
        used = 1
      case 0x5C: used = tagBlock(input, at)
      case _ where BinaryFrame.mayBegin(byte): used = binaryFrame(input, at, workspace, body)
      default:
        counters.noise &+= 1
        used = 1
      }
      guard let length = used else {
        atLineStart = wasAtLineStart
        return at
      }
      at &+= length
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

  private mutating func binaryFrame(
    _ input: Input, _ at: Int, _ workspace: Workspace, _ body: (borrowing NMEAEvent) -> Void
  ) -> Int? {
    let base = input.bytes + at
    let position = counters.bytes &+ UInt64(truncatingIfNeeded: input.origin &+ at)
    let isRTCM = base[0] == 0xD3
    switch isRTCM && position < rtcmFrom ? .none : BinaryFrame.scan(base, count: input.count &- at) {
    case .complete(let length):
      counters.binaryFrames &+= 1
      if base[0] == 0xB5 {
        counters.ubxFrames &+= 1
        workspace.payload.initialize(to: .ubx)
      } else if base[0] == 0xBA, reportsCASIC {
        workspace.payload.initialize(to: .casic)
      } else {
        return length
      }
      body(NMEAEvent(bare: workspace, base, length: length, offset: input.origin &+ at &+ length))
      return length
    case .incomplete where !input.isLast:
      return nil
    case .none, .incomplete:
      if isRTCM, position >= rtcmFrom, input.count &- at >= 3 {
        rtcmFrom = position &+ UInt64(BinaryFrame.rtcmLength(base) ?? 0) / 8
      }
      counters.noise &+= 1
      return 1
    }
  }

  /// Consumes the line at `at` and returns its length; `nil` when it is incomplete.
  private mutating func line(
    _ input: Input, _ at: Int, _ workspace: Workspace, _ body: (borrowing NMEAEvent) -> Void
  ) -> Int? {
    let line = input.bytes + at
    let scan = LineScan.scan(line, count: input.count &- at, workspace.map)
    let length: Int
    switch verdict(on: scan, of: line, count: input.count &- at) {
    case .sentence(let end): length = end
    case .rejected(let reason, let end, let used):
      reject(reason, line, end, origin: input.origin &+ at, workspace, body)
      return used
    case .noise:
      // A lone `$`: some receivers double it, and binary data contains many.
      counters.noise &+= 1
      return 1
    case .incomplete:
      guard input.isLast else { return nil }
      reject(.truncated, line, input.count &- at, origin: input.origin &+ at, workspace, body)
      return input.count &- at
    }
    let isSpacious = input.readable &- at >= length &+ Workspace.slack
    let base = isSpacious ? line : workspace.copy(line, count: length)
    let fields = SentenceFields(base: base, map: workspace.map, count: scan.commas)
    let address = SentenceAddress(fields)
    let isEncapsulated = base[0] == 0x21
    switch isEncapsulated ? .unknown : fields.decode(address.type, into: workspace.payload) {
    case .decoded:
      counters.sentences &+= 1
      let problems = workspace.map.problems
      if !problems.isEmpty {
        counters.malformedFields &+= UInt64(truncatingIfNeeded: problems.rawValue.nonzeroBitCount)
      }
    case .unknown:
      counters.sentences &+= 1
      if !isEncapsulated { counters.unknown &+= 1 }
      workspace.payload.initialize(to: .sentence(.unknown))
    case .tooFewFields:
      counters.fieldCount &+= 1
      workspace.payload.initialize(to: .rejected(.fieldCount))
    }
    body(
      NMEAEvent(
        storage: UnsafePointer(workspace.payload), talker: address.talker, type: address.type,
        raw: UnsafeRawBufferPointer(start: base, count: length), fields: fields,
        offset: input.origin &+ at &+ length))
    return length
  }

  private enum Verdict {
    case sentence(length: Int)
    /// Report the line, of this length, and continue after `used` of its bytes.
    case rejected(SentenceRejection, length: Int, used: Int)
    case noise
    case incomplete
  }

  @inline(__always)
  private mutating func verdict(on scan: LineScan, of line: UnsafePointer<UInt8>, count: Int) -> Verdict {
    switch scan.end {
    case .star:
      let digits = scan.length &+ 1
      guard digits < count else { return .incomplete }
      guard let high = Hexadecimal.value(line[digits]) else {
        return .rejected(.badChecksumFormat, length: digits, used: digits)
      }
      guard digits &+ 1 < count else { return .incomplete }
      guard let low = Hexadecimal.value(line[digits &+ 1]) else {
        return .rejected(.badChecksumFormat, length: digits &+ 1, used: digits &+ 1)
      }
      let found = high << 4 | low
      // Unicore's answers, in small letters, have the `$` in their checksum.
      guard found == scan.checksum || found == scan.checksum ^ 0x24 && 0x61...0x7A ~= line[1] else {
        let reason = SentenceRejection.checksum(expected: scan.checksum, found: found)
        return .rejected(reason, length: digits &+ 2, used: digits &+ 2)
      }
      checksumSeen = true
      return .sentence(length: digits &+ 2)
    case .lineEnd where scan.length > 1:
      let isAccepted = policy == .accept || (policy == .prefer && !checksumSeen)
      return isAccepted
        ? .sentence(length: scan.length) : .rejected(.noChecksum, length: scan.length, used: scan.length)
    case .restart where scan.length > 1: return .rejected(.truncated, length: scan.length, used: scan.length)
    case .notASCII where scan.length > 1:
      return .rejected(.notASCII, length: scan.length &+ 1, used: scan.length)
    case .overlong: return .rejected(.overlong, length: scan.length, used: scan.length)
    case .lineEnd, .restart, .notASCII: return .noise
    case .open: return .incomplete
    }
  }

  @inline(never) private mutating func reject(
    _ reason: SentenceRejection, _ line: UnsafePointer<UInt8>, _ length: Int, origin: Int, _ workspace: Workspace,
    _ body: (borrowing NMEAEvent) -> Void
  ) {
    counters.count(reason)
    workspace.payload.initialize(to: .rejected(reason))
    body(NMEAEvent(bare: workspace, line, length: length, offset: origin &+ length))
  }
}

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

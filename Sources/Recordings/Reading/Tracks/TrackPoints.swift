import LocationCore

extension TrackFormat {
  /// The format of a file that begins with these bytes; `nil` if it is another one, or they are too few.
  package init?(head: ArraySlice<UInt8>) {
    let head = head.prefix(InputFormat.headSize)
    if head.count >= FITMessages.shortestHeader, FITMessages.headerSizes.contains(head[head.startIndex]),
      head.dropFirst(8).starts(with: FITMessages.signature)
    {
      self = .fit
      return
    }
    var rest = head.drop(while: Self.precedesXML)
    guard rest.first == UInt8(ascii: "<") else { return nil }
    while let bracket = rest.firstIndex(of: UInt8(ascii: "<")) {
      let name = rest[(bracket + 1)...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") }
      if name.endIndex < rest.endIndex {
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        let known = [Self.gpx: "gpx", .tcx: "TrainingCenterDatabase"].first { local.elementsEqual($0.value.utf8) }
        if let known {
          self = known.key
          return
        }
      }
      rest = rest[(bracket + 1)...]
    }
    return nil
  }

  /// Whether more bytes can show that a file which begins with these is of such a format.
  static func mayBegin(_ head: [UInt8]) -> Bool {
    if head.count < FITMessages.shortestHeader, head.first.map(FITMessages.headerSizes.contains) ?? true { return true }
    return head.first { !precedesXML($0) }.map { $0 == UInt8(ascii: "<") } ?? true
  }

  private static func precedesXML(_ byte: UInt8) -> Bool {
    byte == 0 || XMLTokens.isBlank(byte) || [0xEF, 0xBB, 0xBF].contains(byte)
  }
}

/// A reader of the points of a GPX, TCX or FIT file, fed in pieces of any size. Pure, in bounded memory.
package struct TrackPoints: Sendable {
  package enum Found: Hashable, Sendable {
    case point(TrackPoint.Kind, TrackPoint)
    case damage(RecordingDamage)
  }

  let format: TrackFormat
  private var tokens = XMLTokens()
  private var points: XMLPoints
  private var fit = FITMessages()
  private var isOver = false
  private var root: [UInt8]?
  private var hasEnd = false

  package init(_ format: TrackFormat) {
    self.format = format
    points = XMLPoints(format)
  }

  private static let course: UInt16 = 31
  private var fitTitle: String?
  package var title: String? { format == .fit ? fitTitle : points.title }
  package var isEnded: Bool { format == .fit ? fit.isEnded : tokens.isEnded }
  /// Whether the file has its end; a FIT file without one is reported as damaged instead.
  package var isComplete: Bool { format == .fit || hasEnd }

  /// Adds the next bytes of the file; to be called when ``next()`` has returned `nil`.
  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    if format == .fit { fit.feed(bytes) } else { tokens.feed(bytes) }
  }

  package mutating func end() {
    fit.end()
    tokens.end()
  }

  /// The next point, or damage that was skipped; `nil` when more bytes are needed, or at the end.
  package mutating func next() -> Found? {
    if format == .fit {
      while let item = fit.next() {
        switch item {
        case .damage(let damage): return .damage(damage)
        case .message(let message):
          if message.number == Self.course { fitTitle = fitTitle ?? message.text(5) }
          if let found = Found(message) { return found }
        }
      }
      return nil
    }
    while let token = tokens.next() {
      switch token {
      case .damage(let bytes): return .damage(tokens.isEnded ? .tornTail(bytes: bytes) : .overlongLine(bytes: bytes))
      case .start(let tag) where root == nil: (root, hasEnd) = (tag.name, tag.isEmpty)
      case .end(let tag): hasEnd = hasEnd || tag.name == root
      default: break
      }
      if let found = points.add(token) { return found }
    }
    guard tokens.isEnded, !isOver else { return nil }
    isOver = true
    return points.isOpen ? .damage(.badPoint) : nil
  }
}

import LocationCore

/// Notices that a network source sends bytes and never a sentence, and says so once for each connection.
struct NoNMEAWatch {
  /// Fewer bytes than these without a sentence are no sign of anything.
  static let tellingBytes: UInt64 = 1024

  private var start: (sentences: UInt64, bytes: UInt64)?
  private var isOver = false

  /// A connection was made, after so much.
  mutating func begin(_ received: (sentences: UInt64, bytes: UInt64)?) {
    start = received
    isOver = false
  }

  /// The bytes that came in vain, when that is worth telling now.
  mutating func bytesInVain(_ received: (sentences: UInt64, bytes: UInt64)?) -> Int? {
    guard !isOver, let start, let received else { return nil }
    if received.sentences != start.sentences {
      isOver = true
      return nil
    }
    let bytes = received.bytes &- start.bytes
    guard bytes >= Self.tellingBytes else { return nil }
    isOver = true
    return Int(clamping: bytes)
  }
}

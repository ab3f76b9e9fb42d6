/// What a key does to a replay.
enum ReplayKey: Hashable {
  case pause
  case back
  case forward
  case faster
  case slower
  case quit
}

/// Makes keys of a terminal's bytes, however they are split.
struct ReplayKeyReader {
  private enum State {
    case plain
    /// Behind ESC.
    case escape
    /// Behind ESC and `[` or `O`.
    case sequence
  }

  private var state = State.plain

  /// The keys that these bytes complete; what is no key is passed by.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [ReplayKey] {
    bytes.compactMap { take($0) }
  }

  private mutating func take(_ byte: UInt8) -> ReplayKey? {
    switch (state, byte) {
    case (_, 0x1B):
      state = .escape
      return nil
    case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")):
      state = .sequence
      return nil
    case (.sequence, UInt8(ascii: "0")...UInt8(ascii: "9")), (.sequence, UInt8(ascii: ";")): return nil
    case (.sequence, _):
      state = .plain
      switch byte {
      case UInt8(ascii: "C"): return .forward
      case UInt8(ascii: "D"): return .back
      default: return nil
      }
    case (.escape, _), (.plain, _):
      state = .plain
      switch byte {
      case UInt8(ascii: " "): return .pause
      case UInt8(ascii: "+"), UInt8(ascii: "="): return .faster
      case UInt8(ascii: "-"): return .slower
      case UInt8(ascii: "q"), UInt8(ascii: "Q"): return .quit
      default: return nil
      }
    }
  }
}

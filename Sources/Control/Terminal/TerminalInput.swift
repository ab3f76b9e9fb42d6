import Dispatch
import Glibc
import Libc
import SystemPackage

/// Keys, signals and ticks, read on a thread of their own.
struct TerminalInput: Sendable {
  enum Event: Sendable, Equatable {
    case key(TerminalKey)
    case signal(Int32)
    /// A tenth of a second without another event.
    case tick
  }

  private static let tick: Int32 = 100
  let hasKeys: Bool
  private let signals: CInt?

  init(hasKeys: Bool, signals: [Int32]) {
    self.hasKeys = hasKeys
    self.signals = SignalPipe.open(signals)
  }

  func start(_ onEvent: @escaping @Sendable (Event) -> Void) {
    DispatchQueue(label: "handlebarctl.input").async { read(onEvent) }
  }

  func nextSignal() async -> Int32 {
    let (signals, inbox) = AsyncStream.makeStream(of: Int32.self)
    start { if case .signal(let number) = $0 { inbox.yield(number) } }
    return await signals.first { _ in true } ?? SIGTERM
  }

  private func read(_ onEvent: (Event) -> Void) {
    var reader = TerminalKeyReader()
    var watched = [
      pollfd(fd: hasKeys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    var bytes = [UInt8](repeating: 0, count: 256)
    while true {
      let ready = poll(&watched, nfds_t(watched.count), Self.tick)
      if ready == 0 { onEvent(.tick) }
      guard ready > 0 else { continue }
      for index in watched.indices where watched[index].revents != 0 {
        let descriptor = FileDescriptor(rawValue: watched[index].fd)
        do {
          let count = try bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }
          if count == 0 { watched[index].fd = -1 }
          if index == 0 {
            for key in reader.decode(bytes[..<count]) { onEvent(.key(key)) }
          } else {
            for number in bytes[..<count] { onEvent(.signal(Int32(number))) }
          }
        } catch Errno.resourceTemporarilyUnavailable {
          continue
        } catch {
          watched[index].fd = -1
        }
      }
    }
  }
}

enum TerminalKey: Hashable, Sendable {
  case space, left, right, plus, minus, lap, quit
}

/// Decodes a terminal's bytes to keys, however they are split.
struct TerminalKeyReader {
  private enum State {
    case plain
    case escape
    /// After ESC and `[` or `O`.
    case sequence
  }

  private var state = State.plain

  /// The keys that these bytes complete; other bytes are ignored.
  mutating func decode(_ bytes: some Sequence<UInt8>) -> [TerminalKey] { bytes.compactMap { decode($0) } }

  private mutating func decode(_ byte: UInt8) -> TerminalKey? {
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
      return Self.arrows[byte]
    case (.escape, _), (.plain, _):
      state = .plain
      return Self.keys[byte]
    }
  }

  private static let arrows: [UInt8: TerminalKey] = [UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left]
  private static let keys: [UInt8: TerminalKey] = [
    UInt8(ascii: " "): .space, UInt8(ascii: "+"): .plus, UInt8(ascii: "="): .plus, UInt8(ascii: "-"): .minus,
    UInt8(ascii: "l"): .lap, UInt8(ascii: "q"): .quit, UInt8(ascii: "Q"): .quit,
  ]
}

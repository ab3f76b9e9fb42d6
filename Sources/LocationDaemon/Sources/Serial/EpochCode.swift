import LocationCore

/// The code that runs in every epoch: it stands together in the program, between two functions that only mark it
/// (`.make/order`).
///
/// A receiver speaks a few times a second, and in between the caches forget the code. Run, it would come back a line at
/// a time, each waited for; read ahead in one go, the lines come side by side.
struct EpochCode {
  /// How long a line is silent before the code counts as forgotten: within a burst it is there.
  static let silence = Duration.milliseconds(20)
  /// More than this was not put together for it: reading that ahead would cost more than it saves.
  private static let mostBytes = 256 << 10
  /// The step from one cache line to the next.
  private static let cacheLine = 64

  private let bytes: UnsafeRawBufferPointer?
  private var lastRun: MonotonicInstant?
  /// Made of one byte of each line, so that the reading is not optimized away.
  private(set) var sum: UInt8 = 0

  /// The code between `begin` and `end`; nothing where that is not a place the linker has put together.
  init(from begin: UnsafeRawPointer, to end: UnsafeRawPointer) {
    let count = end - begin
    bytes = (1...Self.mostBytes).contains(count) ? UnsafeRawBufferPointer(start: begin, count: count) : nil
  }

  /// The code of this program.
  init() {
    let begin: @convention(c) () -> CInt = epochCodeBegin
    let end: @convention(c) () -> CInt = epochCodeEnd
    self.init(from: unsafeBitCast(begin, to: UnsafeRawPointer.self), to: unsafeBitCast(end, to: UnsafeRawPointer.self))
  }

  /// Reads it ahead, if it has not run for a while.
  mutating func willRun(at instant: MonotonicInstant) {
    defer { lastRun = instant }
    guard let bytes, lastRun.map({ instant - $0 >= Self.silence }) ?? true else { return }
    for line in stride(from: 0, to: bytes.count, by: Self.cacheLine) { sum &+= bytes[line] }
  }
}

// Different bodies: functions that do the same may become one.
@c(handlebar_epoch_code_begin)
func epochCodeBegin() -> CInt { 1 }

@c(handlebar_epoch_code_end)
func epochCodeEnd() -> CInt { 2 }

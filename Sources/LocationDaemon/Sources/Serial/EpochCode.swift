import LocationCore

/// The code that runs in every epoch: it stands together in the program, between two functions that only mark it
/// (`.make/order`).
///
/// A receiver speaks a few times a second, and in between the caches forget the code. Run, it would come back a line at
/// a time, each waited for; read ahead in one go, the lines come side by side.
struct EpochCode {
  /// How long a line is silent before the code counts as forgotten: within a burst it is there.
  static let silence = Duration.milliseconds(20)
  /// Less was not put together: then the markers stand beside each other. More was not put together for this, and
  /// reading it ahead would cost more than it saves.
  static let sizes = 4 << 10...256 << 10
  /// From one line of a cache to the next.
  static let cacheLine = 64

  private let bytes: UnsafeRawBufferPointer?
  private var lastRun: MonotonicInstant?
  /// Made of what was read, so that the reading is not optimized away.
  private(set) var sum: UInt8 = 0

  /// The code from `begin` to `end`; none where the distance says that it was not put together.
  init(from begin: UnsafeRawPointer, to end: UnsafeRawPointer) {
    bytes = Self.sizes.contains(end - begin) ? UnsafeRawBufferPointer(start: begin, count: end - begin) : nil
  }

  /// The code of this program.
  init() {
    let begin: @convention(c) () -> CInt = epochCodeBegin
    let end: @convention(c) () -> CInt = epochCodeEnd
    self.init(from: unsafeBitCast(begin, to: UnsafeRawPointer.self), to: unsafeBitCast(end, to: UnsafeRawPointer.self))
  }

  /// Bytes that are read ahead; 0 where the linker has not put them together.
  var count: Int { bytes?.count ?? 0 }

  /// Reads it ahead, if it has not run for a while: the first byte, one in each line, the last.
  mutating func willRun(at instant: MonotonicInstant) {
    defer { lastRun = instant }
    guard let bytes, lastRun.map({ instant - $0 >= Self.silence }) ?? true else { return }
    for line in stride(from: 0, to: bytes.count, by: Self.cacheLine) { sum &+= bytes[line] }
    // The first byte need not begin a line; the last may then lie in one more.
    sum &+= bytes[bytes.count - 1]
  }
}

/// Stands in front of the code of an epoch. Its body differs from the other marker's: the same would be put together.
@c(handlebar_epoch_code_begin)
func epochCodeBegin() -> CInt { 1 }

/// Stands behind the code of an epoch.
@c(handlebar_epoch_code_end)
func epochCodeEnd() -> CInt { 2 }

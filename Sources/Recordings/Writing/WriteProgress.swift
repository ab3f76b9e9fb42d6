import Glibc

/// How far one record has been written: decides what the result of a `write` call leads to.
struct WriteProgress {
  /// What is to be done next.
  enum Step: Equatable {
    /// Write the rest, from this offset on.
    case write(from: Int)
    case done
    case failed(Int32)
  }

  /// Bytes to be written.
  let total: Int
  /// Bytes that were written.
  private(set) var written = 0

  init(total: Int) {
    self.total = total
  }

  /// Where to begin, or that there is nothing to write.
  var next: Step { written < total ? .write(from: written) : .done }

  /// Takes what `write` returned and, if that was −1, its `errno`. A write of nothing is a failure: repeating
  /// it could go on for ever.
  mutating func take(result: Int, code: Int32) -> Step {
    if result < 0 { return code == EINTR ? next : .failed(code) }
    guard result > 0, result <= total - written else { return .failed(EIO) }
    written += result
    return next
  }
}

/// A system call on a serial line that failed.
struct SerialFailure: Error, Hashable {
  /// What was tried.
  enum Operation: String {
    case open
    case lock
    case configure
    case read
  }

  let operation: Operation
  /// The `errno`.
  let code: Int32
}

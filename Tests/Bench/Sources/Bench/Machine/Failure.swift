import Glibc

/// Why nothing could be measured.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// A system call that failed, with its `errno`.
  init(_ operation: String, code: Int32 = errno) {
    description = "\(operation): \(String(cString: strerror(code)))"
  }
}

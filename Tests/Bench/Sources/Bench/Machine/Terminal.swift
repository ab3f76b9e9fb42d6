import CBench
import Glibc

/// A pseudo-terminal in the place of a receiver's line: what is written here is read at `path`.
final class Terminal {
  /// The master.
  let descriptor: Int32
  /// The slave's path.
  let path: String

  init() throws {
    var name = [CChar](repeating: 0, count: 128)
    descriptor = terminal_open(&name, name.count)
    guard descriptor >= 0 else { throw Failure("pseudo-terminal", code: -descriptor) }
    path = name.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  deinit { close(descriptor) }

  /// Writes all of it; waits for the reader when the line is full.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while let start = rest.baseAddress, rest.count > 0 {
      let count = Glibc.write(descriptor, start, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure("write to the pseudo-terminal")
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }
}

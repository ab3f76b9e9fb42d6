import CBench
import Glibc

/// A pseudo-terminal in the place of a receiver's line: what is written here is read at `path`.
final class Terminal {
  /// The master.
  private var descriptor: Int32
  /// The slave's path, or that of a stable link to it.
  let path: String

  init() throws {
    (descriptor, path) = try Self.open()
  }

  /// A line behind a link, as udev makes one, so that a receiver can come back as another device.
  init(link: String) throws {
    path = link
    let slave: String
    (descriptor, slave) = try Self.open()
    guard symlink(slave, link) == 0 else { throw Failure(link) }
  }

  /// No line yet, behind a link that will be there once it is plugged in.
  init(unpluggedFrom link: String) {
    path = link
    descriptor = -1
  }

  deinit { close(descriptor) }

  /// The receiver is unplugged: the line hangs up, and the link is gone.
  func unplug() {
    unlink(path)
    close(descriptor)
    descriptor = -1
  }

  /// The receiver is plugged in again, as another device behind the same link.
  func plug() throws {
    let slave: String
    (descriptor, slave) = try Self.open()
    guard symlink(slave, path) == 0 else { throw Failure(path) }
  }

  private static func open() throws -> (descriptor: Int32, path: String) {
    var name = [CChar](repeating: 0, count: 128)
    let descriptor = terminal_open(&name, name.count)
    guard descriptor >= 0 else { throw Failure("pseudo-terminal", code: -descriptor) }
    let path = name.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return (descriptor, path)
  }

  /// Writes it as a receiver does, which waits for nobody: what a full line does not take is lost.
  func send(_ bytes: UnsafeRawBufferPointer) throws {
    _ = fcntl(descriptor, F_SETFL, O_RDWR | O_NONBLOCK)
    defer { _ = fcntl(descriptor, F_SETFL, O_RDWR) }
    guard Glibc.write(descriptor, bytes.baseAddress, bytes.count) >= 0 || errno == EAGAIN else {
      throw Failure("write to the pseudo-terminal")
    }
  }

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

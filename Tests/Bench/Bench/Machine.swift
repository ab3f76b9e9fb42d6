import CBench
import Glibc

/// A pseudo-terminal in place of a receiver: bytes written here are read at `path`.
final class Terminal {
  /// The master.
  private var descriptor: Int32
  /// The slave's path, or that of a stable link to it.
  let path: String

  init() throws {
    (descriptor, path) = try Self.open()
  }

  /// A terminal behind a link, as udev makes one, so that a receiver can return as another device.
  init(link: String) throws {
    path = link
    let slave: String
    (descriptor, slave) = try Self.open()
    guard symlink(slave, link) == 0 else { throw Failure(link) }
  }

  /// No terminal yet, behind a link that `plug()` makes.
  init(unpluggedFrom link: String) {
    path = link
    descriptor = -1
  }

  deinit { close(descriptor) }

  /// Unplugs the receiver: hangs up and removes the link.
  func unplug() {
    unlink(path)
    close(descriptor)
    descriptor = -1
  }

  /// Plugs the receiver in again, as another device behind the same link.
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

  /// Writes without waiting, as a receiver does: bytes that find no room are lost.
  func send(_ bytes: UnsafeRawBufferPointer) throws {
    _ = fcntl(descriptor, F_SETFL, O_RDWR | O_NONBLOCK)
    defer { _ = fcntl(descriptor, F_SETFL, O_RDWR) }
    guard Glibc.write(descriptor, bytes.baseAddress, bytes.count) >= 0 || errno == EAGAIN else {
      throw Failure("write to the pseudo-terminal")
    }
  }

  /// Writes all of it; waits for the reader when the terminal's buffer is full.
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

/// Descriptors to wait for, each with a tag.
final class Poller {
  private let descriptor: Int32
  private var tags = [UInt32](repeating: 0, count: 512)

  init() throws {
    descriptor = poller_create()
    guard descriptor >= 0 else { throw Failure("epoll_create1", code: -descriptor) }
  }

  deinit { close(descriptor) }

  /// Adds a descriptor until it is closed.
  func add(_ descriptor: Int32, tag: Int) throws {
    let result = poller_add(self.descriptor, descriptor, UInt32(tag))
    guard result >= 0 else { throw Failure("epoll_ctl", code: -result) }
  }

  /// Waits until a descriptor is readable or `deadline` has passed; calls `body` with each readable one's tag.
  func wait(until deadline: Int64, _ body: (Int) throws -> Void) throws {
    let count = poller_wait(descriptor, &tags, Int32(tags.count), deadline == .max ? .max : deadline - Clock.now)
    guard count >= 0 else { throw Failure("epoll_pwait2", code: -count) }
    for index in 0..<Int(count) { try body(Int(tags[index])) }
  }
}

/// The machine's clocks, in nanoseconds.
enum Clock {
  /// Monotonic time.
  static var now: Int64 { read(CLOCK_MONOTONIC) }

  /// CPU time of the calling thread.
  static var thread: Int64 { read(CLOCK_THREAD_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

/// A temporary folder, removed with its owner.
final class Scratch {
  let path: String

  init() throws {
    var template = Array("/tmp/handlebar-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure("mkdtemp") }
    path = template.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    // A daemon that drops its privileges must still reach the files.
    chmod(path, 0o755)
  }

  deinit { folder_remove(path) }

  /// The path of a file or a folder in it, which is removed with it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file in it and returns its path.
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = file(name)
    guard let stream = fopen(file, "we") else { throw Failure(file) }
    defer { fclose(stream) }
    guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw Failure(file) }
    return file
  }

  /// The content of a file.
  static func bytes(of path: String) throws -> [UInt8] {
    guard let stream = fopen(path, "re") else { throw Failure(path) }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&piece, 1, piece.count, stream), count > 0 { bytes += piece[..<count] }
    return bytes
  }

  static func text(of path: String) throws -> String { String(decoding: try bytes(of: path), as: UTF8.self) }
}

/// Why a part could not be measured.
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

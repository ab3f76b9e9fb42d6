import Glibc

/// A temporary directory with a path short enough for a Unix socket, removed with the object.
final class ScratchDirectory {
  let path: String

  init(below parent: String = "/tmp") throws {
    var template = Array("\(parent)/handlebar-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    for name in names(in: path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    rmdir(path)
  }

  static func / (directory: ScratchDirectory, name: String) -> String { "\(directory.path)/\(name)" }

  /// Names of its files.
  var names: [String] { Self.names(in: path) }

  private static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Writes or overwrites a file.
  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  /// Writes a file, in place of an older one or over its beginning.
  func write(_ bytes: [UInt8], to name: String, truncates: Bool = true) throws {
    let descriptor = open(self / name, O_WRONLY | O_CREAT | (truncates ? O_TRUNC : 0) | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemFailure("open") }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw SystemFailure("write") }
  }

  /// The content of a file; empty if it does not exist.
  func read(_ name: String) -> String {
    let descriptor = open(self / name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = Glibc.read(descriptor, &chunk, chunk.count), count > 0 { text += chunk[..<count] }
    return String(decoding: text, as: UTF8.self)
  }

  /// Creates or replaces a link atomically, as udev does.
  func link(_ name: String, to target: String) throws {
    guard symlink(target, self / "\(name).new") == 0, rename(self / "\(name).new", self / name) == 0 else {
      throw SystemFailure("symlink")
    }
  }
}

/// A failed system call of a test.
struct SystemFailure: Error, CustomStringConvertible {
  let description: String

  init(_ operation: String, code: Int32 = errno) {
    description = "\(operation): \(String(cString: strerror(code)))"
  }
}

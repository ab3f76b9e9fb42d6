import Glibc

/// A folder of this run's own; it goes with its owner.
final class Scratch {
  let path: String
  private var names: [String] = []

  init() throws {
    var template = Array("/tmp/handlebar-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure("mkdtemp") }
    path = template.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    // A daemon that gives up its privileges must still reach what lies here.
    chmod(path, 0o755)
  }

  deinit {
    for name in names { unlink(name) }
    rmdir(path)
  }

  /// The path of a file in it.
  func file(_ name: String) -> String {
    let file = "\(path)/\(name)"
    if !names.contains(file) { names.append(file) }
    return file
  }

  /// Writes a file in it and tells its path.
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = file(name)
    guard let stream = fopen(file, "we") else { throw Failure(file) }
    defer { fclose(stream) }
    guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw Failure(file) }
    return file
  }
}

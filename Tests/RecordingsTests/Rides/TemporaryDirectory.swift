import Glibc

/// A temporary directory, removed with its files at the end.
struct TemporaryDirectory: ~Copyable {
  let path: String

  init() {
    var template = Array("/tmp/handlebar-test-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nonexistent"
    }
  }

  deinit {
    for file in files { unlink(path + "/" + file) }
    rmdir(path)
  }

  var files: [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var files: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { files.append(name) }
    }
    return files.sorted()
  }

  /// The files without indexes.
  var rides: [String] { files.filter { !$0.hasSuffix(".figures") } }

  func write(_ bytes: [UInt8], to file: String) {
    let descriptor = open(path + "/" + file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  func read(_ file: String) -> [UInt8] {
    let descriptor = open(path + "/" + file, O_RDONLY)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return bytes }
      bytes += piece[..<count]
    }
  }
}

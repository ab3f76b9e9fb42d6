import Glibc

extension Bench {
  /// What the programs take on the disk, the Swift runtime in them.
  func sizes() throws -> [Figure] {
    try ["handlebard", "handlebarctl"].map { name in
      var size = Figure("size of \(name), stripped, runtime in it", unit: "MB")
      var status = stat()
      guard stat("\(folder)/\(name)", &status) == 0 else { throw Failure("\(folder)/\(name)") }
      size.add(Double(status.st_size) / 1e6)
      return size
    }
  }
}

import Glibc

/// Real receiver logs that lie beside the checkout.
enum SharedLogs {
  /// The folder, from `HANDLEBAR_SHARED` or beside the checkout; `nil` when there is none.
  static let folder: String? = {
    if let given = getenv("HANDLEBAR_SHARED") { return exists(String(cString: given)) }
    // Tests/LocationCoreTests/Epoch/SharedLogs.swift, four levels below the checkout.
    var path = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    while path.count > 1 {
      path.removeLast()
      if let found = exists(path.joined(separator: "/") + "/shared") { return found }
    }
    return nil
  }()

  /// Every log and ride, as a path below the folder.
  static let all: [String] = list("logs", ending: ".log") + list("rides", ending: ".nmea")

  /// The content of a log.
  static func bytes(_ name: String) -> [UInt8] {
    guard let folder, let file = fopen("\(folder)/\(name)", "rb") else { return [] }
    defer { fclose(file) }
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&part, 1, part.count, file)
      if count == 0 { return all }
      all += part[..<count]
    }
  }

  private static func exists(_ path: String) -> String? {
    access("\(path)/logs", R_OK) == 0 ? path : nil
  }

  private static func list(_ name: String, ending: String) -> [String] {
    guard let folder, let directory = opendir("\(folder)/\(name)") else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let file = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if file.hasSuffix(ending) { names.append("\(name)/\(file)") }
    }
    return names.sorted()
  }
}

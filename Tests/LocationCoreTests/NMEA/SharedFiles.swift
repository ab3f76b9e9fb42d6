import Foundation

/// Real logs that stand beside a checkout and are not part of it.
enum SharedFiles {
  /// The folder: `HANDLEBAR_SHARED`, or `../shared`.
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["HANDLEBAR_SHARED"] { return URL(fileURLWithPath: path) }
    var checkout = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { checkout.deleteLastPathComponent() }
    return checkout.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  /// All logs and rides, by path below the folder; none when there is no such folder.
  static let names: [String] = ["logs", "rides"].flatMap { name in
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path)
    return (names ?? []).sorted().map { "\(name)/\($0)" }
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }
}

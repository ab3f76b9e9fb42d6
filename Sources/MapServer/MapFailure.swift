/// Why a map, or its tiles, cannot be shown: in words, with the remedy.
package enum MapFailure: Error, Hashable, CustomStringConvertible {
  /// A package of the system's is missing.
  case notInstalled(String)
  case tiles(String)
  /// The address, or the socket of the service manager, cannot be listened on.
  case listener(String)

  static func notInstalled(_ what: String, package: String) -> MapFailure {
    .notInstalled("\(what); install it: sudo apt-get install \(package)")
  }

  static func unusable(path: String, what: String) -> MapFailure {
    .tiles("\(path): \(what); use an MBTiles file or a directory with files zoom/x/y.png, of PNG, JPEG or WebP images")
  }

  package var description: String {
    switch self {
    case .notInstalled(let text), .tiles(let text), .listener(let text): text
    }
  }
}

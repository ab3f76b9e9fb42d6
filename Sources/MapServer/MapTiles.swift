import GPSDProtocol
import Glibc
import Libc
import NIOCore
import Recordings

/// The pictures of a map: an MBTiles file, or a directory with files `zoom/x/y.png`.
package final class MapTiles: Sendable {
  static let maximumSize = 2 << 20
  let zooms: ClosedRange<Int>
  private let path: String
  /// The MBTiles file; `nil` for a directory.
  private let database: TileDatabase?

  package init(path: String) throws(MapFailure) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else { throw .tiles("\(path): \(String(cString: strerror(errno)))") }
    if status.st_mode & S_IFMT == S_IFDIR {
      guard let zooms = try Self.zooms(inDirectory: path) else { throw .unusable(path: path, what: "has no tiles") }
      self.zooms = zooms
      database = nil
    } else {
      // Opening a named pipe would wait for its other end.
      guard status.st_mode & S_IFMT == S_IFREG else { throw .unusable(path: path, what: "is no regular file") }
      let database = try TileDatabase(path: path)
      zooms = database.zooms
      self.database = database
    }
  }

  private static func zooms(inDirectory path: String) throws(MapFailure) -> ClosedRange<Int>? {
    let (names, code) = Directory.read(path)
    guard code == 0 else { throw .tiles("\(path): \(String(cString: strerror(code)))") }
    let found = names.compactMap { Int($0) }.filter { MapTile.zooms.contains($0) }
    guard let first = found.min(), let last = found.max() else { return nil }
    return first...last
  }

  /// The image of a tile; `nil` when there is none. Blocks.
  func read(_ tile: MapTile) -> ByteBuffer? {
    if let database { return database.read(tile) }
    return ByteBuffer(path: "\(path)/\(tile.zoom)/\(tile.x)/\(tile.y).png", limit: Self.maximumSize)
  }

  func write(into line: inout JSONLine) {
    line.field("minZoom", zooms.lowerBound)
    line.field("maxZoom", zooms.upperBound)
    line.field("attribution", database?.attribution)
  }
}

/// The place of a tile: columns from west to east and rows from north to south, from 0.
struct MapTile: Hashable, Sendable {
  static let zooms = 0...24
  let zoom: Int
  let x: Int
  let y: Int

  /// Media type of an image by its first bytes; `nil` for anything else.
  static func type(of image: ByteBuffer) -> String? {
    let bytes = image.readableBytesView
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
    return nil
  }
}

extension MapTile {
  init?(path: Substring) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "tiles" else { return nil }
    let numbers = parts.dropFirst(2).compactMap { $0.utf8.count < 10 ? UInt($0).map { Int($0) } : nil }
    guard numbers.count == 3, Self.zooms.contains(numbers[0]),
      numbers.dropFirst().allSatisfy((0..<1 << numbers[0]).contains)
    else { return nil }
    self.init(zoom: numbers[0], x: numbers[1], y: numbers[2])
  }
}

extension ByteBuffer {
  /// The contents of a regular file; `nil` without one, or when it is larger than `limit`.
  init?(path: String, limit: Int) {
    guard let bytes = try? RecordingFile.contents(of: path, limit: limit, followsLinks: true) else { return nil }
    self.init(bytes: bytes)
  }
}

import GPSDProtocol
import Glibc
import LocationCore
import Recordings

/// A route in a GPX, TCX or GeoJSON file.
struct RouteFile {
  /// A named waypoint, or a named point of a route.
  struct Note {
    var position: Coordinate
    var text: String
    var kind: String?
  }

  /// The points of the file's tracks, else of its routes, or of its lines; at least two.
  private(set) var vertices: [Route.Vertex]
  private(set) var notes: [Note] = []

  static let longestRoute = 20_000_000.0
  private static let largestFile = 64 << 20

  init(path: String) throws(SimulationError) {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
    let bytes = Array(try Self.read(path).drop { blanks.contains($0) })
    do throws(SimulationError) {
      switch bytes.first {
      case UInt8(ascii: "{"): vertices = try GeoJSONRoute.vertices(of: bytes)
      case UInt8(ascii: "<"): (vertices, notes) = try Self.xml(bytes)
      default: throw SimulationError("is neither GPX, TCX nor GeoJSON; export the route in one of these formats")
      }
      guard vertices.count >= 2 else {
        throw SimulationError("has no line; use a file with a track or a route of at least two points")
      }
    } catch {
      throw SimulationError("\(path) \(error)")
    }
  }

  private static func xml(_ bytes: [UInt8]) throws(SimulationError) -> ([Route.Vertex], [Note]) {
    var tokens = XMLTokens()
    bytes.withUnsafeBufferPointer { tokens.feed($0) }
    tokens.end()
    while let token = tokens.next() {
      guard case .start(let root) = token else { continue }
      if root.is("TrainingCenterDatabase") { return try lines(of: TCXRoute(), tokens, in: root) }
      return try lines(of: GPXRoute(), tokens, in: root)
    }
    return ([], [])
  }

  private static func lines(
    of reader: some XMLRoute, _ tokens: XMLTokens, in root: XMLTokens.Tag
  ) throws(SimulationError) -> ([Route.Vertex], [Note]) {
    var (reader, tokens) = (reader, tokens)
    var isComplete = root.isEmpty
    while let token = tokens.next() {
      if case .end(let tag) = token, tag.name == root.name { isComplete = true }
      reader.take(token)
    }
    if reader.hasDamage { throw SimulationError("is damaged or has points with invalid coordinates; export it again") }
    if !isComplete { throw SimulationError("is damaged: its end is missing; export it again") }
    return (reader.vertices, reader.notes)
  }

  private static func read(_ path: String) throws(SimulationError) -> [UInt8] {
    do throws(RecordingError) {
      if let bytes = try RecordingFile.contents(of: path, limit: largestFile, followsLinks: true) { return bytes }
      throw RecordingError(.open, path, code: ENOENT)
    } catch {
      if error.code == RecordingError.unknownFormat {
        throw SimulationError("\(path) is larger than 64 MiB; simplify the route")
      }
      throw SimulationError("\(error)")
    }
  }
}

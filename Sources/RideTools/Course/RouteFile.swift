import Glibc
import LocationCore
import Recordings

package struct RouteVertex: Hashable, Sendable {
  package var position: Coordinate
  /// Above mean sea level, metres, if plausible; `nil` for that of the previous point.
  package var altitude: Double?

  package init(_ position: Coordinate, altitude: Double? = nil) {
    self.position = position
    self.altitude = CoursePoint(position, elevation: altitude).elevation
  }
}

struct RouteFile {
  /// A named waypoint, or a named point of a route.
  struct Note {
    var position: Coordinate
    var text: String
    var kind: String?

    /// `nil` for a point without a name or a description.
    fileprivate init?(_ point: TrackPoint) {
      // Some planners name a turn by its kind, and describe it.
      let isPlain = point.name.map { $0.lowercased() == point.kind?.lowercased() } ?? true
      guard let text = isPlain ? point.comment ?? point.name : point.name else { return nil }
      (position, self.text, kind) = (point.position, text, point.kind)
    }
  }

  /// The points of the file's tracks, else of its routes, or of its lines; at least two.
  private(set) var vertices: [RouteVertex]
  private(set) var notes: [Note] = []
  private(set) var title: String?
  /// Indices of the points with which a track, a segment, a route or a line begins.
  private(set) var pieces: Set<Int> = []

  static let longestRoute = 20_000_000.0
  private static let largestFile = 64 << 20
  /// Most points, notes and members of an array: memory grows with them.
  static let mostPoints = 500_000
  private static let pieceSize = 65_536

  init(path: String) throws(CourseFileError) {
    let bytes = try Self.read(path)
    do throws(CourseFileError) {
      if let format = TrackFormat(head: bytes[...]) {
        (vertices, notes, pieces, title) = try Self.points(of: bytes, format)
      } else {
        let text = bytes.drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        guard text.first == UInt8(ascii: "{") else {
          if [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(bytes.prefix(2))) {
            throw CourseFileError("is in UTF-16; export the route in UTF-8")
          }
          throw CourseFileError("is neither GPX, TCX, FIT nor GeoJSON; export the route in one of these formats")
        }
        (vertices, pieces, title) = try GeoJSONRoute.vertices(of: Array(text))
      }
      guard vertices.count >= 2 else {
        throw CourseFileError("has no line; use a file with a track or a route of at least two points")
      }
    } catch {
      throw CourseFileError("\(path) \(error)")
    }
  }

  private static func points(
    of bytes: [UInt8], _ format: TrackFormat
  ) throws(CourseFileError) -> ([RouteVertex], [Note], pieces: Set<Int>, title: String?) {
    var reader = TrackPoints(format)
    var lines: [TrackPoint.Kind: (vertices: [RouteVertex], pieces: Set<Int>)] = [:]
    var notes: [Note] = []
    var rest = bytes[...]
    var count = 0
    while true {
      guard let found = reader.next() else {
        if reader.isEnded { break }
        if rest.isEmpty { reader.end() }
        rest.prefix(pieceSize).withUnsafeBufferPointer { reader.feed($0) }
        rest = rest.dropFirst(pieceSize)
        continue
      }
      switch found {
      case .damage(.tornTail): throw CourseFileError("is damaged: its end is missing; export it again")
      case .damage: throw CourseFileError("is damaged or has points with invalid coordinates; export it again")
      case .point(let kind, let point):
        count += 1
        guard count <= mostPoints else { throw tooLong }
        let place = lines[kind]?.vertices.count ?? 0
        if point.beginsPiece { lines[kind, default: ([], [])].pieces.insert(place) }
        lines[kind, default: ([], [])].vertices.append(RouteVertex(point.position, altitude: point.altitude))
        if kind != .track, let note = Note(point) { notes.append(note) }
      }
    }
    if !reader.isComplete { throw CourseFileError("is damaged: its end is missing; export it again") }
    let line = lines[.track] ?? lines[.route] ?? ([], [])
    return (line.vertices, notes, line.pieces, reader.title)
  }

  static var tooLong: CourseFileError { CourseFileError("has more than 500,000 points; simplify the route") }

  private static func read(_ path: String) throws(CourseFileError) -> [UInt8] {
    do throws(RecordingError) {
      if let bytes = try RecordingFile.contents(of: path, limit: largestFile, followsLinks: true) { return bytes }
      throw RecordingError(.open, path, code: ENOENT)
    } catch {
      if error.code == RecordingError.unknownFormat {
        throw CourseFileError("\(path) is larger than 64 MiB; simplify the route")
      }
      throw CourseFileError("\(error)")
    }
  }
}

import Glibc
import LocationCore

/// Reads the route of a simulated ride from a GPX or GeoJSON file.
enum RouteFile {
  /// Metres.
  static let longestRoute = 20_000_000.0
  /// Bytes.
  private static let largestFile = 64 << 20
  private static let pieceSize = 65_536

  /// The points of the file's tracks, or of its routes, or of its lines; at least two.
  static func vertices(of path: String) throws(SimulationError) -> [Route.Vertex] {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
    let bytes = Array(try read(path).drop { blanks.contains($0) })
    let vertices: [Route.Vertex]
    do throws(SimulationError) {
      switch bytes.first {
      case UInt8(ascii: "{"): vertices = try GeoJSONRoute.vertices(of: bytes)
      case UInt8(ascii: "<"): vertices = try gpx(bytes)
      default: throw SimulationError("is neither GPX nor GeoJSON; export the route in one of these forms")
      }
      guard vertices.count >= 2 else {
        throw SimulationError("holds no line; name a file with a track or a route of two points or more")
      }
    } catch {
      throw SimulationError("\(path) \(error)")
    }
    return vertices
  }

  private static func gpx(_ bytes: [UInt8]) throws(SimulationError) -> [Route.Vertex] {
    var tokens = XMLTokens()
    var reader = TrackPointReader()
    var tracks: [Route.Vertex] = []
    var routes: [Route.Vertex] = []
    var hasDamage = false
    func drain() {
      while let token = tokens.next() {
        if case .damage = token {
          hasDamage = true
          continue
        }
        switch reader.take(token) {
        case nil, .point(.waypoint, _): break
        case .damage: hasDamage = true
        case .point(.track, let point): tracks.append(Route.Vertex(point.position, altitude: point.altitude))
        case .point(.route, let point): routes.append(Route.Vertex(point.position, altitude: point.altitude))
        }
      }
    }
    for begin in stride(from: 0, to: bytes.count, by: pieceSize) {
      bytes[begin..<min(begin + pieceSize, bytes.count)].withUnsafeBufferPointer { tokens.feed($0) }
      drain()
    }
    tokens.end()
    drain()
    if reader.finish() != nil { hasDamage = true }
    if hasDamage { throw SimulationError("is damaged, or has points that are none on Earth; export it again") }
    return tracks.isEmpty ? routes : tracks
  }

  private static func read(_ path: String) throws(SimulationError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SimulationError("\(RecordingError(.open, path, code: errno))") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw SimulationError("\(RecordingError(.open, path, code: EINVAL))")
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceSize)
    while true {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SimulationError("\(RecordingError(.read, path, code: errno))") }
      if count == 0 { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= largestFile else {
        throw SimulationError("\(path) is larger than 64 MiB; simplify the route")
      }
    }
  }
}

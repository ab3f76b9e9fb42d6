import LocationCore
import Testing

@testable import GPSDProtocol

/// The lines in which a course is read back.
struct CoursePieceTests {
  private let client = ClientID(1)

  /// A table with a course of points, sent as a client does.
  private func table(_ points: [CoursePoint], cues: [CueChange] = []) throws -> CourseTable {
    var table = CourseTable()
    let requests = CourseRequest.requests(settingCourse: "tour", points, isPersistent: false)
    for case .engine(.course(let request)) in requests {
      _ = try table.apply(request.change, to: "tour", from: client, of: .connection(client))
    }
    for cue in cues { _ = try table.apply(.cue(cue), to: "tour", from: client, of: .connection(client)) }
    return table
  }

  private func line(of table: CourseTable, from: Int) throws -> [UInt8] {
    var line = JSONLine(capacity: 256)
    try CoursePieceReport(CoursePieceRequest(name: "tour", from: from), of: table).write(into: &line)
    return Array(line.bytes)
  }

  /// Every piece, each read from a line that no client refuses.
  private func pieces(of table: CourseTable) throws -> [CoursePiece] {
    var (pieces, next): ([CoursePiece], Int?) = ([], 0)
    while let from = next {
      let line = try line(of: table, from: from)
      #expect(line.count <= JSONLine.maximumLength)
      guard case .coursePiece(let report) = try Report(line: line.dropLast(2)) else {
        Issue.record("another report")
        break
      }
      #expect(report.piece.from == from && report.piece.next ?? .max > from)
      pieces.append(report.piece)
      next = report.piece.next
    }
    return pieces
  }

  private func point(_ latitude: Double, _ longitude: Double, _ elevation: Double? = nil) throws -> CoursePoint {
    CoursePoint(try #require(Coordinate(latitude: latitude, longitude: longitude)), elevation: elevation)
  }

  @Test func `Points, elevations and cues are written in the encodings of the request`() throws {
    let points = [try point(38.5, -120.2, 500), try point(38.51, -120.2), try point(38.51, -120.21, 512.3)]
    let table = try table(points, cues: [CueChange("At the \"Post\"", kind: "left", at: .along(1000))])
    let texts = Polyline.texts(of: points)
    let elevation = try #require(texts.elevation)
    #expect(
      String(decoding: try line(of: table, from: 0), as: UTF8.self)
        == #"{"class":"COURSE","name":"tour","state":"before","revision":2,"from":0,"points":3,"#
        + #""polyline":"\#(texts.polyline)","elevation":"\#(elevation)","#
        + #""cues":[{"at":1000,"text":"At the \"Post\"","kind":"left"}]}"# + "\r\n")
    #expect(try pieces(of: table).flatMap(\.points) == points)
  }

  @Test func `Every line is short enough for every client, whatever is in it`() throws {
    // Far from each other, and with as many cues of the longest text.
    let points = try (0..<900).map { index in
      let isEven = index.isMultiple(of: 2)
      return try point(
        Double(-60_000_000 + 133_333 * index) / 1e6, isEven ? 11.123456 : 11.163457, isEven ? 4000 : -400)
    }
    let text = String(repeating: "\"\\", count: 128)
    let cues = (0..<300).map { CueChange(text, kind: String(repeating: "k", count: 32), at: .along(Double($0))) }
    let pieces = try pieces(of: try table(points, cues: cues))
    #expect(pieces.count > 10 && pieces.flatMap(\.cues).map(\.along) == (0..<300).map(Double.init))
    #expect(pieces.flatMap(\.cues).allSatisfy { $0.text == text })
    let read = pieces.flatMap(\.points)
    #expect(read.count == pieces.first?.pointCount)
    // Legs of more than 5 km are divided.
    let places = Set(read.map(\.position))
    #expect(points.allSatisfy { places.contains($0.position) } && read.count > points.count)
  }

  @Test func `A long course is read in few lines`() throws {
    let points = try (0..<20_000).map { index in
      try point(48 + Double(index) * 5e-5, 11.5 + Double(index % 7) * 1e-5, 500 + Double(index % 100))
    }
    let pieces = try pieces(of: try table(points))
    #expect(pieces.flatMap(\.points).map(\.elevation) == points.map(\.elevation) && pieces.count == 20)
  }
}

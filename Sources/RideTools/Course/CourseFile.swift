import LocationCore

/// A course from a file: the line of a GPX route or track with waypoints, TCX or FIT with course points, or GeoJSON.
package struct CourseFile: Sendable {
  /// Largest distance of a left-out point from the line, its height included, metres.
  private static let tolerance = 2.0
  /// Most bytes of a name, and of the text and kind of a cue.
  private static let longest = (name: 64, text: 128, kind: 32)

  package let course: Course
  package let points: [CoursePoint]
  let plausibility: CoursePlausibility
  /// Number of named points that are too far from the line for a cue.
  let skippedNotes: Int

  package init(path: String) throws(CourseFileError) {
    let file = try RouteFile(path: path)
    do throws(CourseError) {
      plausibility = CoursePlausibility(file.vertices, pieces: file.pieces)
      let drawn = plausibility.vertices.map { CoursePoint($0.position, elevation: $0.altitude) }
      points = Self.needed(drawn).map { drawn[$0] }
      var course = try Course(name: Self.name(of: file, at: path), points: points)
      var skipped = 0
      for note in file.notes {
        do throws(CourseError) {
          let kind = note.kind.map { Self.cut($0, to: Self.longest.kind) }
          try course.add(CueChange(Self.cut(note.text, to: Self.longest.text), kind: kind, at: .near(note.position)))
        } catch .cueOffLine {
          skipped += 1
        }
      }
      (self.course, skippedNotes) = (course, skipped)
    } catch {
      throw CourseFileError("\(path): \(error)")
    }
  }

  package func doubts(units: Units) -> [String] {
    var doubts = plausibility.doubts(units: units)
    if skippedNotes > 0 {
      doubts.append("left out \(skippedNotes) named points that are more than 100 m from the line")
    }
    return doubts
  }

  /// Indices of the points without those that the others show, in windows that bound the time.
  package static func needed(_ points: [CoursePoint]) -> [Int] {
    let places = EarthCentered.raised(points)
    var simplification = PolylineSimplification()
    var kept: [Int] = []
    for begin in stride(from: 0, to: max(points.count - 1, 1), by: TrackSimplifier.window) {
      let end = min(begin + TrackSimplifier.window, points.count - 1)
      simplification.simplify(Array(places[begin...end]), tolerance: tolerance)
      for index in begin..<end where simplification.isKept[index - begin] { kept.append(index) }
    }
    return kept + points.indices.suffix(1)
  }

  /// The name that the file gives, else that of the file.
  private static func name(of route: RouteFile, at path: String) -> String {
    if let title = route.title, !title.isEmpty { return cut(title, to: longest.name) }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let name = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? ""
    return cut(name.isEmpty ? file : name, to: longest.name)
  }

  private static func cut(_ text: String, to count: Int) -> String {
    var text = text
    while text.utf8.count > count { text.removeLast() }
    return text
  }
}

package struct CourseFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

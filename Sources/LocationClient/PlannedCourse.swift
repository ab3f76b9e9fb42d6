import GPSDProtocol
import LocationCore

/// A course as it was set: its line and its cues.
public struct PlannedCourse: Hashable, Sendable {
  /// A note at a place of a course.
  public struct Cue: Hashable, Sendable {
    /// Metres from the start of the line.
    public var along: Double
    /// The note.
    public var text: String
    /// What it is about, in a word: `left`, `summit`, `water`.
    public var kind: String?

    /// A note so many metres from the start.
    public init(along: Double, text: String, kind: String? = nil) {
      self.along = along
      self.text = text
      self.kind = kind
    }
  }

  /// Its name.
  public var name: String
  /// ``CourseReport/revision`` of the line with its cues.
  public var revision: Int?
  /// The points of the line, in order, to 0.1 m. A point within 0.1 m of the one before it is left out, and a leg of
  /// more than 5 km has points between.
  public var places: [Coordinate]
  /// Metres above mean sea level of each place, if known, to 0.1 m.
  public var elevations: [Double?]
  /// In the order of the line.
  public var cues: [Cue]

  /// A course along places.
  public init(
    name: String, revision: Int? = nil, places: [Coordinate] = [], elevations: [Double?] = [], cues: [Cue] = []
  ) {
    self.name = name
    self.revision = revision
    self.places = places
    self.elevations = elevations
    self.cues = cues
  }

  /// The course of its pieces; `nil` if it was changed between two of them.
  init?(_ pieces: [CoursePiece]) {
    guard let first = pieces.first, pieces.allSatisfy({ $0.revision == first.revision }) else { return nil }
    let points = pieces.flatMap(\.points)
    self.init(
      name: first.name, revision: first.revision, places: points.map(\.position),
      elevations: points.map(\.elevation),
      cues: pieces.flatMap(\.cues).map { Cue(along: $0.along, text: $0.text, kind: $0.kind) })
  }
}

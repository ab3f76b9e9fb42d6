package struct Course: Sendable {
  package static let maximumCues = 1000
  /// Metres: a place of a cue that is farther from the line belongs to no passage of it.
  static let cueReach = 100.0
  /// Metres: passages whose distances from the place of a cue differ by less are equally near.
  private static let cueTie = 20.0

  package let name: String
  package private(set) var line = CourseLine()
  /// `nil` without elevations.
  package private(set) var profile: CourseProfile?
  private var isProfileDue = false
  /// In order of the line.
  package private(set) var cues: [CourseCue] = []
  /// Metres along the line at which the cue that was added last is.
  private var lastCue = 0.0

  package init(name: String, points: [CoursePoint]) throws(CourseError) {
    self.name = name
    try line.append(points)
    guard line.vertices.count >= 2 else { throw .noLine }
    profile = CourseProfile(line)
  }

  /// Continues the line; of the points all or none are added.
  mutating func append(_ points: [CoursePoint]) throws(CourseError) {
    try line.append(points)
    isProfileDue = true
  }

  /// Makes the profile of a line that was continued, once for all points that came together.
  mutating func updateProfile() {
    if exchange(&isProfileDue, with: false) { profile = CourseProfile(line) }
  }

  package mutating func add(_ cue: CueChange) throws(CourseError) {
    let metres =
      switch cue.place {
      case .along(let metres): metres
      case .near(let place): try passage(near: place).along
      }
    guard cues.count < Self.maximumCues else { throw .tooManyCues }
    guard let along = Self.place(ofCueAt: metres, on: line.length) else {
      throw .cueBeyondLine(metres, length: line.length)
    }
    let index = cues.firstIndex { $0.along > along } ?? cues.count
    cues.insert(CourseCue(along: along, text: cue.text, kind: cue.kind), at: index)
    lastCue = along
  }

  /// Within a metre of an end it is at the end: lengths are rounded in the line and on the wire; `nil` beyond.
  static func place(ofCueAt along: Double, on length: Double) -> Double? {
    (-1...length + 1).contains(along) ? min(max(along, 0), length) : nil
  }

  /// The nearest passage of a cue's place; within 20 m of it, the first behind the cue before: they come as ridden.
  private func passage(near place: Coordinate) throws(CourseError) -> CoursePassage {
    var passages: [CoursePassage] = []
    line.findPassages(near: CoursePlane(at: place), within: Self.cueReach, focus: lastCue, into: &passages)
    guard let nearest = passages.map(\.distance).min() else { throw .cueOffLine(place) }
    let near = passages.filter { $0.distance <= nearest + Self.cueTie }
    let next = near.first { $0.along >= lastCue } ?? near.min { $0.distance < $1.distance }
    guard let next else { throw .cueOffLine(place) }
    return next
  }

  /// The first cue that is not behind that many metres along the line.
  func cue(from along: Double) -> CourseCue? {
    var (low, high) = (0, cues.count)
    while low < high {
      let middle = (low + high) / 2
      if cues[middle].along < along { low = middle + 1 } else { high = middle }
    }
    return low < cues.count ? cues[low] : nil
  }
}

package struct CoursePoint: Hashable, Sendable {
  /// Metres that an elevation can have; others, such as −32768 for none, are missing.
  package static let elevations = -500.0...9000.0

  package var position: Coordinate
  /// Above mean sea level, metres, if known.
  package var elevation: Double?

  package init(_ position: Coordinate, elevation: Double? = nil) {
    self.position = position
    self.elevation = elevation.flatMap { Self.elevations.contains($0) ? $0 : nil }
  }
}

package struct CourseCue: Hashable, Sendable {
  /// Metres from the start of the line.
  package let along: Double
  package let text: String
  /// What it is about, in a word: `left`, `summit`, `water`.
  package let kind: String?

  package init(along: Double, text: String, kind: String? = nil) {
    self.along = along
    self.text = text
    self.kind = kind
  }
}

package enum CourseError: Error, Hashable, Sendable, CustomStringConvertible {
  case noLine
  case tooManyPoints
  case tooLong
  case tooManyCues
  case cueBeyondLine(Double, length: Double)
  case cueOffLine(Coordinate)

  package var description: String {
    switch self {
    case .noLine: "the course has no line: use two different points or more"
    case .tooManyPoints: "the course has more than \(CourseLine.maximumPoints) points: simplify it or divide it"
    case .tooLong: "the course is longer than \(Int(CourseLine.maximumLength / 1000)) km: divide it"
    case .tooManyCues: "the limit of \(Course.maximumCues) cues of a course is reached: remove some"
    case .cueBeyondLine(let along, let length):
      "a cue at \(along) m is not on the course, which is \(Int(length)) m long"
    case .cueOffLine(let place):
      "a cue at \(place.latitude), \(place.longitude) is more than \(Int(Course.cueReach)) m from the course"
    }
  }
}

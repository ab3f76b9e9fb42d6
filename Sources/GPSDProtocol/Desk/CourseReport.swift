import LocationCore

/// Where the rider is on a course (class `COURSE`), at each fix and each change of state.
public struct CourseReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "COURSE"
  /// Whether the rider is on the course.
  public typealias State = OpenName<CourseReport>
  /// Name of the course.
  public var name = ""
  /// Whether the rider is on it.
  public var state: State = .init("")
  /// UTC of the fix.
  public var time: UTCInstant?
  /// Number of the fix.
  public var seq: UInt64?
  /// Metres from the start of the line, where the rider is or left it; `nil` before.
  public var along: Double?
  /// Metres to the end, or to the start if it is ridden backwards.
  public var remaining: Double?
  /// Metres to the right of the line as it is ridden, negative to its left.
  public var beside: Double?
  /// Bearing of the nearest place of the line, or before of its start, degrees from true north.
  public var bearing: Double?
  /// Metres to that place.
  public var distance: Double?
  /// Estimated time to the end at the recent speed of moving.
  public var timeRemaining: Duration?
  /// Metres to climb to the end; `nil` without elevations.
  public var ascent: Double?
  /// Grade of the line, percent; `nil` without elevations.
  public var grade: Double?
  /// Metres to the end of the climb at hand.
  public var climb: Double?
  /// Metres to climb on it.
  public var climbAscent: Double?
  /// Text of the next cue.
  public var cue: String?
  /// What the cue is about.
  public var cueKind: String?
  /// Metres to the cue.
  public var cueDistance: Double?
  /// Number of the line with its cues, which changes with them.
  public var revision: Int?
  /// Whether the line is ridden backwards.
  public var isReverse = false

  /// A report of a state.
  public init(name: String, state: State) {
    self.name = name
    self.state = state
  }

  package init() {}

  package init(_ status: CourseStatus) {
    self.init(name: status.name, state: .init(rawValue: status.state.rawValue))
    (time, seq) = (status.time, status.seq)
    (along, remaining, beside) = (status.along, status.remaining, status.beside)
    (bearing, distance, timeRemaining) = (status.bearing, status.distance, status.eta)
    (ascent, grade, climb, climbAscent) = (status.ascent, status.grade, status.climb, status.climbAscent)
    (cue, cueKind, cueDistance) = (status.cue?.text, status.cue?.kind, status.cueDistance)
    (isReverse, revision) = (status.isReverse, status.revision)
  }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("name", &name)
    coder.field("state", &state)
    coder.field("time", &time)
    coder.field("seq", &seq)
    coder.field("along", &along, decimals: 2)
    coder.field("remaining", &remaining, decimals: 2)
    coder.field("beside", &beside, decimals: 2)
    coder.field("bearing", &bearing, decimals: 1)
    coder.field("distance", &distance, decimals: 2)
    coder.field("eta", &timeRemaining, decimals: 0)
    coder.field("ascent", &ascent, decimals: 1)
    coder.field("grade", &grade, decimals: 1)
    coder.field("climb", &climb, decimals: 2)
    coder.field("climbAscent", &climbAscent, decimals: 1)
    coder.field("cue", &cue)
    coder.field("cueKind", &cueKind)
    coder.field("cueDistance", &cueDistance, decimals: 2)
    coder.flag("reverse", &isReverse)
    coder.field("revision", &revision)
  }
}

extension OpenName<CourseReport> {
  /// Not on it yet.
  public static var before: Self { Self("before") }
  /// On it.
  public static var on: Self { Self("on") }
  /// Off it.
  public static var off: Self { Self("off") }
  /// At its end.
  public static var finished: Self { Self("finished") }
  /// Another course is followed.
  public static var kept: Self { Self("kept") }
  /// The course was ended: its last report.
  public static var ended: Self { Self("ended") }
}

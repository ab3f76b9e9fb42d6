import GPSDProtocol
import LocationCore

/// One delivered fix. A missing value is `nil`, never 0.
public struct Position: Hashable, Codable, Sendable {
  /// Why a position was delivered: at a transition, or for `moved`, `heartbeat`, `requested` or `snapshot`, of which a
  /// slow consumer gets only the newest. Of several reasons, the first that applies of `first`, `source`, `regained`,
  /// `mode`, `stopped`, `started`, `moved` and `heartbeat`; `requested` and `snapshot` bypass the distance filter.
  public typealias Reason = OpenName<Position>
  /// The place.
  public var coordinate: Coordinate
  /// 2D or 3D.
  public var mode: FixMode
  /// Autonomous, differential, estimated …; `nil` for a kind unknown to this release.
  public var status: FixStatus?
  /// UTC of the epoch; `nil` when the receiver sent no date.
  public var time: UTCInstant?
  /// Instant of its reception on a monotonic clock: `ContinuousClock.now - position.received` is its age. It is no part
  /// of what was sent: positions that differ in it alone are equal.
  public var received: ContinuousClock.Instant {
    get { reception.instant }
    set { reception.instant = newValue }
  }
  private var reception: Reception
  /// Altitude above mean sea level, metres.
  public var altitudeMSL: Double?
  /// Altitude above the ellipsoid, metres.
  public var altitudeHAE: Double?
  /// Geoid above ellipsoid, metres.
  public var geoidSeparation: Double?
  /// Speed over ground, m/s.
  public var speed: Double?
  /// Course over ground, degrees from true north.
  public var course: Double?
  /// Vertical speed, m/s, upwards positive: the receiver's, or from this altitude and the one before.
  public var climb: Double?
  /// Direction that the receiver points to, degrees from true north, also at rest. Few receivers report it.
  public var heading: Double?
  /// Magnetic variation, degrees, east positive.
  public var magneticVariation: Double?
  /// 95 % radius of the horizontal error, metres.
  public var horizontalAccuracy: Double?
  /// 95 % error of the altitude, metres.
  public var verticalAccuracy: Double?
  /// 95 % error of the speed, m/s.
  public var speedAccuracy: Double?
  /// 95 % error of the course, degrees: the receiver's, or the angle under which the horizontal error appears from the
  /// fix before; `nil` for a step within that error.
  public var courseAccuracy: Double?
  /// Number of the fix since the daemon started; `nil` from a daemon that does not number fixes.
  public var seq: UInt64?
  /// Why it was delivered.
  public var reason: Reason?
  /// All reasons why it was delivered, the first of them `reason`: a rider may start at the fix that is regained.
  public var reasons: [Reason]
  /// Time since it was received, or should have been, when the daemon sent it; `nil` for a new fix.
  public var age: Duration?
  /// Name of the source.
  public var source: String?
  /// Path of the device.
  public var device: String?
  /// Whether it was held as a jump before it was accepted.
  public var isSuspect: Bool
  /// Curvature of the followed course ahead of the rider, 1/km, positive to the right; `nil` unless he is on one.
  public var bend: Double?
  /// Speed by the wheel, m/s; `nil` without a plausible one.
  public var wheelSpeed: Double?
  /// Altitude above mean sea level by GNSS and a barometer, metres.
  public var fusedAltitude: Double?
  /// 95 % error of ``fusedAltitude``, metres.
  public var fusedAltitudeError: Double?
  /// Grade of the way just ridden by a barometer, percent; `nil` below 1 m/s.
  public var grade: Double?
  /// 95 % error of ``grade``, percentage points.
  public var gradeError: Double?

  /// A position with these values.
  public init(
    coordinate: Coordinate, mode: FixMode = .threeD, status: FixStatus? = .normal, time: UTCInstant? = nil,
    received: ContinuousClock.Instant = .now, altitudeMSL: Double? = nil, altitudeHAE: Double? = nil,
    geoidSeparation: Double? = nil, speed: Double? = nil, course: Double? = nil, climb: Double? = nil,
    heading: Double? = nil, magneticVariation: Double? = nil, horizontalAccuracy: Double? = nil,
    verticalAccuracy: Double? = nil, speedAccuracy: Double? = nil, courseAccuracy: Double? = nil,
    seq: UInt64? = nil, reason: Reason? = nil, reasons: [Reason]? = nil, age: Duration? = nil, source: String? = nil,
    device: String? = nil, isSuspect: Bool = false, bend: Double? = nil
  ) {
    self.coordinate = coordinate
    self.mode = mode
    self.status = status
    self.time = time
    reception = Reception(instant: received)
    self.altitudeMSL = altitudeMSL
    self.altitudeHAE = altitudeHAE
    self.geoidSeparation = geoidSeparation
    self.speed = speed
    self.course = course
    self.climb = climb
    self.heading = heading
    self.magneticVariation = magneticVariation
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.speedAccuracy = speedAccuracy
    self.courseAccuracy = courseAccuracy
    self.seq = seq
    self.reason = reason
    self.reasons = reasons ?? reason.map { [$0] } ?? []
    self.age = age
    self.source = source
    self.device = device
    self.isSuspect = isSuspect
    self.bend = bend
  }

  package init?(_ tpv: TPV, at instant: ContinuousClock.Instant = .now) {
    guard let mode = FixMode(rawValue: tpv.mode), let latitude = tpv.lat, let longitude = tpv.lon,
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    let age = tpv.age.flatMap { Duration(finiteSeconds: $0) }
    self.init(
      coordinate: coordinate, mode: mode, status: tpv.status.flatMap(FixStatus.init), time: tpv.time,
      received: instant - (age ?? .zero), altitudeMSL: tpv.altMSL, altitudeHAE: tpv.altHAE,
      geoidSeparation: tpv.geoidSep, speed: tpv.speed, course: tpv.track, climb: tpv.climb, heading: tpv.heading,
      magneticVariation: tpv.magvar, horizontalAccuracy: tpv.eph, verticalAccuracy: tpv.epv, speedAccuracy: tpv.eps,
      courseAccuracy: tpv.epd, seq: tpv.seq, reason: tpv.reason.map { Reason(rawValue: $0) },
      reasons: tpv.reasons?.split(separator: ",").map { Reason(rawValue: String($0)) }, age: age, source: tpv.source,
      device: tpv.device, isSuspect: tpv.suspect ?? false,
      bend: tpv.bend.flatMap { (-1000.0...1000).contains($0) ? $0 : nil })
    wheelSpeed = tpv.wheelSpeed
    (fusedAltitude, fusedAltitudeError) = (tpv.altFused, tpv.altFusedError)
    (grade, gradeError) = (tpv.grade, tpv.gradeError)
  }
}

extension Fix {
  package init(_ position: Position, received instant: MonotonicInstant) {
    self.init(
      position: position.coordinate, mode: position.mode, status: position.status ?? .normal, measured: position.time,
      received: instant)
    altitudeMSL = position.altitudeMSL
    geoidSeparation = position.geoidSeparation
    complete(altitudeHAE: position.altitudeHAE)
    speed = position.speed
    course = position.course
    climb = position.climb
    heading = position.heading
    magneticVariation = position.magneticVariation
    horizontalAccuracy = position.horizontalAccuracy
    verticalAccuracy = position.verticalAccuracy
    speedAccuracy = position.speedAccuracy
    courseAccuracy = position.courseAccuracy
  }
}

/// When a value was received. All receptions are equal.
private struct Reception: Hashable, Codable, Sendable {
  var instant: ContinuousClock.Instant

  static func == (left: Self, right: Self) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension OpenName<Position> {
  /// First delivery to this subscriber.
  public static var first: Self { Self("first") }
  /// Distance from the last position delivered, or a filter of 0.
  public static var moved: Self { Self("moved") }
  /// The rider stopped.
  public static var stopped: Self { Self("stopped") }
  /// The rider started after a stop.
  public static var started: Self { Self("started") }
  /// Change between 2D and 3D.
  public static var mode: Self { Self("mode") }
  /// Change of the leading source.
  public static var source: Self { Self("source") }
  /// First fix after a loss.
  public static var regained: Self { Self("regained") }
  /// The subscription's heartbeat interval elapsed.
  public static var heartbeat: Self { Self("heartbeat") }
  /// A client requested the newest position.
  public static var requested: Self { Self("requested") }
  /// The newest position at the time of subscribing.
  public static var snapshot: Self { Self("snapshot") }
  /// No fix: estimated by a wheel while there is none.
  public static var estimated: Self { Self("estimated") }
}

import LocationCore

extension TripRequest: CodedFields {
  package init() { self.init(name: "") }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("name", &name, bytes: 1...64)
    var lap: Bool? = change == .lap ? true : nil
    var reset: Bool? = change == .reset ? true : nil
    var enable: Bool? = change == .end ? false : nil
    coder.field("lap", &lap)
    coder.field("reset", &reset)
    coder.field("enable", &enable)
    let changes: [TripChange] =
      (lap == true ? [.lap] : []) + (reset == true ? [.reset] : []) + (enable == false ? [.end] : [])
    coder.check("name", changes.count <= 1, #"with one of "lap", "reset" and "enable":false"#)
    change = changes.first ?? .start
  }
}

/// The live figures of a trip (class `TRIP`), sent when its state changes, once a second in motion, and on request.
public struct TripReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "TRIP"
  /// What a trip is doing.
  public typealias State = OpenName<TripReport>
  /// Name of the trip.
  public var name = ""
  /// What it is doing.
  public var state: State = .init("")
  /// Distance travelled, metres.
  public var distance = 0.0
  /// Time from its first fix to the newest one, without a stop at either end that is long enough to separate rides.
  public var duration: Duration = .zero
  /// Time of moving.
  public var movingTime: Duration = .zero
  /// Height gained, metres; `nil` without altitudes.
  public var ascent: Double?
  /// Height lost, metres; `nil` without altitudes.
  public var descent: Double?
  /// Average speed while moving, m/s; `nil` without motion.
  public var averageSpeed: Double?
  /// Highest speed, m/s; `nil` without speeds.
  public var maxSpeed: Double?
  /// Average heart rate while moving, beats a minute; `nil` without a sensor.
  public var averageHeartRate: Int?
  /// Highest heart rate, beats a minute; `nil` without a sensor.
  public var maxHeartRate: Int?
  /// Average cadence of pedalling, revolutions a minute; `nil` without a sensor.
  public var averageCadence: Int?
  /// Highest cadence, revolutions a minute; `nil` without a sensor.
  public var maxCadence: Int?
  /// Average power while moving, watts; `nil` without a sensor.
  public var averagePower: Int?
  /// Highest power, watts; `nil` without a sensor.
  public var maxPower: Int?
  /// Number of the current lap, from 1.
  public var lap = 1
  /// Distance of the lap, metres.
  public var lapDistance = 0.0
  /// Time of moving in the lap.
  public var lapMovingTime: Duration = .zero

  /// A trip that has just been started, without a fix.
  public init(name: String, state: State = .lost) {
    self.name = name
    self.state = state
  }

  package init() {}

  package init(_ trip: TripStatus) {
    self.init(name: trip.name, state: .init(rawValue: trip.state.rawValue))
    distance = trip.figures.distance
    duration = Duration(finiteSeconds: trip.figures.duration) ?? .zero
    movingTime = Duration(finiteSeconds: trip.figures.movingTime) ?? .zero
    ascent = trip.figures.ascent
    descent = trip.figures.descent
    averageSpeed = trip.figures.averageSpeed
    maxSpeed = trip.figures.maximumSpeed
    let sensors = trip.figures.sensors
    (averageHeartRate, maxHeartRate) = Self.figures(of: sensors.heartRate)
    (averageCadence, maxCadence) = Self.figures(of: sensors.cadence)
    (averagePower, maxPower) = Self.figures(of: sensors.power)
    lap = trip.lap
    lapDistance = trip.lapDistance
    lapMovingTime = Duration(finiteSeconds: trip.lapMovingTime) ?? .zero
  }

  private static func figures(of sum: SensorSum?) -> (average: Int?, maximum: Int?) {
    func whole(_ value: Double?) -> Int? { value.flatMap { Int(exactly: $0.rounded()) } }
    return (whole(sum?.average), whole(sum?.maximum))
  }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("name", &name)
    coder.field("state", &state)
    coder.field("distance", &distance, decimals: 3)
    coder.field("duration", &duration, decimals: 3)
    coder.field("movingTime", &movingTime, decimals: 3)
    coder.field("ascent", &ascent, decimals: 1)
    coder.field("descent", &descent, decimals: 1)
    coder.field("averageSpeed", &averageSpeed, decimals: 3)
    coder.field("maxSpeed", &maxSpeed, decimals: 3)
    coder.field("lap", &lap)
    coder.field("lapDistance", &lapDistance, decimals: 3)
    coder.field("lapMovingTime", &lapMovingTime, decimals: 3)
    coder.field("averageHeartRate", &averageHeartRate)
    coder.field("maxHeartRate", &maxHeartRate)
    coder.field("averageCadence", &averageCadence)
    coder.field("maxCadence", &maxCadence)
    coder.field("averagePower", &averagePower)
    coder.field("maxPower", &maxPower)
  }
}

extension OpenName<TripReport> {
  /// In motion.
  public static var moving: Self { Self("moving") }
  /// The rider has stopped.
  public static var paused: Self { Self("paused") }
  /// There is no fix.
  public static var lost: Self { Self("lost") }
  /// The trip was ended: its last report.
  public static var ended: Self { Self("ended") }
}

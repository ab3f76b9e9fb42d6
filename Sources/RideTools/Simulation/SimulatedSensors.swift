import GPSDProtocol
import LocationCore

package struct SensorConditions: Hashable, Sendable {
  /// Circumference of the wheel whose revolutions are counted, metres; `nil` without a sensor.
  package var wheel: Double?
  /// Share of the revolutions that are counted twice.
  package var doubled = 0.0
  /// Stretches in which the wheel's sensor sleeps, metres from the start.
  package var asleep: [ClosedRange<Double>] = []
  /// Change of the pressure by the weather, hPa an hour; `nil` without a barometer.
  package var weather: Double?
  /// Difference of the air's temperature from that of the standard atmosphere, K.
  package var warmth = 0.0
}

/// The readings of a ride's sensors, as requests: each turn of the wheel with Bluetooth's clock, pressures at 10 Hz.
struct SimulatedSensors: Sendable {
  private static let step = 0.02
  private static let stepsOfPressure = 5
  /// Standard deviation of a pressure, Pa, and the ratio of its altitudes to those of temperature and weight of the air.
  private static let noise = 1.0
  private static let gravity = 9.80665 / 287.05
  private static let seaLevel = (pressure: 101_325.0, temperature: 288.15, lapse: 0.0065)
  /// Time from a pulse to its double, seconds.
  private static let bounce = 0.008

  private let conditions: SensorConditions
  private var motion: Motion
  private var random: SeededRandom
  private var tick = 0
  private var station: Double
  /// Where the next revolution ends, metres from the start.
  private var next = 0.0
  private var count: UInt64 = 0
  private var readings: [(json: [UInt8], seconds: Double)] = []

  init(_ ride: SimulatedRide) {
    conditions = ride.conditions.sensors
    motion = ride.motion
    random = SeededRandom(seed: ride.seed, stream: 8)
    station = motion.points[0].station
    next = station + 0.37 * (conditions.wheel ?? 0)
  }

  /// The readings until a time, seconds from the start, in order.
  mutating func readings(until end: Double) -> [(json: [UInt8], seconds: Double)] {
    guard conditions.wheel != nil || conditions.weather != nil else { return [] }
    defer { readings.removeAll() }
    while Double(tick) * Self.step <= end {
      let seconds = Double(tick) * Self.step
      let place = motion.state(at: seconds).place
      if let wheel = conditions.wheel {
        while next <= place.station {
          let part = (place.station - next) / max(place.station - station, 1e-9)
          turn(at: max(0, seconds - part * Self.step), end: end)
          next += wheel
        }
      }
      station = place.station
      if let weather = conditions.weather, tick % Self.stepsOfPressure == 0 {
        let pressure = pressure(at: place.altitude) + weather * 100 / 3600 * seconds + Self.noise * random.normal()
        // To hundredths.
        add(SensorRequest(kind: .pressure, value: (pressure * 100).rounded() / 100), at: seconds)
      }
      tick += 1
    }
    return readings.sorted { $0.seconds < $1.seconds }
  }

  private mutating func turn(at seconds: Double, end: Double) {
    let chance = random.uniform()
    guard !conditions.asleep.contains(where: { $0.contains(next) }) else { return }
    let isDoubled = chance < conditions.doubled
    for seconds in isDoubled ? [seconds, min(seconds + Self.bounce, end)] : [seconds] {
      count += 1
      let time = Double(Int(seconds * 1024) % 65_536)
      add(SensorRequest(kind: .wheel, count: count, time: time), at: seconds)
    }
  }

  /// The pressure of still air, whose temperature falls evenly.
  private func pressure(at altitude: Double) -> Double {
    let (fall, temperature) = (Self.seaLevel.lapse * altitude, Self.seaLevel.temperature + conditions.warmth)
    // The logarithm of the ratio of temperatures is twice an inverse hyperbolic tangent.
    let part = fall / (2 * temperature - fall)
    let series = stride(from: 15.0, through: 1, by: -2).reduce(0) { $0 * part * part + 1 / $1 }
    return Self.seaLevel.pressure * ExactMath.exponential(-2 * part * series * Self.gravity / Self.seaLevel.lapse)
  }

  private mutating func add(_ reading: SensorRequest, at seconds: Double) {
    readings.append((Request.engine(.sensor(reading)).recorded, seconds))
  }
}

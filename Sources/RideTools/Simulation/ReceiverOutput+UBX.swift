import LocationCore

// UBX messages, as in u-blox's interface descriptions of protocol 15 (u-blox 8) to 34 (u-blox 10).
extension ReceiverOutput {
  /// The frame of a message; empty for a sentence, and for one that is not due.
  func frame(_ message: ReceiverProfile.Message) -> [UInt8] {
    let navigation: UInt8 = 0x01
    return switch message {
    case .navPVT: ReceiverCommand.ubx(navigation, 0x07, solutionPayload)
    case .navDOP: ReceiverCommand.ubx(navigation, 0x04, dilutionPayload)
    case .navSAT: hasSky ? ReceiverCommand.ubx(navigation, 0x35, satellitePayload) : []
    case .navEOE: ReceiverCommand.ubx(navigation, 0x61, Self.bytes(timeOfWeek, 4))
    case .rmc, .vtg, .gga, .gsa, .gsv, .gll, .gst, .gns, .zda, .pgrme: []
    }
  }

  /// The standard deviation of the distance from the true position: the root of the sum of the squares of both axes'.
  private var horizontalAccuracy: Double { deviations.horizontal * noise * 2.0.squareRoot() }

  private var solutionPayload: [UInt8] {
    var payload = Self.bytes(timeOfWeek, 4) + timePayload
    let type =
      switch solution {
      case .nothing, .time: 0
      case .fix(let mode): mode == .threeD ? 3 : 2
      }
    payload += [UInt8(type), hasFix ? 1 : 0, 0, UInt8(truncatingIfNeeded: usedCount)]
    payload += scaled(position?.longitude, 1e7) + scaled(position?.latitude, 1e7)
    payload += scaled(altitude + Self.geoidSeparation, 1000) + scaled(altitude, 1000)
    payload += accuracy(horizontalAccuracy, 1000) + accuracy(deviations.up * noise, 1000)
    let (sine, cosine) = ExactMath.sineCosine(degrees: course)
    payload += scaled(speed * cosine, 1000) + scaled(speed * sine, 1000) + scaled(-climb, 1000)
    payload += scaled(speed, 1000) + scaled(course, 1e5)
    payload += accuracy(deviations.speed * noise, 1000) + accuracy(courseDeviation, 1e5)
    payload += Self.bytes(dilution(1.8), 2)
    // Whether the position is invalid; reserved; heading of the vehicle, magnetic declination and its accuracy.
    payload += [hasFix ? 0 : 1, 0] + [UInt8](repeating: 0, count: 4 + 8)
    return payload
  }

  /// Year to nanosecond, with what of it is valid and the accuracy of the time, nanoseconds.
  private var timePayload: [UInt8] {
    guard let (date, time) = clock, solution != .nothing else { return [UInt8](repeating: 0, count: 16) }
    let second = Int(time / 1_000_000_000)
    let minute = min(second / 60, 24 * 60 - 1)
    let fields = [date.month, date.day, minute / 60, minute % 60, second - minute * 60].map(UInt8.init)
    let isValid: UInt8 = 0b111
    return Self.bytes(date.year, 2) + fields + [isValid] + Self.bytes(25, 4) + Self.bytes(Int(time % 1_000_000_000), 4)
  }

  /// Geometric, position, time, vertical, horizontal, northing and easting, in the proportions of the sentences.
  private var dilutionPayload: [UInt8] {
    let factors = [2, 1.8, 0.9, 1.5, 1, 0.5.squareRoot(), 0.5.squareRoot()]
    return Self.bytes(timeOfWeek, 4) + factors.flatMap { Self.bytes(dilution($0), 2) }
  }

  private var satellitePayload: [UInt8] {
    let all = zip(receiver.constellations, satellites).flatMap { system, satellites in
      satellites.map { (system, $0) }
    }
    var payload = Self.bytes(timeOfWeek, 4) + [1, UInt8(truncatingIfNeeded: all.count), 0, 0]
    for (system, satellite) in all {
      payload += [UInt8(system.gnss.rawValue), UInt8(truncatingIfNeeded: satellite.prn - system.offset)]
      payload += [UInt8(satellite.strength ?? 0), UInt8(truncatingIfNeeded: satellite.elevation)]
      payload += Self.bytes(satellite.azimuth, 2) + [0, 0]
      // Signal quality, whether it is used, healthy.
      let quality = satellite.strength == nil ? 1 : satellite.isUsed ? 7 : 4
      payload += Self.bytes(quality | (satellite.isUsed ? 1 << 3 : 0) | 1 << 4, 4)
    }
    return payload
  }

  private var courseDeviation: Double {
    min(ExactMath.course(east: deviations.drift * noise, north: max(speed, 0.01)), 180)
  }

  /// A dilution of precision in hundredths.
  private func dilution(_ factor: Double) -> Int {
    hasFix ? Int((horizontalDilution * factor * 100).rounded()) : 9999
  }

  /// A value of the solution in its unit; 0 without one.
  private func scaled(_ value: Double?, _ unit: Double) -> [UInt8] {
    Self.bytes(hasFix ? Int(((value ?? 0) * unit).rounded()) : 0, 4)
  }

  /// A standard deviation in its unit, at least one; the highest number without a solution.
  private func accuracy(_ deviation: Double, _ unit: Double) -> [UInt8] {
    Self.bytes(hasFix ? max(Int((deviation * unit).rounded()), 1) : Int(UInt32.max), 4)
  }

  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] { ReceiverCommand.littleEndian(value, count) }
}

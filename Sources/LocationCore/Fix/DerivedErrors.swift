/// Errors, 95 %, and rates as gpsd reports them: those that the receiver states, the others from the dilutions and, for
/// the rates, from the fix before. Range errors and rules are gpsd's, so that the values mean the same to its clients.
package struct DerivedErrors: Hashable, Sendable {
  /// Along the parallel and the meridian, and of the altitude, metres.
  @Compact package var longitude: Double?
  @Compact package var latitude: Double?
  @Compact package var altitude: Double?
  /// Radius in the plane, and in three dimensions, metres.
  @Compact package var horizontal: Double?
  @Compact package var spherical: Double?
  /// Seconds; m/s; degrees.
  @Compact package var time: Double?
  @Compact package var speed: Double?
  @Compact package var course: Double?
  /// Speed over ground, and the error of the vertical speed, m/s.
  @Compact package var groundSpeed: Double?
  @Compact package var climbError: Double?
}

/// The derivation of errors and rates of one source's fixes. Dilutions are kept until newer ones arrive.
package struct ErrorModel: Sendable {
  /// Shortest time between two epochs, nanoseconds.
  private static let shortestInterval: Int64 = 9_900_000
  /// Half of the resolution of a receiver's clock, seconds.
  private static let clockError = 0.005

  package private(set) var dilution = Dilution()
  package private(set) var newest: DerivedErrors?
  private var previous: Previous?

  private struct Previous {
    var time: FixTime
    var place: EarthCentered
    @Compact var horizontal: Double?
    @Compact var vertical: Double?
  }

  /// 95 % error of a position with a dilution of 1, metres.
  private static let autonomous = (horizontal: 15.0, vertical: 23.0, position: 19.0)
  private static let differential = (horizontal: 3.75, vertical: 5.75, position: 4.75)

  package init() {}
  package mutating func take(_ sky: borrowing Sky) { dilution.update(Dilution(sky)) }

  /// The errors and rates of the next fix; the sky of its epoch, if any, comes first.
  package mutating func errors(of fix: borrowing Fix) -> DerivedErrors {
    dilution.h = fix.hdop ?? dilution.h
    dilution.v = fix.vdop ?? dilution.v
    dilution.p = fix.pdop ?? dilution.p
    var errors = DerivedErrors()
    put(positionOf: fix, into: &errors)
    errors.time = fix.measured == nil ? nil : fix.timeAccuracy ?? Self.clockError
    errors.speed = fix.speedAccuracy
    errors.course = fix.isCourseAccuracyDerived ? nil : fix.courseAccuracy
    errors.groundSpeed = fix.speed
    let place = EarthCentered(fix.position)
    let time = FixTime(copy fix)
    if let previous, let interval = time.nanoseconds(since: previous.time), interval > Self.shortestInterval {
      put(ratesSince: previous, seconds: Double(interval) * 1e-9, to: place, into: &errors)
    }
    previous = Previous(time: time, place: place)
    previous?.horizontal = Self.larger(errors.longitude, errors.latitude)
    previous?.vertical = errors.altitude
    newest = errors
    return errors
  }

  /// Forgets the newest fix: the fix is lost, or a rate across the gap has no meaning.
  package mutating func lost() {
    previous = nil
    newest = nil
  }

  private func put(positionOf fix: borrowing Fix, into errors: inout DerivedErrors) {
    let range =
      switch fix.status {
      case .dgps, .rtkFixed, .rtkFloat: Self.differential
      default: Self.autonomous
      }
    let stated = fix.horizontalBasis == .dilution ? nil : fix.horizontalAccuracy
    errors.horizontal = stated ?? dilution.h.map { $0 * range.position }
    // Without a geometry the error is the same in all directions.
    let (x, y) = (dilution.x ?? 1, dilution.y ?? 1)
    var unit: Double?
    if let stated {
      unit = stated * Confidence.line / Confidence.radius(x, y)
    } else if dilution.x != nil {
      unit = range.horizontal
    } else {
      unit = dilution.h.map { $0 * range.horizontal * 0.5.squareRoot() }
    }
    errors.longitude = fix.longitudeError ?? unit.map { $0 * x }
    errors.latitude = fix.latitudeError ?? unit.map { $0 * y }
    if fix.verticalBasis != .dilution, let stated = fix.verticalAccuracy {
      errors.altitude = stated
    } else if fix.mode == .threeD, let vdop = dilution.v {
      errors.altitude = vdop * range.vertical
    }
    if stated == nil, let pdop = dilution.p {
      errors.spherical = pdop * range.position
    } else if let horizontal = errors.horizontal, let vertical = errors.altitude {
      errors.spherical = (horizontal * horizontal + vertical * vertical).squareRoot()
    }
  }

  private func put(
    ratesSince previous: borrowing Previous, seconds: Double, to place: EarthCentered, into errors: inout DerivedErrors
  ) {
    let horizontal = Self.larger(errors.longitude, errors.latitude)
    if errors.speed == nil, let horizontal, let before = previous.horizontal {
      errors.speed = (before + horizontal) / seconds
    }
    let distance = (place - previous.place).length
    if errors.course == nil, let horizontal { errors.course = FixRates.angle(of: horizontal, at: distance) }
    if errors.groundSpeed == nil { errors.groundSpeed = distance / seconds }
    if let vertical = errors.altitude, let before = previous.vertical {
      errors.climbError = (before + vertical) / seconds
    }
  }

  private static func larger(_ first: Double?, _ second: Double?) -> Double? {
    guard let first, let second else { return nil }
    return max(first, second)
  }
}

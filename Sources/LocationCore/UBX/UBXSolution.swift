/// The solution in the UBX messages of one epoch: of NAV-PVT, or of the messages that receivers before M7 send.
struct UBXSolution: Sendable {
  /// GPS time of week, milliseconds.
  @Compact var timeOfWeek: Int?
  /// UTC date, in a leap second that of the day which it ends; `nil` unless the receiver marks date and time valid.
  @Compact var date: CalendarDate?
  /// UTC time of day, rounded to the millisecond as NMEA's is, if the receiver marks it valid.
  @Compact var timeOfDay: TimeOfDay?
  var status = SolutionStatus.unstated
  var isTimeOnly = false
  var mode: FixMode?
  @Compact var position: Coordinate?
  var hasBadPosition = false
  /// Altitude above mean sea level and geoid above ellipsoid, metres.
  @Compact var altitudeMSL: Double?
  @Compact var geoidSeparation: Double?
  /// Altitude above the ellipsoid of NAV-SOL, metres.
  @Compact var altitudeHAE: Double?
  @Compact var speed: Double?
  @Compact var course: Double?
  @Compact var climb: Double?
  @Compact var heading: Double?
  @Compact var magneticVariation: Double?
  /// Standard deviations: distance in the plane, altitude (both metres), speed (m/s), course (degrees), time (s).
  @Compact var horizontalDeviation: Double?
  @Compact var verticalDeviation: Double?
  @Compact var speedDeviation: Double?
  @Compact var courseDeviation: Double?
  @Compact var timeDeviation: Double?
  @Compact var hdop: Double?
  @Compact var vdop: Double?
  @Compact var pdop: Double?
  @Compact var satellitesUsed: Int?

  /// Adds a message. Returns whether one of its values is out of range.
  mutating func add(_ frame: UBXFrame) -> Bool {
    switch frame.type {
    case .navPVT: return add(pvt: frame)
    case .navPOSLLH: return put(position: frame, longitude: 4)
    case .navSTATUS: if status == .unstated { put(status: frame, at: 4) }
    case .navSOL:
      put(status: frame, at: 10)
      pdop = pdop ?? frame.dilution(44)
      satellitesUsed = Int(frame.u1(47))
      if case .valid = status, position == nil, !hasBadPosition { return put(earthCentered: frame) }
    case .navVELNED:
      put(velocity: frame, down: 12, ground: Double(frame.u4(20)) / 100, course: 24, parts: 100)
      speedDeviation = frame.deviation(28, parts: 100)
      put(courseDeviation: frame.deviation(32, parts: 1e5))
    case .navTIMEGPS:
      guard timeOfDay == nil else { break }
      timeDeviation = frame.deviation(12, parts: 1e9)
      return put(time: frame)
    case .navTIMEUTC:
      timeDeviation = frame.deviation(4, parts: 1e9)
      return put(time: frame)
    case .navDOP:
      pdop = frame.dilution(6)
      vdop = frame.dilution(10)
      hdop = frame.dilution(12)
    default: break
    }
    return false
  }

  private mutating func add(pvt frame: UBXFrame) -> Bool {
    var isOutOfRange = put(time: frame)
    timeDeviation = frame.deviation(12, parts: 1e9)
    put(status: frame, at: 20)
    if case .valid = status {
      switch frame.u1(21) >> 6 {
      case 1: status = .valid(.rtkFloat)
      case 2: status = .valid(.rtkFixed)
      default: break
      }
    }
    satellitesUsed = Int(frame.u1(23))
    let isInvalid = frame.flag(78, 0)
    if isInvalid {
      position = nil
      if case .valid = status { status = .void }
    } else {
      isOutOfRange = put(position: frame, longitude: 24) || isOutOfRange
    }
    put(velocity: frame, down: 56, ground: Double(frame.i4(60)) / 1000, course: 64, parts: 1000)
    speedDeviation = frame.deviation(68)
    put(courseDeviation: frame.deviation(72, parts: 1e5))
    pdop = pdop ?? frame.dilution(76)
    if frame.count >= 92 {
      if frame.flag(21, 5) { heading = Self.direction(frame.i4(84)) }
      let variation = Double(frame.i2(88)) / 100
      if frame.flag(11, 3), abs(variation) <= 180 { magneticVariation = variation }
    }
    return isOutOfRange
  }

  /// Method and dimensions, by the type of the fix and the flags behind it. A fix that is not marked OK is none.
  private mutating func put(status frame: UBXFrame, at offset: Int) {
    guard frame.flag(offset + 1, 0) else {
      status = .void
      isTimeOnly = frame.u1(offset) == 5
      return
    }
    let isDifferential = frame.flag(offset + 1, 1)
    switch frame.u1(offset) {
    case 1: (status, mode) = (.valid(.deadReckoning), .twoD)
    case 2: (status, mode) = (.valid(isDifferential ? .dgps : .normal), .twoD)
    case 3: (status, mode) = (.valid(isDifferential ? .dgps : .normal), .threeD)
    case 4: (status, mode) = (.valid(.gnssDeadReckoning), .threeD)
    case 5: (status, mode) = (.valid(.surveyed), .threeD)
    default: status = .void
    }
  }

  /// Position, altitudes and their deviations, from the longitude on. Returns whether the position is out of range.
  private mutating func put(position frame: UBXFrame, longitude offset: Int) -> Bool {
    position = Coordinate(
      latitude: Double(frame.i4(offset + 4)) / 1e7, longitude: Double(frame.i4(offset)) / 1e7)
    hasBadPosition = position == nil
    let height = Double(frame.i4(offset + 8))
    let altitude = Double(frame.i4(offset + 12))
    altitudeMSL = altitude / 1000
    geoidSeparation = (height - altitude) / 1000
    horizontalDeviation = frame.deviation(offset + 16)
    verticalDeviation = frame.deviation(offset + 20)
    return hasBadPosition
  }

  /// NAV-SOL, without NAV-POSLLH and -VELNED. Its accuracy, of three dimensions, is not used. Returns if out of range.
  private mutating func put(earthCentered frame: UBXFrame) -> Bool {
    func metres(_ offset: Int) -> Double { Double(frame.i4(offset)) / 100 }
    let place = EarthCentered(x: metres(12), y: metres(16), z: metres(20))
    position = place.coordinate
    guard let position else {
      hasBadPosition = true
      return true
    }
    altitudeHAE = (place - EarthCentered(position)).local(at: position).up
    guard speed == nil else { return false }
    let velocity = EarthCentered(x: metres(28), y: metres(32), z: metres(36)).local(at: position)
    let ground = (velocity.east * velocity.east + velocity.north * velocity.north).squareRoot()
    (speed, climb) = (ground, velocity.up)
    course = Degrees.bearing(Degrees.atan2(velocity.east, velocity.north))
    speedDeviation = frame.deviation(40, parts: 100)
    put(courseDeviation: speedDeviation.map { Degrees.atan2($0, ground) })
    return false
  }

  private mutating func put(
    velocity frame: UBXFrame, down: Int, ground: Double, course: Int, parts: Double
  ) {
    climb = 0 - Double(frame.i4(down)) / parts
    speed = ground >= 0 ? ground : nil
    self.course = Self.direction(frame.i4(course))
  }

  /// A course counts while its 95 % error is below 90°: of a receiver at rest not even the half circle is known.
  private mutating func put(courseDeviation deviation: Double?) {
    courseDeviation = deviation
    if deviation.map({ $0 * Confidence.line >= 90 }) ?? true {
      (course, courseDeviation) = (nil, nil)
    }
  }

  /// Degrees from north, 0 to below 360, of hundred-thousandths.
  private static func direction(_ value: Int32) -> Double? {
    guard (-36_000_000...36_000_000).contains(value) else { return nil }
    let positive = value < 0 ? value + 36_000_000 : value
    return Double(positive == 36_000_000 ? 0 : positive) / 100_000
  }

  /// Returns whether a time that is marked valid is out of range.
  private mutating func put(time frame: UBXFrame) -> Bool {
    guard frame.hasTime else { return false }
    guard let (days, time) = frame.utc else { return true }
    timeOfDay = time
    if let days, UTCInstant(daysSince1970: days, time: time) != nil { date = CalendarDate(daysSince1970: days) }
    return frame.hasDate && date == nil
  }
}

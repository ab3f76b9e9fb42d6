extension EpochContent {
  /// The fix without its date, or why there is none. Called in place, as `needs`, and calls the longer ones so.
  mutating func fix(recent: RecentMode) throws(Absence) -> Fix {
    let status: FixStatus
    switch self.status() {
    case .void: throw .noFix(ubx.isTimeOnly ? .timeOnly : .void)
    case .unstated: throw .noFix(position == nil ? .noPosition : .noStatus)
    case .valid(let how): status = how
    }
    guard let position else { throw hasBadPosition ? .outOfRange : .noFix(.noPosition) }
    var fix = Fix(position: position, mode: mode(recent: recent), status: status, timeOfDay: key, received: received)
    put(solutionInto: &fix)
    put(accuracyInto: &fix)
    return fix
  }

  enum Absence: Error {
    case noFix(NoFixReason)
    case outOfRange
  }

  /// The position, preferably from GGA or GNS: some receivers send more digits in them.
  @inline(__always) private var position: Coordinate? {
    ubx.position ?? gga?.position ?? gns?.position ?? rmc?.position ?? gll?.position
  }

  @inline(__always) private var hasBadPosition: Bool {
    let early = SentenceProblems(fields: 1...4)
    let middle = SentenceProblems(fields: 2...5)
    let late = SentenceProblems(fields: 3...6)
    return ubx.hasBadPosition || !(gga?.problems ?? []).isDisjoint(with: middle)
      || !(gns?.problems ?? []).isDisjoint(with: middle)
      || !(rmc?.problems ?? []).isDisjoint(with: late) || !(gll?.problems ?? []).isDisjoint(with: early)
  }

  /// The receiver's last statement: GSA's mode, else the presence of an altitude in GGA or GNS.
  private mutating func mode(recent: RecentMode) -> FixMode {
    if let stated = ubx.mode ?? statedMode(recent: recent) { return stated }
    if hasThreeSatellites { return .twoD }
    return recent.active ?? altitudeMode ?? recent.mode ?? .twoD
  }

  /// GSA's mode; `nil` also for 2D from a receiver that never states 3D and whose own values are those of 3D.
  @inline(__always) func statedMode(recent: RecentMode) -> FixMode? {
    switch active?.fix {
    case .threeD: .threeD
    case .twoD: !recent.hasStatedThreeD && isThreeDByValues ? nil : .twoD
    case .noFix, nil: nil
    }
  }

  /// Whether an altitude was calculated: from as many satellites as four systems need for one, in a good geometry.
  @inline(__always) private var isThreeDByValues: Bool {
    guard let active, !active.hasThreeD, let vdop = active.vdop, vdop <= 5, altitude != nil else { return false }
    return min(active.count, countedSatellites ?? 0) >= 7
  }

  /// The mode by the altitude; `nil` without a sentence that has a place for one.
  @inline(__always) var altitudeMode: FixMode? {
    guard gga != nil || gns != nil else { return nil }
    return altitude == nil || hasThreeSatellites ? .twoD : .threeD
  }

  /// Whether the fix has too few satellites for an altitude, which is held then. Simulators state 0.
  @inline(__always) private var hasThreeSatellites: Bool {
    countedSatellites.map { (1...3).contains($0) } ?? false
  }

  @inline(__always) var satellitesUsed: Int? { ubx.satellitesUsed ?? countedSatellites }

  /// GPGGA may count those of GPS alone, beside GNGNS.
  @inline(__always) private var countedSatellites: Int? {
    guard let counted = gga?.satellitesUsed else { return gns?.satellitesUsed }
    return max(counted, gns?.satellitesUsed ?? counted)
  }

  @inline(__always) private var altitude: Double? { gga?.altitudeMSL ?? gns?.altitudeMSL }

  private mutating func put(solutionInto fix: inout Fix) {
    // In two dimensions the altitude is the receiver's assumption; without one there are not three.
    if fix.mode == .threeD {
      fix.altitudeMSL = ubx.altitudeMSL ?? altitude
      if fix.altitudeMSL == nil { fix.altitudeHAE = ubx.altitudeHAE }
    }
    if fix.altitudeMSL ?? fix.altitudeHAE == nil { fix.mode = .twoD }
    fix.geoidSeparation = ubx.geoidSeparation ?? gga?.geoidSeparation ?? gns?.geoidSeparation
    fix.speed = ubx.speed ?? rmc?.speed ?? vtg?.speed
    fix.course = ubx.course ?? rmc?.course ?? vtg?.course
    fix.heading = ubx.heading
    fix.climb = ubx.climb ?? pubx00?.climb
    fix.magneticVariation = ubx.magneticVariation ?? rmc?.magneticVariation
    let dilutions = dilutions()
    fix.hdop = dilutions?.hdop
    fix.vdop = dilutions?.vdop
    fix.pdop = dilutions?.pdop
    fix.satellitesUsed = satellitesUsed
    // Without a reference station SiRF and MediaTek state station 0000, and some of them the age 0, too.
    let corrections = (age: gga?.dgpsAge ?? gns?.dgpsAge, station: gga?.dgpsStation ?? gns?.dgpsStation)
    if corrections.age != nil, corrections != (0, 0) { (fix.dgpsAge, fix.dgpsStation) = corrections }
  }

  /// The status that UBX states, unless sentences state that there is no fix; without UBX the worst of GGA, GNS, RMC,
  /// GLL and GSA. The navigational status of RMC and GNS is ignored: V there means that none is provided. An unknown
  /// status letter never means valid, regardless of the mode letter.
  fileprivate mutating func status() -> SolutionStatus {
    if active?.fix == .noFix || ubx.status == .void { return .void }
    let stated = (gga?.quality?.status ?? .unstated).worse(gnsStatus).worse(rmcStatus).worse(gllStatus)
    return ubx.status == .unstated || stated == .void ? stated : ubx.status
  }

  /// One letter per system; a system that does not contribute reports N beside the others.
  @inline(__always) private var gnsStatus: SolutionStatus {
    guard let modes = gns?.modes else { return .unstated }
    let best = PositioningMode.bestFirst.first { mode in (0..<modes.count).contains { modes[$0] == mode.rawValue } }
    return best?.status ?? .unstated
  }

  @inline(__always) private var rmcStatus: SolutionStatus {
    guard let rmc else { return .unstated }
    return rmc.problems.contains(SentenceProblems(field: 2)) ? .void : Self.status(rmc.status, rmc.mode)
  }

  @inline(__always) private var gllStatus: SolutionStatus {
    guard let gll else { return .unstated }
    return gll.problems.contains(SentenceProblems(field: 6)) ? .void : Self.status(gll.status, gll.mode)
  }

  /// By NMEA 2.3. V with E is u-blox's dead reckoning beyond its own limits: an estimate. A with N means no fix.
  private static func status(_ status: RMCStatus?, _ mode: PositioningMode?) -> SolutionStatus {
    switch (status, mode) {
    case (_, .notValid): .void
    case (.void, .estimated): .valid(.deadReckoning)
    case (.void, _): .void
    case (.differential, nil), (.differential, .autonomous): .valid(.dgps)
    case (.valid, nil): .valid(.normal)
    case (nil, nil): .unstated
    case (_, .some(let mode)): mode.status
    }
  }

  /// 1 σ of a range, metres: with a dilution of precision it gives the accuracy if the receiver estimates none.
  private static let rangeError = 4.0

  /// Sets the 95 % errors of a fix from UBX or GST (first for latitude and longitude), else from proprietary sentences
  /// (PUBX,00, PSRFEPE, PGRME), else from the dilution of precision times a range error. Others stay unknown.
  private mutating func put(accuracyInto fix: inout Fix) {
    let noise = noise
    fix.latitudeError = Confidence.error(noise?.latitude)
    fix.longitudeError = Confidence.error(noise?.longitude)
    fix.speedAccuracy = Confidence.error(ubx.speedDeviation) ?? psrfepe?.speed
    fix.timeAccuracy = Confidence.error(ubx.timeDeviation)
    fix.courseAccuracy = Confidence.error(ubx.courseDeviation) ?? psrfepe?.course
    // hAcc is √(σ² + σ²) of latitude and longitude: equal to those of GST in the same epochs of a ZED-F9R.
    if let deviation = ubx.horizontalDeviation {
      (fix.horizontalAccuracy, fix.horizontalBasis) = (deviation * Confidence.distance, .ubx)
    } else if let radius = noise?.horizontalRadius {
      (fix.horizontalAccuracy, fix.horizontalBasis) = (radius, .gst)
    } else if let radius = pubx00?.horizontal ?? psrfepe?.horizontal ?? pgrme?.horizontal {
      (fix.horizontalAccuracy, fix.horizontalBasis) = (radius, .proprietary)
    } else if let hdop = fix.hdop {
      (fix.horizontalAccuracy, fix.horizontalBasis) = (hdop * Self.rangeError * Confidence.distance, .dilution)
    }
    // Without an altitude it would be the error of nothing.
    guard fix.mode == .threeD else { return }
    if let error = Confidence.error(ubx.verticalDeviation) {
      (fix.verticalAccuracy, fix.verticalBasis) = (error, .ubx)
    } else if let error = Confidence.error(noise?.altitude) {
      (fix.verticalAccuracy, fix.verticalBasis) = (error, .gst)
    } else if let error = pubx00?.vertical ?? psrfepe?.vertical ?? pgrme?.vertical {
      (fix.verticalAccuracy, fix.verticalBasis) = (error, .proprietary)
    } else if let vdop = fix.vdop {
      (fix.verticalAccuracy, fix.verticalBasis) = (vdop * Self.rangeError * Confidence.line, .dilution)
    }
  }

  /// The standard deviations of GST, else those of UBX: the horizontal one belongs to both axes alike.
  @inline(__always) var noise: PseudorangeNoise? {
    if let gst { return gst.noise }
    guard ubx.horizontalDeviation != nil || ubx.verticalDeviation != nil else { return nil }
    var noise = PseudorangeNoise()
    noise.latitude = ubx.horizontalDeviation.map { $0 * 0.5.squareRoot() }
    noise.longitude = noise.latitude
    noise.altitude = ubx.verticalDeviation
    return noise
  }
}

extension SentenceProblems {
  fileprivate init(fields numbers: ClosedRange<Int>) {
    self = []
    for number in numbers { formUnion(SentenceProblems(field: number)) }
  }
}

extension GGAQuality {
  var status: SolutionStatus {
    switch self {
    case .notValid: .void
    case .autonomous, .vendor: .valid(.normal)
    case .differential: .valid(.dgps)
    case .pps: .valid(.pps)
    case .rtk: .valid(.rtkFixed)
    case .floatRTK: .valid(.rtkFloat)
    case .estimated: .valid(.deadReckoning)
    case .manual: .valid(.surveyed)
    case .simulator: .valid(.simulated)
    }
  }
}

extension PositioningMode {
  var status: SolutionStatus {
    switch self {
    case .notValid: .void
    case .autonomous: .valid(.normal)
    case .differential: .valid(.dgps)
    case .estimated: .valid(.deadReckoning)
    case .floatRTK: .valid(.rtkFloat)
    case .rtk: .valid(.rtkFixed)
    case .precise: .valid(.pps)
    case .manual: .valid(.surveyed)
    case .simulator: .valid(.simulated)
    }
  }

  /// The letters of one GNS sentence, the best first: the best system determines the solution.
  static let bestFirst: [Self] = [
    .rtk, .floatRTK, .precise, .differential, .autonomous, .estimated, .manual, .simulator, .notValid,
  ]
}

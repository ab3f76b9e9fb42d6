import LocationCore

extension GPSDReport {
  /// The engine's form of a gpsd's report without values out of range; `nil` without position, satellites or errors.
  package init?(_ report: Report, at instant: MonotonicInstant) {
    switch report {
    case .tpv(let tpv): self.init(tpv, at: instant)
    case .sky(let sky): self = .sky(device: sky.device ?? "", Sky(sky))
    case .gst(let gst): self = .noise(device: gst.device ?? "", gst.noise.withinRange)
    default: return nil
    }
  }

  package init(_ tpv: TPV, at instant: MonotonicInstant) {
    self = .position(GPSDPosition(device: tpv.device ?? "", time: tpv.time, fix: Fix(tpv, at: instant)))
  }

  /// The report in a line from a gpsd of any release, with or without the line's end; `nil` for every other line.
  package init?(line: UnsafeBufferPointer<UInt8>, at instant: MonotonicInstant) {
    guard let report = Report(anyRelease: line) else { return nil }
    self.init(report, at: instant)
  }
}

extension Fix {
  /// The fix of a `TPV`; `nil` when it has no mode from 2 on or no position.
  fileprivate init?(_ tpv: TPV, at instant: MonotonicInstant) {
    guard let mode = FixMode(rawValue: tpv.mode), let latitude = tpv.lat, let longitude = tpv.lon,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.init(
      position: position, mode: mode, status: tpv.status.flatMap { FixStatus(rawValue: $0) } ?? .normal,
      measured: tpv.time, timeOfDay: tpv.time.flatMap { TimeOfDay(nanoseconds: $0.nanosecondsOfDay) },
      received: instant)
    altitudeMSL = tpv.altMSL.within(metres) ?? (tpv.altHAE.within(metres) == nil ? tpv.alt.within(metres) : nil)
    geoidSeparation = tpv.geoidSep.within(metres)
    complete(altitudeHAE: tpv.altHAE.within(metres))
    speed = tpv.speed.within(0...1e4)
    course = tpv.track.azimuth
    climb = tpv.climb.within(-1e4...1e4)
    magneticVariation = tpv.magvar.within(-180...180)
    longitudeError = tpv.epx.within(0...1e7)
    latitudeError = tpv.epy.within(0...1e7)
    verticalAccuracy = tpv.epv.within(0...1e7)
    horizontalAccuracy = tpv.eph.within(0...1e7)
    // Older releases state the errors along the axes alone.
    if horizontalAccuracy == nil, let longitudeError, let latitudeError, max(longitudeError, latitudeError) > 0 {
      horizontalAccuracy = Confidence.radius(longitudeError / Confidence.line, latitudeError / Confidence.line)
    }
    speedAccuracy = tpv.eps.within(0...1e7)
    courseAccuracy = tpv.epd.within(0...180)
    dgpsAge = tpv.dgpsAge.within(0...1e6)
    dgpsStation = tpv.dgpsSta.flatMap { $0 >= 0 ? $0 : nil }
  }
}

extension Sky {
  /// More satellites than any receiver tracks.
  private static let maximumSatellites = 184

  fileprivate init(_ sky: SkyReport) {
    self.init(measured: sky.time)
    hdop = sky.hdop.within(0...99)
    vdop = sky.vdop.within(0...99)
    pdop = sky.pdop.within(0...99)
    statedUsed = sky.statedUsed.flatMap { (0...Self.maximumSatellites).contains($0) ? $0 : nil }
    satellites = sky.satellites.lazy.filter { (0...9999).contains($0.number) }.prefix(Self.maximumSatellites).map {
      Satellite(
        prn: $0.number, gnss: $0.systemID.flatMap { GNSS(rawValue: $0) },
        svid: $0.numberInSystem.flatMap { $0 > 0 ? $0 : nil },
        elevation: $0.elevation.within(-90...90), azimuth: $0.azimuth.azimuth, signal: $0.signal.within(0.1...254),
        used: $0.isUsed)
    }
  }
}

extension PseudorangeNoise {
  fileprivate var withinRange: PseudorangeNoise {
    let values: [WritableKeyPath<PseudorangeNoise, Double?>] = [
      \.rms, \.major, \.minor, \.orientation, \.latitude, \.longitude, \.altitude,
    ]
    var noise = self
    for value in values { noise[keyPath: value] = noise[keyPath: value].within(metres) }
    return noise
  }
}

/// The range of lengths and of values without a range of their own.
private let metres = -1e7...1e7

extension Double? {
  fileprivate func within(_ range: ClosedRange<Double>) -> Double? { flatMap { range.contains($0) ? $0 : nil } }

  /// The number as degrees from north, 0 up to but not 360.
  fileprivate var azimuth: Double? { within(0...360).map { $0 == 360 ? 0 : $0 } }
}

import LocationCore

/// The members of one of gpsd's reports that are known here, as they came.
struct ReportFields {
  enum Kind {
    case tpv, sky, gst, other
  }

  /// Numbers by their names.
  enum Name: Int, CaseIterable {
    case mode, status, latitude, longitude, altitudeMSL, altitudeHAE, altitude, geoidSeparation, speed, track
    case magneticVariation, epx, epy, epv, eph, eps, dgpsAge, dgpsStation
    case hdop, vdop, pdop, rms, major, minor, orientation

    var text: StaticString {
      switch self {
      case .mode: "mode"
      case .status: "status"
      case .latitude: "lat"
      case .longitude: "lon"
      case .altitudeMSL: "altMSL"
      case .altitudeHAE: "altHAE"
      case .altitude: "alt"
      case .geoidSeparation: "geoidSep"
      case .speed: "speed"
      case .track: "track"
      case .magneticVariation: "magvar"
      case .epx: "epx"
      case .epy: "epy"
      case .epv: "epv"
      case .eph: "eph"
      case .eps: "eps"
      case .dgpsAge: "dgpsAge"
      case .dgpsStation: "dgpsSta"
      case .hdop: "hdop"
      case .vdop: "vdop"
      case .pdop: "pdop"
      case .rms: "rms"
      case .major: "major"
      case .minor: "minor"
      case .orientation: "orient"
      }
    }
  }

  private(set) var kind: Kind?
  private(set) var device = ""
  private var time: UTCInstant?
  private var satellites: Range<Int>?
  private var numbers = [Double](repeating: .nan, count: Name.allCases.count)

  mutating func take(
    _ name: Range<Int>, _ value: JSONCursor.Value, in line: UnsafeBufferPointer<UInt8>, _ cursor: JSONCursor
  ) {
    switch value {
    case .number(let number):
      guard let name = Name.allCases.first(where: { cursor.is(name, $0.text) }) else { return }
      numbers[name.rawValue] = number
    case .string(let text):
      if cursor.is(name, "class") {
        kind =
          cursor.is(text, "TPV") ? .tpv : cursor.is(text, "SKY") ? .sky : cursor.is(text, "GST") ? .gst : .other
      } else if cursor.is(name, "device") {
        device = String(decoding: line[text].prefix(1024), as: UTF8.self)
      } else if cursor.is(name, "time") {
        time = UTCInstant(text: line[text])
      }
    case .array(let range): if cursor.is(name, "satellites") { satellites = range }
    case .bool, .null, .object: break
    }
  }

  func position(at instant: MonotonicInstant) -> GPSDPosition {
    GPSDPosition(device: device, time: time, fix: fix(at: instant))
  }

  private func fix(at instant: MonotonicInstant) -> Fix? {
    guard let mode = whole(.mode).flatMap({ FixMode(rawValue: $0) }),
      let position = Coordinate(latitude: self[.latitude], longitude: self[.longitude])
    else { return nil }
    var fix = Fix(
      position: position, mode: mode, status: whole(.status).flatMap { FixStatus(rawValue: $0) } ?? .normal,
      measured: time, timeOfDay: time.flatMap { TimeOfDay(nanoseconds: $0.nanosecondsOfDay) }, received: instant)
    // Before release 3.20 gpsd knew one altitude, that above mean sea level.
    fix.altitudeMSL = known(.altitudeMSL) ?? (known(.altitudeHAE) == nil ? known(.altitude) : nil)
    fix.geoidSeparation = known(.geoidSeparation)
    if let hae = known(.altitudeHAE) {
      if let msl = fix.altitudeMSL {
        fix.geoidSeparation = fix.geoidSeparation ?? hae - msl
      } else if let separation = fix.geoidSeparation {
        fix.altitudeMSL = hae - separation
      }
    }
    fix.speed = known(.speed, in: 0...1e4)
    fix.course = known(.track, in: 0...360).map { $0 == 360 ? 0 : $0 }
    fix.magneticVariation = known(.magneticVariation, in: -180...180)
    fix.longitudeError = known(.epx, in: 0...1e7)
    fix.latitudeError = known(.epy, in: 0...1e7)
    fix.verticalAccuracy = known(.epv, in: 0...1e7)
    fix.horizontalAccuracy = known(.eph, in: 0...1e7)
    fix.speedAccuracy = known(.eps, in: 0...1e7)
    fix.dgpsAge = known(.dgpsAge, in: 0...1e6)
    fix.dgpsStation = whole(.dgpsStation).flatMap { $0 >= 0 ? $0 : nil }
    return fix
  }

  func sky(in line: UnsafeBufferPointer<UInt8>) -> Sky {
    var sky = Sky(measured: time)
    sky.hdop = known(.hdop, in: 0...99)
    sky.vdop = known(.vdop, in: 0...99)
    sky.pdop = known(.pdop, in: 0...99)
    guard let satellites, var cursor = JSONCursor(line, in: satellites) else { return sky }
    while sky.satellites.count < Self.maximumSatellites, let element = cursor.element() {
      guard case .object(let range) = element, let satellite = Satellite(line, range) else { continue }
      sky.satellites.append(satellite)
    }
    return sky
  }

  /// More than any receiver tracks.
  private static let maximumSatellites = 184

  var noise: PseudorangeNoise {
    var noise = PseudorangeNoise()
    noise.rms = known(.rms)
    noise.major = known(.major)
    noise.minor = known(.minor)
    noise.orientation = known(.orientation)
    noise.latitude = known(.latitude)
    noise.longitude = known(.longitude)
    noise.altitude = known(.altitude)
    return noise
  }

  private subscript(name: Name) -> Double { numbers[name.rawValue] }

  private func known(_ name: Name, in range: ClosedRange<Double> = -1e7...1e7) -> Double? {
    range.contains(self[name]) ? self[name] : nil
  }

  private func whole(_ name: Name) -> Int? { Int(exactly: self[name]) }
}

extension Satellite {
  /// Reads one of the `satellites`; `nil` without a number.
  fileprivate init?(_ line: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    guard var cursor = JSONCursor(line, in: range) else { return nil }
    var prn: Int?
    var gnss: GNSS?
    var svid: Int?
    var used = false
    var (elevation, azimuth, signal) = (Double.nan, Double.nan, Double.nan)
    while let (name, value) = cursor.member() {
      switch value {
      case .number(let number):
        if cursor.is(name, "PRN") { prn = Int(exactly: number) }
        if cursor.is(name, "gnssid") { gnss = Int(exactly: number).flatMap { GNSS(rawValue: $0) } }
        if cursor.is(name, "svid") { svid = Int(exactly: number).flatMap { $0 > 0 ? $0 : nil } }
        if cursor.is(name, "el") { elevation = number }
        if cursor.is(name, "az") { azimuth = number }
        if cursor.is(name, "ss") { signal = number }
      case .bool(let value): if cursor.is(name, "used") { used = value }
      case .string, .null, .object, .array: break
      }
    }
    guard let prn, (0...9999).contains(prn) else { return nil }
    self.init(
      prn: prn, gnss: gnss, svid: svid, elevation: (-90...90).contains(elevation) ? elevation : nil,
      azimuth: (0...360).contains(azimuth) ? (azimuth == 360 ? 0 : azimuth) : nil,
      signal: (0.1...254).contains(signal) ? signal : nil, used: used)
  }
}

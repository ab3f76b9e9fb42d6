import CGPSD
import LocationCore

/// What one line of a gpsd says, in this project's terms.
package enum GPSDLineReport: Hashable {
  case version(release: String)
  case position(GPSDPosition)
  case sky(device: String, Sky)
  case noise(device: String, PseudorangeNoise)
  /// The devices that gpsd has, and whether each is open.
  case devices([Device])
  /// One device came or went.
  case device(Device)
  case error(String)
  /// What gpsd streams to this client from now on.
  case watch
  /// A class that says nothing about positions.
  case other

  package struct Device: Hashable {
    package var path: String
    package var isActive: Bool
  }
}

extension GPSDLineReport {
  /// Takes over what the shim decoded, at the instant of its reception.
  init(_ report: borrowing cgpsd_report, at instant: MonotonicInstant) {
    let device = text(report.device)
    switch report.class {
    case CGPSD_VERSION: self = .version(release: text(report.text))
    case CGPSD_WATCH: self = .watch
    case CGPSD_ERROR: self = .error(text(report.text))
    case CGPSD_TPV: self = .position(GPSDPosition(report, device: device, at: instant))
    case CGPSD_SKY: self = .sky(device: device, Sky(report))
    case CGPSD_GST: self = .noise(device: device, PseudorangeNoise(report))
    case CGPSD_DEVICE: self = .device(Device(path: text(report.devices.0), isActive: report.active.0))
    case CGPSD_DEVICES:
      let paths = [report.devices.0, report.devices.1, report.devices.2, report.devices.3].map { text($0) }
      let active = [report.active.0, report.active.1, report.active.2, report.active.3]
      let count = min(max(Int(report.device_count), 0), paths.count)
      self = .devices(zip(paths, active).prefix(count).map { Device(path: $0, isActive: $1) })
    default: self = .other
    }
  }
}

extension GPSDPosition {
  fileprivate init(_ report: borrowing cgpsd_report, device: String, at instant: MonotonicInstant) {
    let time = report.time > 0 ? UTCInstant(nanosecondsSince1970: report.time) : nil
    self.init(device: device, time: time, fix: Fix(report, time: time, at: instant))
  }
}

extension Fix {
  /// The fix of a `TPV`; `nil` when it has none.
  fileprivate init?(_ report: borrowing cgpsd_report, time: UTCInstant?, at instant: MonotonicInstant) {
    guard let mode = FixMode(rawValue: Int(report.mode)),
      let position = Coordinate(latitude: report.latitude, longitude: report.longitude)
    else { return nil }
    self.init(
      position: position, mode: mode, status: FixStatus(rawValue: Int(report.status)) ?? .normal, measured: time,
      timeOfDay: time.flatMap { TimeOfDay(nanoseconds: $0.nanosecondsOfDay) }, received: instant)
    altitudeMSL = known(report.altitude_msl)
    geoidSeparation = known(report.geoid_separation)
    if let hae = known(report.altitude_hae) {
      if let altitudeMSL {
        geoidSeparation = geoidSeparation ?? hae - altitudeMSL
      } else if let geoidSeparation {
        altitudeMSL = hae - geoidSeparation
      }
    }
    speed = known(report.speed, in: 0...1e4)
    course = known(report.track, in: 0...360).map { $0 == 360 ? 0 : $0 }
    magneticVariation = known(report.magnetic_variation, in: -180...180)
    longitudeError = known(report.epx, in: 0...1e7)
    latitudeError = known(report.epy, in: 0...1e7)
    verticalAccuracy = known(report.epv, in: 0...1e7)
    horizontalAccuracy = known(report.eph, in: 0...1e7)
    speedAccuracy = known(report.eps, in: 0...1e7)
    dgpsAge = known(report.dgps_age, in: 0...1e6)
    dgpsStation = report.dgps_station >= 0 ? Int(report.dgps_station) : nil
  }
}

extension Sky {
  fileprivate init(_ report: borrowing cgpsd_report) {
    self.init(measured: report.time > 0 ? UTCInstant(nanosecondsSince1970: report.time) : nil)
    hdop = known(report.hdop, in: 0...99)
    vdop = known(report.vdop, in: 0...99)
    pdop = known(report.pdop, in: 0...99)
    let count = min(max(Int(report.satellite_count), 0), Int(CGPSD_SATELLITES_MAX))
    withUnsafeBytes(of: report.satellites) { bytes in
      let all = bytes.assumingMemoryBound(to: cgpsd_satellite.self)
      satellites = all.prefix(count).map { satellite in
        Satellite(
          prn: Int(satellite.prn), gnss: GNSS(rawValue: Int(satellite.gnssid)),
          svid: satellite.svid > 0 ? Int(satellite.svid) : nil, elevation: known(satellite.elevation, in: -90...90),
          azimuth: known(satellite.azimuth, in: 0...360).map { $0 == 360 ? 0 : $0 },
          signal: known(satellite.ss, in: 0.1...254), used: satellite.used)
      }
    }
  }
}

extension PseudorangeNoise {
  fileprivate init(_ report: borrowing cgpsd_report) {
    self.init()
    rms = known(report.rms)
    major = known(report.major)
    minor = known(report.minor)
    orientation = known(report.orientation)
    latitude = known(report.latitude_deviation)
    longitude = known(report.longitude_deviation)
    altitude = known(report.altitude_deviation)
  }
}

/// A finite number in a range; `nil` otherwise, and so for gpsd's NaN.
private func known(_ value: Double, in range: ClosedRange<Double> = -1e7...1e7) -> Double? {
  range.contains(value) ? value : nil
}

/// The text in a C array, up to its NUL.
private func text<Array>(_ array: Array) -> String {
  withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

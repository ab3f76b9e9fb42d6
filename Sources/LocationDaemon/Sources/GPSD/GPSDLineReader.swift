import CGPSD
import GPSDProtocol
import LocationCore

/// A decoder of a live gpsd's lines: libgps, whose layout differs between releases, or that of recordings if none fits.
final class GPSDLineReader {
  /// Members that were left out because they are objects where none belong.
  private(set) var nested: UInt64 = 0
  private let libgps = cgpsd_decoder_create()
  private let report: UnsafeMutablePointer<cgpsd_report>
  private var text: [CChar] = []

  init() {
    report = .allocate(capacity: 1)
    report.initialize(to: cgpsd_report())
  }

  deinit {
    cgpsd_decoder_destroy(libgps)
    report.deallocate()
  }

  var usesLibgps: Bool { libgps != nil }

  /// Decodes one line without its end; `nil` when it is malformed.
  func read(_ line: ArraySlice<UInt8>) -> Report? {
    if let libgps { decode(line, libgps) } else { decode(line) }
  }

  private func decode(_ line: ArraySlice<UInt8>) -> Report? { line.withUnsafeBufferPointer { Report(anyRelease: $0) } }

  private func decode(_ line: ArraySlice<UInt8>, _ libgps: OpaquePointer) -> Report? {
    // A NUL would end the line for C and hide the rest of it.
    guard !line.contains(0) else { return nil }
    text.removeAll(keepingCapacity: true)
    line.withUnsafeBytes { text.append(contentsOf: $0.assumingMemoryBound(to: CChar.self)) }
    text.append(0)
    let result = text.withUnsafeMutableBufferPointer { cgpsd_decode(libgps, $0.baseAddress, report) }
    guard result == CGPSD_OK else { return nil }
    nested &+= UInt64(clamping: report.pointee.nested)
    let decoded = Report(report)
    guard case .tpv(var tpv) = decoded, tpv.altMSL == nil, tpv.altHAE == nil else { return decoded }
    // gpsd before 3.20 sends `alt` alone, which libgps does not hand out.
    if case .tpv(let sent)? = decode(line) { tpv.alt = sent.alt }
    return .tpv(tpv)
  }
}

/// A report of the C side, ten kilobytes: by its address, as each copy costs more than the decoding.
private typealias CReport = UnsafeMutablePointer<cgpsd_report>

extension Report {
  fileprivate init(_ report: CReport) {
    switch report.pointee.class {
    case CGPSD_VERSION:
      self = .version(
        VersionReport(
          release: text(&report.pointee.text), revision: text(&report.pointee.revision),
          protocolMajor: Int(report.pointee.protocol_major),
          protocolMinor: Int(report.pointee.protocol_minor), additions: nil))
    case CGPSD_WATCH:
      var watch = WatchReport(enable: report.pointee.enable, json: report.pointee.json)
      watch.settings.nmea = report.pointee.nmea
      self = .watch(watch)
    case CGPSD_ERROR: self = .error(ErrorReport(message: text(&report.pointee.text)))
    case CGPSD_TPV: self = .tpv(TPV(report))
    case CGPSD_SKY: self = .sky(SkyReport(report))
    case CGPSD_GST: self = .gst(GSTReport(report))
    case CGPSD_DEVICE: self = .device(Self.devices(report).first ?? DeviceReport(path: ""))
    case CGPSD_DEVICES: self = .devices(DevicesReport(devices: Self.devices(report)))
    default: self = .other("")
    }
  }

  private static func devices(_ report: CReport) -> [DeviceReport] {
    let count = min(max(Int(report.pointee.device_count), 0), Int(CGPSD_DEVICES_MAX))
    return withUnsafeBytes(of: &report.pointee.devices) { paths in
      withUnsafeBytes(of: &report.pointee.activated) { activated in
        (0..<count).map { index in
          let path = paths[(index * Int(CGPSD_PATH_MAX))...].prefix(Int(CGPSD_PATH_MAX)).prefix { $0 != 0 }
          var device = DeviceReport(path: String(decoding: path, as: UTF8.self))
          device.activated = instant(activated.assumingMemoryBound(to: Int64.self)[index])
          return device
        }
      }
    }
  }
}

extension TPV {
  fileprivate init(_ report: CReport) {
    self.init(device: text(&report.pointee.device), mode: Int(report.pointee.mode))
    status = Int(report.pointee.status)
    time = instant(report.pointee.time)
    lat = known(report.pointee.latitude)
    lon = known(report.pointee.longitude)
    altHAE = known(report.pointee.altitude_hae)
    altMSL = known(report.pointee.altitude_msl)
    epx = known(report.pointee.epx)
    epy = known(report.pointee.epy)
    epv = known(report.pointee.epv)
    eph = known(report.pointee.eph)
    track = known(report.pointee.track)
    magvar = known(report.pointee.magnetic_variation)
    speed = known(report.pointee.speed)
    eps = known(report.pointee.eps)
    climb = known(report.pointee.climb)
    epd = known(report.pointee.epd)
    geoidSep = known(report.pointee.geoid_separation)
    dgpsAge = known(report.pointee.dgps_age)
    dgpsSta = Int(report.pointee.dgps_station)
  }
}

extension SkyReport {
  fileprivate init(_ report: CReport) {
    self.init(device: text(&report.pointee.device))
    time = instant(report.pointee.time)
    hdop = known(report.pointee.hdop)
    vdop = known(report.pointee.vdop)
    pdop = known(report.pointee.pdop)
    let count = min(max(Int(report.pointee.satellite_count), 0), Int(CGPSD_SATELLITES_MAX))
    satellites = withUnsafeBytes(of: &report.pointee.satellites) { bytes in
      bytes.assumingMemoryBound(to: cgpsd_satellite.self).prefix(count).map { Satellite($0) }
    }
  }
}

extension SkyReport.Satellite {
  fileprivate init(_ satellite: cgpsd_satellite) {
    self.init(number: Int(satellite.prn), isUsed: satellite.used)
    elevation = known(satellite.elevation)
    azimuth = known(satellite.azimuth)
    signal = known(satellite.ss)
    systemID = satellite.gnssid >= 0 ? Int(satellite.gnssid) : nil
    numberInSystem = satellite.svid > 0 ? Int(satellite.svid) : nil
  }
}

extension GSTReport {
  fileprivate init(_ report: CReport) {
    self.init()
    device = text(&report.pointee.device)
    noise.measured = instant(report.pointee.time)
    noise.rms = known(report.pointee.rms)
    noise.major = known(report.pointee.major)
    noise.minor = known(report.pointee.minor)
    noise.orientation = known(report.pointee.orientation)
    noise.latitude = known(report.pointee.latitude_deviation)
    noise.longitude = known(report.pointee.longitude_deviation)
    noise.altitude = known(report.pointee.altitude_deviation)
  }
}

/// A number, or `nil` for libgps's NaN.
private func known(_ value: Double) -> Double? { value.isNaN ? nil : value }

/// An instant, or `nil` for libgps's 0.
private func instant(_ nanosecondsSince1970: Int64) -> UTCInstant? {
  nanosecondsSince1970 > 0 ? UTCInstant(nanosecondsSince1970: nanosecondsSince1970) : nil
}

/// The text in a C array up to its NUL.
private func text<Array>(_ array: inout Array) -> String {
  withUnsafeBytes(of: &array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

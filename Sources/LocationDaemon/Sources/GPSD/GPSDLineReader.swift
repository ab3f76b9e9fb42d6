import CGPSD
import GPSDProtocol
import LocationCore

/// A decoder of a live gpsd's lines by the installed libgps.
final class GPSDLineReader {
  enum Failure: Error, Hashable {
    /// libgps is not installed, or not in the version of the header at build time.
    case noLibrary(name: String)
    /// The program was built without libgps-dev.
    case notBuilt
  }

  /// Lines that libgps did not understand.
  private(set) var malformed: UInt64 = 0
  /// Members that were left out because they are objects where none belong.
  private(set) var nested: UInt64 = 0
  private let decoder: OpaquePointer
  private let report: UnsafeMutablePointer<cgpsd_report>
  /// The current line with a NUL at its end.
  private var text: [CChar] = []

  /// Loads libgps at the first call.
  init() throws(Failure) {
    switch cgpsd_available() {
    case CGPSD_OK: break
    case CGPSD_NOT_BUILT: throw .notBuilt
    default: throw .noLibrary(name: String(cString: cgpsd_library_name()))
    }
    guard let decoder = cgpsd_decoder_create() else { throw .noLibrary(name: String(cString: cgpsd_library_name())) }
    self.decoder = decoder
    report = .allocate(capacity: 1)
    report.initialize(to: cgpsd_report())
  }

  deinit {
    cgpsd_decoder_destroy(decoder)
    report.deallocate()
  }

  /// Decodes one line without its end; `nil` when it is malformed, which is counted.
  func read(_ line: ArraySlice<UInt8>) -> Report? {
    // A NUL would end the line for C and hide the rest of it.
    guard !line.contains(0) else {
      malformed &+= 1
      return nil
    }
    text.removeAll(keepingCapacity: true)
    line.withUnsafeBytes { text.append(contentsOf: $0.assumingMemoryBound(to: CChar.self)) }
    text.append(0)
    let result = text.withUnsafeMutableBufferPointer { cgpsd_decode(decoder, $0.baseAddress, report) }
    guard result == CGPSD_OK else {
      malformed &+= 1
      return nil
    }
    nested &+= UInt64(clamping: report.pointee.nested)
    let decoded = Report(report.pointee)
    guard case .tpv(var tpv) = decoded, tpv.altMSL == nil, tpv.altHAE == nil else { return decoded }
    // gpsd before 3.20 sends `alt` alone, which libgps does not hand out.
    if case .tpv(let sent)? = line.withUnsafeBufferPointer({ Report(anyRelease: $0) }) { tpv.alt = sent.alt }
    return .tpv(tpv)
  }
}

extension GPSDLineReader.Failure {
  /// The failure as an error of a source, with its remedy.
  package func sourceError(of source: String) -> SourceError {
    switch self {
    case .noLibrary(let name):
      // Debian names the package by the library's number: libgps.so.28 is in libgps28.
      .notInstalled(program: name.replacing("libgps.so.", with: "libgps"), source: source)
    case .notBuilt:
      .misconfigured(source: source, reason: "this program was built without libgps-dev; install that and build again")
    }
  }
}

extension Report {
  fileprivate init(_ report: borrowing cgpsd_report) {
    switch report.class {
    case CGPSD_VERSION:
      self = .version(
        VersionReport(
          release: text(report.text), rev: text(report.revision), protoMajor: Int(report.protocol_major),
          protoMinor: Int(report.protocol_minor)))
    case CGPSD_WATCH:
      var watch = WatchReport(enable: report.enable, json: report.json)
      watch.nmea = report.nmea
      self = .watch(watch)
    case CGPSD_ERROR: self = .error(ErrorReport(message: text(report.text)))
    case CGPSD_TPV: self = .tpv(TPV(report))
    case CGPSD_SKY: self = .sky(SKY(report))
    case CGPSD_GST: self = .gst(GPSDProtocol.GST(report))
    case CGPSD_DEVICE: self = .device(Self.devices(report).first ?? DeviceReport(path: ""))
    case CGPSD_DEVICES: self = .devices(DevicesReport(devices: Self.devices(report)))
    default: self = .other("")
    }
  }

  private static func devices(_ report: borrowing cgpsd_report) -> [DeviceReport] {
    let paths = [report.devices.0, report.devices.1, report.devices.2, report.devices.3].map { text($0) }
    let activated = [report.activated.0, report.activated.1, report.activated.2, report.activated.3]
    let count = min(max(Int(report.device_count), 0), paths.count)
    return zip(paths, activated).prefix(count).map { path, activated in
      var device = DeviceReport(path: path)
      device.activated = instant(activated)
      return device
    }
  }
}

extension TPV {
  fileprivate init(_ report: borrowing cgpsd_report) {
    self.init(device: text(report.device), mode: Int(report.mode))
    status = Int(report.status)
    time = instant(report.time)
    lat = known(report.latitude)
    lon = known(report.longitude)
    altHAE = known(report.altitude_hae)
    altMSL = known(report.altitude_msl)
    epx = known(report.epx)
    epy = known(report.epy)
    epv = known(report.epv)
    eph = known(report.eph)
    track = known(report.track)
    magvar = known(report.magnetic_variation)
    speed = known(report.speed)
    eps = known(report.eps)
    climb = known(report.climb)
    epd = known(report.epd)
    geoidSep = known(report.geoid_separation)
    dgpsAge = known(report.dgps_age)
    dgpsSta = Int(report.dgps_station)
  }
}

extension SKY {
  fileprivate init(_ report: borrowing cgpsd_report) {
    self.init(device: text(report.device))
    time = instant(report.time)
    hdop = known(report.hdop)
    vdop = known(report.vdop)
    pdop = known(report.pdop)
    let count = min(max(Int(report.satellite_count), 0), Int(CGPSD_SATELLITES_MAX))
    satellites = withUnsafeBytes(of: report.satellites) { bytes in
      bytes.assumingMemoryBound(to: cgpsd_satellite.self).prefix(count).map { Satellite($0) }
    }
  }
}

extension SKY.Satellite {
  fileprivate init(_ satellite: cgpsd_satellite) {
    self.init(number: Int(satellite.prn), used: satellite.used)
    elevation = known(satellite.elevation)
    azimuth = known(satellite.azimuth)
    signal = known(satellite.ss)
    gnssID = satellite.gnssid >= 0 ? Int(satellite.gnssid) : nil
    svID = satellite.svid > 0 ? Int(satellite.svid) : nil
  }
}

extension GPSDProtocol.GST {
  fileprivate init(_ report: borrowing cgpsd_report) {
    self.init(device: text(report.device))
    time = instant(report.time)
    rms = known(report.rms)
    major = known(report.major)
    minor = known(report.minor)
    orient = known(report.orientation)
    lat = known(report.latitude_deviation)
    lon = known(report.longitude_deviation)
    alt = known(report.altitude_deviation)
  }
}

/// A number, or `nil` for libgps's NaN.
private func known(_ value: Double) -> Double? { value.isNaN ? nil : value }

/// An instant, or `nil` for libgps's 0.
private func instant(_ nanosecondsSince1970: Int64) -> UTCInstant? {
  nanosecondsSince1970 > 0 ? UTCInstant(nanosecondsSince1970: nanosecondsSince1970) : nil
}

/// The text in a C array up to its NUL.
private func text<Array>(_ array: Array) -> String {
  withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

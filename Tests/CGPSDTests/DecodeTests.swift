import CGPSD
import Testing

/// Lines of gpsd, decoded by the libgps that is installed. Without libgps-dev at build time the shim says so.
@Suite struct DecodeTests {
  static let isAvailable = cgpsd_available() == CGPSD_OK

  private func decode(_ line: String) throws -> cgpsd_report {
    let decoder = try #require(cgpsd_decoder_create())
    defer { cgpsd_decoder_destroy(decoder) }
    var bytes = line.utf8CString
    var report = cgpsd_report()
    let result = bytes.withUnsafeMutableBufferPointer { cgpsd_decode(decoder, $0.baseAddress, &report) }
    try #require(result == CGPSD_OK)
    return report
  }

  @Test(.enabled(if: isAvailable, "libgps is not installed"))
  func position() throws {
    let report = try decode(
      #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"status":2,"time":"2026-03-19T12:35:19.250Z","lat":48.1173,"lon":11.516666667,"altHAE":592.3,"altMSL":545.4,"speed":11.524,"track":84.4,"eph":3.5}"#
    )
    #expect(report.class == CGPSD_TPV)
    #expect(report.mode == 3)
    #expect(report.status == 2)
    #expect(report.time == 1_773_923_719_250_000_000)
    #expect(report.latitude == 48.1173)
    #expect(report.longitude == 11.516666667)
    #expect(report.altitude_msl == 545.4)
    #expect(report.speed == 11.524)
    #expect(report.track == 84.4)
    #expect(
      withUnsafeBytes(of: report.device) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } == "/dev/ttyACM0")
  }

  @Test(.enabled(if: isAvailable, "libgps is not installed"))
  func absentValuesAreNotZero() throws {
    let report = try decode(#"{"class":"TPV","device":"/dev/ttyACM0","mode":1}"#)
    #expect(report.mode == 1)
    #expect(report.latitude.isNaN && report.longitude.isNaN && report.speed.isNaN && report.altitude_msl.isNaN)
    #expect(report.time == 0)
  }

  @Test(.enabled(if: isAvailable, "libgps is not installed"))
  func satellites() throws {
    let report = try decode(
      #"{"class":"SKY","device":"/dev/ttyACM0","hdop":0.84,"satellites":[{"PRN":8,"el":56.0,"az":248.0,"ss":28.0,"used":true,"gnssid":0,"svid":8},{"PRN":65,"el":10.0,"az":20.0,"ss":0.0,"used":false,"gnssid":6,"svid":1}]}"#
    )
    #expect(report.class == CGPSD_SKY)
    #expect(report.satellite_count == 2)
    #expect(report.satellites.0.prn == 8 && report.satellites.0.used)
    #expect(report.satellites.1.gnssid == 6 && report.satellites.1.svid == 1)
    #expect(report.hdop == 0.84)
  }

  @Test(
    .enabled(if: isAvailable, "libgps is not installed"),
    arguments: [
      "{\"class\":\"TPV\",\"mode\":", "{\"class\":\"TPV\"", "{\"class\":\"SKY\",\"satellites\":[{", "{\"class\":\"NEW", "HTTP/1.1 400 Bad Request", "",
      "{\"class\":\"TPV\",\"mode\":3}}",
    ])
  func brokenLines(line: String) throws {
    let decoder = try #require(cgpsd_decoder_create())
    defer { cgpsd_decoder_destroy(decoder) }
    var bytes = line.utf8CString
    var report = cgpsd_report()
    let result = bytes.withUnsafeMutableBufferPointer { cgpsd_decode(decoder, $0.baseAddress, &report) }
    #expect(result == CGPSD_MALFORMED)
  }

  @Test(
    .enabled(if: isAvailable, "libgps is not installed"),
    arguments: [
      (#""base":{"lat":9,"lon":{"lat":8},"x":"}\"{"},"#, 1), (#""list":[1,[2],{"lat":7}],"base":{"mode":1},"#, 2),
      (#""text":"{\"lat\":9}","#, 0),
    ])
  func whatIsNestedStaysOut(member: String, count: Int32) throws {
    let report = try decode(#"{"class":"TPV","device":"/dev/a","mode":3,\#(member)"lat":1.5,"lon":2.5}"#)
    #expect(report.mode == 3 && report.latitude == 1.5 && report.longitude == 2.5)
    #expect(report.nested == count)
    let last = try decode(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":1.5,"lon":2.5,\#(member.dropLast())}"#)
    #expect(last.mode == 3 && last.latitude == 1.5 && last.longitude == 2.5)
  }

  @Test func unknownClassIsPassedBy() throws {
    guard Self.isAvailable else {
      #expect(cgpsd_decoder_create() == nil)
      return
    }
    #expect(try decode(#"{"class":"NEWS","text":"x"}"#).class == CGPSD_OTHER)
  }
}

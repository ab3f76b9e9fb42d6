import CGPSD
import Testing

/// Lines of gpsd, decoded by the installed libgps; skipped without libgps-dev at build time.
@Suite struct DecodeTests {
  static let isAvailable: Bool = {
    let decoder = cgpsd_decoder_create()
    defer { cgpsd_decoder_destroy(decoder) }
    return decoder != nil
  }()

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
  func `A TPV has every value`() throws {
    let report = try decode(
      #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"status":2,"time":"2026-03-19T12:35:19.250Z","lat":48.1173,"lon":11.516666667,"altHAE":592.3,"altMSL":545.4,"speed":11.524,"track":84.4,"climb":-0.5,"eph":3.5,"epd":6.5}"#
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
    #expect(report.climb == -0.5 && report.epd == 6.5)
    #expect(
      withUnsafeBytes(of: report.device) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } == "/dev/ttyACM0")
  }

  @Test(.enabled(if: isAvailable, "libgps is not installed"))
  func `Absent values are NaN and not zero`() throws {
    let report = try decode(#"{"class":"TPV","device":"/dev/ttyACM0","mode":1}"#)
    #expect(report.mode == 1)
    #expect(report.latitude.isNaN && report.longitude.isNaN && report.altitude_msl.isNaN)
    #expect(report.speed.isNaN && report.epd.isNaN)
    #expect(report.time == 0)
  }

  @Test(.enabled(if: isAvailable, "libgps is not installed"))
  func `A SKY has every satellite`() throws {
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
    arguments: ["", #""nSat":9,"uSat":7,"#]
  )
  func `Satellites are counted with and without nSat`(counts: String) throws {
    let list = (1...16).map { #"{"PRN":\#($0),"el":1.0,"az":2.0,"ss":3.0,"used":true,"gnssid":0,"svid":\#($0)}"# }
    let report = try decode(
      #"{"class":"SKY","device":"/dev/a",\#(counts)"satellites":[\#(list.joined(separator: ","))]}"#)
    #expect(report.satellite_count == 16)
    #expect(report.satellites.15.prn == 16)
  }

  @Test(.enabled(if: isAvailable, "libgps is not installed"))
  func `A GST has every estimate`() throws {
    let report = try decode(
      #"{"class":"GST","device":"/dev/a","time":"2026-03-19T12:35:19.250Z","rms":1.5,"major":2.5,"minor":3.5,"orient":4.5,"lat":5.5,"lon":6.5,"alt":7.5}"#
    )
    #expect(report.class == CGPSD_GST)
    #expect(report.time == 1_773_923_719_250_000_000)
    #expect([report.rms, report.major, report.minor, report.orientation] == [1.5, 2.5, 3.5, 4.5])
    #expect([report.latitude_deviation, report.longitude_deviation, report.altitude_deviation] == [5.5, 6.5, 7.5])
  }

  @Test(
    .enabled(if: isAvailable, "libgps is not installed"),
    arguments: [
      (#"{"class":"ERROR","message":"no such device"}"#, CGPSD_ERROR, "no such device"),
      (#"{"class":"VERSION","release":"3.27","rev":"3.27","proto_major":3,"proto_minor":16}"#, CGPSD_VERSION, "3.27"),
    ]
  )
  func `Errors and versions have their text`(line: String, class: cgpsd_class, text: String) throws {
    let report = try decode(line)
    #expect(report.class == `class`)
    #expect(withUnsafeBytes(of: report.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } == text)
  }

  @Test(.enabled(if: isAvailable, "libgps is not installed"))
  func `VERSION and WATCH have their values`() throws {
    let version = try decode(
      #"{"class":"VERSION","release":"3.22","rev":"3.22-1","proto_major":3,"proto_minor":14}"#)
    #expect(version.protocol_major == 3 && version.protocol_minor == 14)
    #expect(
      withUnsafeBytes(of: version.revision) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } == "3.22-1")
    let watch = try decode(#"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0}"#)
    #expect(watch.class == CGPSD_WATCH && watch.enable && watch.json && !watch.nmea)
  }

  @Test(
    .enabled(if: isAvailable, "libgps is not installed"),
    arguments: [
      "{\"class\":\"TPV\",\"mode\":", "{\"class\":\"TPV\"", "{\"class\":\"SKY\",\"satellites\":[{", "{\"class\":\"NEW",
      "HTTP/1.1 400 Bad Request", "",
      "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"TPV\",\"path\":\"/dev/a\"}]}",
      "{\"class\":\"TPV\",\"mode\":03}", "{\"class\":\"TPV\",\"lat\":nan}", "{\"class\":\"TPV\",\"lat\":1.}",
      "{\"class\":\"TPV\",\"x\":\"\\u12\"}", "{\"class\":\"TPV\",}", "{\"class\":\"TPV\"}x",
      "{\"class\":\"TPV\",\"x\":" + String(repeating: "[", count: 5000),
      "{\"class\":\"TPV\",\"mode\":3}}",
    ]
  )
  func `Malformed lines are rejected`(line: String) throws {
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
      (#""satellites":[{"PRN":1}],"devices":[{"class":"DEVICE","path":null}],"#, 2), (#""speed":null,"#, 0),
      (#""text":"{\"lat\":9}","#, 0),
    ]
  )
  func `Nested members are removed`(member: String, count: Int32) throws {
    let report = try decode(#"{"class":"TPV","device":"/dev/a","mode":3,\#(member)"lat":1.5,"lon":2.5}"#)
    #expect(report.mode == 3 && report.latitude == 1.5 && report.longitude == 2.5)
    #expect(report.nested == count)
    let last = try decode(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":1.5,"lon":2.5,\#(member.dropLast())}"#)
    #expect(last.mode == 3 && last.latitude == 1.5 && last.longitude == 2.5)
  }

  @Test(
    .enabled(if: isAvailable, "libgps is not installed"),
    arguments: [#"["x"]"#, #"[{"path":"/dev/a"},"x"]"#, #"[["x"]]"#]
  )
  func `A list of something other than objects is removed`(list: String) throws {
    let report = try decode(#"{"class":"DEVICES","devices":\#(list)}"#)
    #expect(report.nested == 1 && report.device_count == 0)
  }

  @Test(.enabled(if: isAvailable, "libgps is not installed"))
  func `Devices come with their paths and times of activation`() throws {
    let report = try decode(
      #"{"class":"DEVICES","other":[1,{"class":"DEVICE","path":"/dev/x"}],"devices":[{"class":"DEVICE","path":"/dev/a{"},{"class":"DEVICE","path":"/dev/b","activated":"2026-03-19T12:35:19.250Z","flags":1}],"remote":"r"}"#
    )
    #expect(report.class == CGPSD_DEVICES)
    #expect(report.device_count == 2 && report.activated.0 == 0 && report.activated.1 == 1_773_923_719_250_000_000)
    #expect(report.nested == 1)
    let path = withUnsafeBytes(of: report.devices.0) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    #expect(path == "/dev/a{")
    // With a list like these libgps alone never comes back.
    for path in ["99999999999999999999", "null", #"[{"path":7}]"#] {
      _ = try decode(#"{"class":"DEVICES","devices":[{"class":"DEVICE","driver":"x","path":\#(path)}]}"#)
    }
    #expect(try decode(#"{"class":"DEVICES","devices":[]}"#).device_count == 0)
    #expect(try decode(#"{"class":"DEVICES","devices":{"a":1}}"#).device_count == 0)
  }

  /// With a second class that is not the first libgps alone never comes back.
  @Test(
    .enabled(if: isAvailable, "libgps is not installed"),
    arguments: ["TPV", "SKY", "GST", "DEVICE", "DEVICES", "VERSION", "WATCH", "ERROR"]
  )
  func `A line of two classes is malformed`(_ name: String) throws {
    let decoder = try #require(cgpsd_decoder_create())
    defer { cgpsd_decoder_destroy(decoder) }
    var report = cgpsd_report()
    for other in ["DEVICES", "ERROR", "WATCH", "VERSION", name] {
      var text = "{\"class\":\"\(name)\",\"device\":\"/dev/a\",\"class\":\"\(other)\"}".utf8CString
      let result = text.withUnsafeMutableBufferPointer { cgpsd_decode(decoder, $0.baseAddress, &report) }
      #expect(result == CGPSD_MALFORMED)
    }
  }

  @Test(.enabled(if: isAvailable, "libgps is not installed"))
  func `Decoding of damaged lines always returns`() throws {
    let decoder = try #require(cgpsd_decoder_create())
    defer { cgpsd_decoder_destroy(decoder) }
    let lines = [
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"NMEA0183","flags":1}]}"#,
      #"{"class":"SKY","device":"/dev/a","hdop":1.5,"satellites":[{"PRN":8,"el":4.5,"used":false},{"PRN":65}]}"#,
      #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-03-19T12:00:00.000Z","lat":48.1,"lon":11.5}"#,
    ]
    var state: UInt64 = 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(truncatingIfNeeded: state >> 33) % bound
    }
    let snippets = ["null", "[1]", "{\"lat\":9}", "\"", "}", "]", ",", "-", "9999999999999999999", "\u{1}"].map {
      Array($0.utf8)
    }
    var report = cgpsd_report()
    var understood = 0
    for _ in 0..<20_000 {
      var bytes = Array(lines[random(3)].utf8)
      for _ in 0...random(3) {
        let start = random(bytes.count)
        bytes.replaceSubrange(start..<min(start + random(6), bytes.count), with: snippets[random(snippets.count)])
      }
      var text = bytes.map { CChar(bitPattern: $0) } + [0]
      if text.withUnsafeMutableBufferPointer({ cgpsd_decode(decoder, $0.baseAddress, &report) }) == CGPSD_OK {
        understood += 1
        #expect(report.device_count <= 4 && report.satellite_count <= 184)
      }
    }
    #expect(understood > 0)
  }

  @Test func `An unknown class is decoded as other`() throws {
    #expect(try decode(#"{"class":"NEWS","text":"x"}"#).class == CGPSD_OTHER)
  }
}

import GPSDProtocol
import LocationCore
import Testing

@Suite struct SkyReportTests {
  @Test func `Every field is written in order`() {
    var sky = Sky(
      measured: UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000),
      satellites: [
        Satellite(prn: 8, gnss: .gps, svid: 8, elevation: 56, azimuth: 248, signal: 28, used: true),
        Satellite(prn: 70, gnss: .glonass, svid: 6, elevation: 5.5),
      ])
    sky.hdop = 0.84
    sky.pdop = 1.5
    let text = JSONLine.text { SkyReport.write(sky, device: "/dev/gps0", into: &$0) }
    #expect(
      text == #"{"class":"SKY","device":"/dev/gps0","time":"2026-03-19T12:35:19.000Z","hdop":0.84,"pdop":1.5,"#
        + #""nSat":2,"uSat":1,"satellites":[{"PRN":8,"el":56,"az":248,"ss":28,"used":true,"gnssid":0,"svid":8},"#
        + #"{"PRN":70,"el":5.5,"used":false,"gnssid":6,"svid":6}]}"# + "\r\n")
  }

  @Test func `An empty sky has counts and an array`() {
    let text = JSONLine.text { SkyReport.write(Sky(), device: nil, into: &$0) }
    #expect(text == #"{"class":"SKY","nSat":0,"uSat":0,"satellites":[]}"# + "\r\n")
  }

  @Test func `Unused satellites are left out first`() throws {
    let satellites = (1...400).map {
      Satellite(
        prn: $0, gnss: .beidou, svid: $0, elevation: 12.25, azimuth: 359.75, signal: 44.55, used: $0.isMultiple(of: 8))
    }
    var line = JSONLine()
    SkyReport.write(Sky(satellites: satellites), device: "/dev/gps0", into: &line)
    #expect(line.count <= JSONLine.maximumLength)
    guard case .sky(let sky) = try Report(line: line.bytes[...]) else {
      Issue.record("no SKY")
      return
    }
    #expect(sky.usedCount == 50)
    #expect(sky.satellites.count { $0.isUsed } == 50)
    #expect(sky.satellites.count > 80)
    #expect(line.text.contains(#""nSat":\#(sky.satellites.count),"#))
  }

  @Test func `The line limit holds for the widest values`() throws {
    let satellites = (1...140).map {
      Satellite(prn: .min + $0, gnss: .navic, svid: .max, elevation: -1e300, azimuth: 1e300, signal: 1e300)
    }
    var line = JSONLine()
    SkyReport.write(Sky(), device: nil, into: &line)
    let start = line.count
    SkyReport.write(Sky(satellites: satellites), device: String(repeating: "\"", count: 900), into: &line)
    #expect(line.count - start <= JSONLine.maximumLength)
    #expect(line.text.hasSuffix("}]}\r\n"))
  }
}

@Suite struct GSTTests {
  @Test func `Every field is written in order`() {
    var noise = PseudorangeNoise()
    noise.rms = 2.44
    noise.major = 1.66
    noise.minor = 1.12
    noise.orientation = 68.989
    noise.latitude = 1.6
    noise.longitude = 1.2
    noise.altitude = 2.52
    let time = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)
    let text = JSONLine.text { GSTReport(noise, time: time, device: "/dev/gps0").write(into: &$0) }
    #expect(
      text == #"{"class":"GST","device":"/dev/gps0","time":"2026-03-19T12:35:19.000Z","rms":2.44,"major":1.66,"#
        + #""minor":1.12,"orient":68.989,"lat":1.6,"lon":1.2,"alt":2.52}"# + "\r\n")
  }
}

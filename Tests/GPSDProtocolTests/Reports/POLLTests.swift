import GPSDProtocol
import LocationCore
import Testing

@Suite struct POLLTests {
  private let time = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)

  @Test func `The arrays are always present`() {
    let text = JSONLine.text { POLL.write(time: time, active: 0, device: "b", into: &$0) }
    #expect(
      text == #"{"class":"POLL","time":"2026-03-19T12:35:19.000Z","active":0,"tpv":["#
        + #"{"class":"TPV","device":"b","mode":1,"status":0}],"gst":[],"sky":[]}"# + "\r\n")
  }

  @Test func `The fix and the satellites are in the POLL`() throws {
    let fix = Fix(position: try #require(Coordinate(latitude: 1, longitude: 2)), mode: .threeD, received: .zero)
    let text = JSONLine.text { POLL.write(time: time, active: 2, device: "a", fix: fix, sky: Sky(), into: &$0) }
    #expect(
      text == #"{"class":"POLL","time":"2026-03-19T12:35:19.000Z","active":2,"tpv":["#
        + #"{"class":"TPV","device":"a","mode":3,"status":1,"lat":1.000000000,"lon":2.000000000}],"gst":[],"#
        + #""sky":[{"class":"SKY","device":"a","nSat":0,"uSat":0,"satellites":[]}]}"# + "\r\n")
  }

  @Test func `Estimated errors are in the POLL of their fix`() throws {
    var fix = Fix(position: try #require(Coordinate(latitude: 1, longitude: 2)), mode: .threeD, received: .zero)
    fix.measured = time
    var noise = PseudorangeNoise()
    noise.latitude = 1.5
    let text = JSONLine.text { POLL.write(time: time, active: 1, device: "a", fix: fix, noise: noise, into: &$0) }
    let gst = #"{"class":"GST","device":"a","time":"2026-03-19T12:35:19.000Z","lat":1.5}"#
    #expect(text.contains(#"],"gst":[\#(gst)],"sky":[]}"#))
  }

  @Test func `Many satellites stay within a line`() throws {
    let fix = Fix(position: try #require(Coordinate(latitude: 1, longitude: 2)), mode: .threeD, received: .zero)
    let sky = Sky(satellites: (1...140).map { Satellite(prn: $0, elevation: 1, azimuth: 2, signal: 3) })
    for length in [1, 300, 500] {
      let device = String(repeating: "x", count: length)
      var line = JSONLine()
      POLL.write(time: time, active: 1, device: device, fix: fix, sky: sky, into: &line)
      #expect(line.count <= JSONLine.maximumLength)
      guard case .poll(let poll) = try Report(line: line.bytes[...]) else {
        Issue.record("no POLL")
        return
      }
      #expect(poll.tpv.count == 1)
      #expect(poll.sky.first?.satellites.isEmpty == false)
    }
  }
}

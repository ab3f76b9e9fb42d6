import GPSDProtocol
import LocationCore
import Testing

@Suite struct GSTLineTests {
  @Test("Every field is written in order")
  func fields() {
    var noise = PseudorangeNoise()
    noise.rms = 2.44
    noise.major = 1.66
    noise.minor = 1.12
    noise.orientation = 68.989
    noise.latitude = 1.6
    noise.longitude = 1.2
    noise.altitude = 2.52
    let time = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)
    let text = JSONLine.text { GST.write(noise, time: time, device: "/dev/gps0", into: &$0) }
    #expect(
      text == #"{"class":"GST","device":"/dev/gps0","time":"2026-03-19T12:35:19.000Z","rms":2.44,"major":1.66,"#
        + #""minor":1.12,"orient":68.989,"lat":1.6,"lon":1.2,"alt":2.52}"# + "\r\n")
  }
}

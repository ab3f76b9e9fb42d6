import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Recorded events")
struct EventLineTests {
  private func text(_ write: (inout EventLine) -> Void) -> String {
    var line = EventLine()
    write(&line)
    return String(decoding: line.json.bytes, as: UTF8.self)
  }

  @Test("a view with all that was said")
  func view() {
    let request = ViewRequest(view: "main", position: .munich, seq: 7, cause: .user)
    #expect(
      text { $0.write(request) }
        == #"{"request":"VIEW","view":"main","lat":48.123456789,"lon":11.5,"seq":7,"cause":"user"}"#)
  }

  @Test("a view with nothing but its place")
  func bareView() {
    let request = ViewRequest(view: "a\"b", position: .munich)
    #expect(
      text { $0.write(request) } == #"{"request":"VIEW","view":"a\"b","lat":48.123456789,"lon":11.5}"#)
  }

  @Test("follow on and off", arguments: [true, false])
  func follow(enable: Bool) {
    #expect(
      text { $0.writeFollow(view: "main", enable: enable) }
        == #"{"request":"FOLLOW","view":"main","enable":\#(enable)}"#)
  }

  @Test("a target, with and without a radius, and its end")
  func target() {
    #expect(
      text { $0.write(TargetRequest(name: "home", position: .munich, radius: 50)) }
        == #"{"request":"TARGET","name":"home","lat":48.123456789,"lon":11.5,"radius":50}"#)
    #expect(
      text { $0.write(TargetRequest(name: "home", position: .munich)) }
        == #"{"request":"TARGET","name":"home","lat":48.123456789,"lon":11.5}"#)
    #expect(
      text { $0.writeTargetOff(name: "home") } == #"{"request":"TARGET","name":"home","enable":false}"#)
  }
}

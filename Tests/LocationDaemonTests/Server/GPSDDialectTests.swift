import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

/// The TCP port sends what gpsd sends, and nothing else.
@Suite("gpsd's protocol")
struct GPSDDialectTests {
  private func ride() throws -> VirtualDaemon {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...3)
    return daemon
  }

  @Test("Only gpsd's classes are sent: no snapshot, no STATE, every epoch unfiltered")
  func unasked() throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    #expect(try client.take().names == ["VERSION"])
    #expect(try client.ask(#"?WATCH={"enable":true,"json":true};"#).names == ["DEVICES", "WATCH"])
    for number in 4...9 { daemon.play(NMEAEpoch(number: number, north: 80, speed: 0.1)) }
    let lines = try client.take()
    #expect(lines.names == Array(repeating: "TPV", count: 6), "standing still is reported as by gpsd")
    #expect(lines.allSatisfy { $0.text.contains(#""status":1"#) && $0.text.contains(#""alt":"#) })
  }

  @Test("Watching without json or nmea delivers nothing")
  func neither() throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"enable":true};"#)
    daemon.ride(4...6)
    #expect(try client.take().isEmpty)
  }

  @Test("A lost fix is a TPV without a fix, sent at once and once")
  func loss() throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true};"#)
    daemon.ride(4...5)
    _ = try client.take()
    daemon.advance(30)
    let lines = try client.take()
    #expect(lines.names == ["TPV"])
    #expect(lines.first?.text.contains(#""mode":1"#) == true)
    #expect(lines.first?.text.contains(#""lat""#) == false)
  }

  @Test("SKY carries the number of satellites even if it is 0")
  func sky() throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true};"#)
    for number in 4...5 { daemon.play(NMEAEpoch(number: number, north: 80, hasSky: true)) }
    let sky = try #require(try client.take().first { $0.text.contains("SKY") })
    #expect(sky.text.contains(#""nSat":3"#) && sky.text.contains(#""uSat":2"#))
  }

  @Test("A client can watch one device of several")
  func device() throws {
    let daemon = try ride()
    let right = daemon.connect(.gpsd)
    let wrong = daemon.connect(.gpsd)
    _ = try right.ask(#"?WATCH={"json":true,"device":"/dev/gps0"};"#)
    let answer = try wrong.ask(#"?WATCH={"json":true,"device":"/dev/nope"};"#)
    #expect(answer.names == ["ERROR"])
    #expect(answer.first?.text.contains("no such device as /dev/nope; there is /dev/gps0") == true)
    daemon.ride(4...5)
    #expect(try right.take().names == ["TPV", "TPV"])
    #expect(try wrong.take().isEmpty)
  }

  @Test("A device that does not lead is not reported")
  func deviceThatDoesNotLead() throws {
    let daemon = try VirtualDaemon(sources: [
      .serial(SerialOptions(path: "/dev/gps0")), .serial(SerialOptions(path: "/dev/gps1")),
    ])
    daemon.open(0)
    daemon.open(1)
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true,"device":"/dev/gps1"};"#)
    daemon.ride(0...3)
    daemon.advance(10)
    #expect(try client.take().isEmpty)
  }

  @Test("POLL and DEVICES have their arrays")
  func asking() throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    let poll = try #require(try client.ask("?POLL;").last)
    for key in ["tpv", "gst", "sky"] { #expect(poll.text.contains("\"\(key)\":[")) }
    let devices = try #require(try client.ask("?DEVICES;").last)
    #expect(devices.text.contains(#""path":"/dev/gps0""#))
  }

  @Test(
    "The additions require opting in",
    arguments: ["?STATUS;", "?FOLLOW;", "?LOCATE;", "?TARGET;", #"?VIEW={"lat":48,"lon":11};"#, "?PLAYBACK;"])
  func additions(request: String) throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    _ = try client.take()
    let refusal = try client.ask(request)
    #expect(refusal.names == ["ERROR"])
    #expect(refusal.first?.text.contains("handlebar") == true)
    let lines = try client.ask(#"?WATCH={"json":true,"handlebar":true};"#)
    #expect(Array(lines.names.prefix(4)) == ["DEVICES", "WATCH", "TPV", "STATE"])
    let answer = try client.ask(request)
    #expect(answer.allSatisfy { !$0.text.contains("is an addition") })
  }

  @Test("Sentences are sent to clients that request them, without other lines")
  func sentences() throws {
    let daemon = try ride()
    let client = daemon.connect(.nmea)
    daemon.play(NMEAEpoch(number: 4, north: 80))
    let text = try client.takeText()
    #expect(text == NMEAEpoch(number: 4, north: 80).text)
  }
}

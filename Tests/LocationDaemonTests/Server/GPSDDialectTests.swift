import GPSDProtocol
import LocationCore
import NIOCore
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

  @Test func `Only gpsd's classes are sent: no snapshot, no STATE, every epoch unfiltered`() throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    #expect(try client.take().names == ["VERSION"])
    #expect(try client.ask(#"?WATCH={"enable":true,"json":true};"#).names == ["DEVICES", "WATCH"])
    for number in 4...9 { daemon.play(NMEAEpoch(number: number, north: 80, speed: 0.1)) }
    let lines = try client.take()
    #expect(lines.names == Array(repeating: "TPV", count: 6), "standing still is reported as by gpsd")
    #expect(lines.allSatisfy { $0.text.contains(#""status":1"#) && $0.text.contains(#""alt":"#) })
  }

  @Test func `Watching without json or nmea delivers nothing`() throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"enable":true};"#)
    daemon.ride(4...6)
    #expect(try client.take().isEmpty)
  }

  @Test func `raw 2 sends the receiver's bytes as they came, raw 1 and nmea only its sentences`() throws {
    let daemon = try ride()
    let clients = [daemon.connect(.gpsd), daemon.connect(.gpsd), daemon.connect(.gpsd)]
    for (client, field) in zip(clients, [#""raw":2"#, #""raw":1"#, #""nmea":true"#]) {
      let answer = try client.ask("?WATCH={\(field)};")
      #expect(answer.last?.text.contains(#""raw":2"#) == (field == #""raw":2"#))
    }
    let epoch = NMEAEpoch(number: 4, north: 80, speed: 20).text
    let bytes = Array(epoch.utf8) + ReceiverCommand.ubx(0x01, 0x61, Array(0...255)) + [0xB5, 0x0A, 0x7B]
    daemon.begin(4)
    daemon.inlet().receive(ByteBuffer(bytes: bytes), at: daemon.now)
    #expect(try clients[0].takeBytes() == bytes)
    #expect(try clients[1].takeBytes() == Array(epoch.utf8))
    #expect(try clients[2].takeBytes() == Array(epoch.utf8))
    _ = try clients[0].ask(#"?WATCH={"raw":0};"#)
    daemon.ride(5...5)
    #expect(try clients[0].takeBytes().isEmpty)
  }

  @Test func `A lost fix is a TPV without a fix, sent at once and once`() throws {
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

  @Test func `SKY carries the number of satellites even if it is 0`() throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true};"#)
    for number in 4...5 { daemon.play(NMEAEpoch(number: number, north: 80, hasSky: true)) }
    #expect(try client.take().names == ["TPV", "TPV"], "satellites are not part of a fix's write")
    daemon.loop.advanceTime(by: .milliseconds(250))
    let sky = try #require(try client.take().first { $0.text.contains("SKY") })
    #expect(sky.text.contains(#""nSat":3"#) && sky.text.contains(#""uSat":2"#))
  }

  @Test func `At 5 Hz SKY comes every second in the write of its fix, and once in 25 epochs before it`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true};"#)
    var (before, after) = ([Int](), [Int]())
    for number in 0..<200 {
      daemon.play(NMEAEpoch(number: number, period: 0.2, speed: 20, hasSky: true))
      switch try client.take().names {
      case ["SKY", "TPV"]: before.append(number)
      case ["TPV", "SKY"]: after.append(number)
      default: break
      }
    }
    // The first epochs show the period.
    #expect((5...8).contains(before.count), "\(before)")
    #expect(zip(before, before.dropFirst()).allSatisfy { $1 - $0 >= 25 }, "\(before)")
    #expect((before.count + after.count) >= 38, "\(before) \(after)")
  }

  /// Five satellites in use.
  private static let satellites =
    NMEAEpoch.sentence("GPGSA,A,3,01,02,03,04,05,,,,,,,,1.9,1.0,1.6")
    + NMEAEpoch.sentence("GPGSV,2,1,05,01,80,010,40,02,30,070,38,03,25,160,37,04,40,250,36")
    + NMEAEpoch.sentence("GPGSV,2,2,05,05,20,330,35")

  @Test func `Every field that gpsd derives, and none of the additions`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true};"#)
    for number in 0...6 {
      daemon.begin(number)
      daemon.receive(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text + Self.satellites)
      daemon.advance(0.4)
    }
    daemon.loop.advanceTime(by: .milliseconds(250))
    let lines = try client.take()
    let fix = try #require(lines.last { $0.name == "TPV" }).text
    for name in ["ept", "epx", "epy", "epv", "eph", "sep", "climb", "eps", "epc", "epd"] {
      #expect(fix.contains("\"\(name)\":"), "\(name) in \(fix)")
    }
    for name in ["seq", "reason", "source", "suspect"] { #expect(!fix.contains("\"\(name)\":")) }
    #expect(fix.contains(#""eph":19,"#) && fix.contains(#""epv":36.8,"#) && fix.contains(#""sep":36.1,"#))
    let sky = try #require(lines.last { $0.name == "SKY" }).text
    for name in ["xdop", "ydop", "vdop", "tdop", "hdop", "gdop", "pdop"] {
      #expect(sky.contains("\"\(name)\":"), "\(name) in \(sky)")
    }
    let poll = try #require(try client.ask("?POLL;").last).text
    #expect(poll.contains(#""sep":36.1,"#) && poll.contains(#""gdop":"#))
    let own = try #require(try daemon.connect().ask("?POLL;").last).text
    #expect(!own.contains(#""sep":"#) && !own.contains(#""gdop":"#))
  }

  @Test func `POLL has the errors of its fix without a subscription`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect(.gpsd)
    daemon.ride(0...1)
    #expect(try client.ask("?POLL;").polls.first?.tpv.first?.eph == 17.1)
    for number in 2...4 { daemon.play(NMEAEpoch(number: number, north: 20 * Double(number), hasNoise: true)) }
    let fix = try #require(try client.ask("?POLL;").polls.first?.tpv.first)
    let time = try #require(fix.time)
    #expect(time.nanosecondsOfDay == 43_204_000_000_000)
    #expect(fix.eps.map { $0 > 0 } == true)
  }

  @Test func `The first POLL of a connection has the errors of the rates`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.server.servesGPSD = true
    for number in 0...3 {
      daemon.begin(number)
      daemon.receive(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text + Self.satellites)
      daemon.advance(0.4)
    }
    let poll = try #require(try daemon.connect(.gpsd).ask("?POLL;").last).text
    for name in ["eps", "epc"] { #expect(poll.contains("\"\(name)\":"), "\(name) in \(poll)") }
  }

  @Test func `VERSION has the release of the gpsd whose protocol it is`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect(.gpsd)
    for lines in [try client.take(), try client.ask("?VERSION;")] {
      guard case .version(let version) = lines.first?.report else {
        Issue.record("\(lines)")
        return
      }
      #expect(version.release == "3.22" && version.revision == Daemon.release && version.additions != nil)
    }
  }

  @Test func `gpsd's fields are derived as long as a client reads them`() throws {
    let daemon = try ride()
    let own = try daemon.watch()
    #expect(daemon.server.gpsdFields == nil)
    let clients = [daemon.connect(.gpsd), daemon.connect(.gpsd), daemon.connect(.gpsd), daemon.connect(.gpsd)]
    _ = try clients[0].ask(#"?WATCH={"json":true};"#)
    _ = try clients[1].ask(#"?WATCH={"enable":true};"#)
    _ = try clients[2].ask("?POLL;")
    _ = try clients[3].ask(#"?WATCH={"json":true};"#)
    _ = try clients[0].ask(#"?WATCH={"enable":false};"#)
    _ = try clients[1].ask(#"?WATCH={"json":true,"handlebar":true};"#)
    clients[2].close()
    daemon.ride(4...5)
    #expect(daemon.server.gpsdFields?.model.newest != nil)
    clients[3].close()
    #expect(daemon.server.gpsdFields == nil)
    daemon.ride(6...7)
    #expect(try own.take().fixes.count == 4)
  }

  @Test func `The receiver's own errors precede those of the dilutions`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true};"#)
    for number in 0...3 { daemon.play(NMEAEpoch(number: number, hasNoise: true)) }
    let fix = try #require(try client.take().fixes.last)
    #expect(fix.epy == 2.94 && fix.epx == 2.744 && fix.epv == 5.88)
  }

  @Test func `A TPV without a fix for each epoch without one; the loss is not reported twice`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect(.gpsd)
    let own = try daemon.watch()
    _ = try client.ask(#"?WATCH={"json":true};"#)
    for number in 0...2 { daemon.play(NMEAEpoch(number: number, isValid: false)) }
    let before = try client.take().fixes
    #expect(before.map(\.mode) == [1, 1, 1])
    let times = before.map { $0.time?.nanosecondsOfDay }
    #expect(times == [43_200_000_000_000, 43_201_000_000_000, 43_202_000_000_000])
    daemon.ride(3...4)
    _ = try client.take()
    for number in 5...8 { daemon.play(NMEAEpoch(number: number, isValid: false)) }
    #expect(try client.take().fixes.map(\.mode) == [1, 1, 1, 1])
    #expect(try own.take().fixes.allSatisfy { $0.mode > 1 })
  }

  @Test func `DEVICE is answered, and reported when a device is opened or closed`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect(.gpsd)
    let own = try daemon.watch()
    _ = try client.ask(#"?WATCH={"json":true};"#)
    daemon.open()
    let opened = try #require(try client.take().first { $0.name == "DEVICE" }).text
    #expect(opened.contains(#""activated":"20"#) && opened.contains(#""native":0"#))
    #expect(!opened.contains("source"))
    daemon.ride(0...2)
    _ = try client.take()
    let answer = try #require(try client.ask("?DEVICE;").last).text
    #expect(answer.contains(#""path":"/dev/gps0""#) && answer.contains(#""flags":1"#))
    #expect(try client.ask(#"?DEVICE={"path":"/dev/gps0"};"#).names == ["DEVICE"])
    #expect(try client.ask(#"?DEVICE={"path":"/dev/no"};"#).names == ["ERROR"])
    #expect(try client.ask(#"?DEVICE={"path":"/dev/gps0","bps":9600};"#).names == ["ERROR"])
    daemon.inlet().note(.unplugged(.unavailable(source: "/dev/gps0", reason: "the receiver was unplugged")))
    let closed = try #require(try client.take().first { $0.name == "DEVICE" }).text
    #expect(!closed.contains("activated"))
    #expect(try own.take().allSatisfy { $0.name != "DEVICE" })
  }

  @Test func `A client that cannot keep up misses epochs without a fix and stays connected`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true};"#)
    client.stopReading()
    for number in 0..<100 { daemon.play(NMEAEpoch(number: number, isValid: false)) }
    client.resumeReading()
    #expect(!client.isClosed)
    daemon.ride(100...101)
    #expect(try client.take().fixes.last?.mode == 3)
  }

  @Test func `A client can watch one device of several`() throws {
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

  @Test func `A device that does not lead is not reported`() throws {
    let daemon = try VirtualDaemon(sources: [
      SourceURI(SerialOptions(path: "/dev/gps0")), SourceURI(SerialOptions(path: "/dev/gps1")),
    ])
    daemon.open(0)
    daemon.open(1)
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true,"device":"/dev/gps1"};"#)
    daemon.ride(0...3)
    daemon.advance(10)
    #expect(try client.take().isEmpty)
  }

  @Test func `POLL and DEVICES have their arrays`() throws {
    let daemon = try ride()
    let client = daemon.connect(.gpsd)
    let poll = try #require(try client.ask("?POLL;").last)
    for key in ["tpv", "gst", "sky"] { #expect(poll.text.contains("\"\(key)\":[")) }
    let devices = try #require(try client.ask("?DEVICES;").last)
    #expect(devices.text.contains(#""path":"/dev/gps0""#))
  }

  @Test(arguments: ["?STATUS;", "?FOLLOW;", "?LOCATE;", "?TARGET;", #"?VIEW={"lat":48,"lon":11};"#, "?PLAYBACK;"])
  func `The additions require opting in`(request: String) throws {
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

  @Test func `Sentences are sent to clients that request them, without other lines`() throws {
    let daemon = try ride()
    let client = daemon.connect(.nmea)
    daemon.play(NMEAEpoch(number: 4, north: 80))
    let text = try client.takeText()
    #expect(text == NMEAEpoch(number: 4, north: 80).text)
  }
}

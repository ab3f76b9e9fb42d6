import LocationCore
import Testing

@testable import LocationDaemon

@Suite("States of a source")
struct SourceStateTests {
  private let unplugged = SourceError.unavailable(source: "/dev/gps0", reason: "the receiver was unplugged")

  @Test func `After 3 s of silence the fix is lost, once; the next fix is regained`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch()
    daemon.ride(0...3)
    _ = try client.take()
    daemon.advance(2.59)
    #expect(try client.take().isEmpty)
    daemon.advance(0.02)
    #expect(try client.take().states.map(\.phase.rawValue) == ["lost"])
    daemon.advance(100)
    #expect(try client.take().isEmpty)
    daemon.ride(200...200)
    let lines = try client.take()
    #expect(lines.states.map(\.phase.rawValue) == ["tracking"])
    #expect(lines.fixes.map(\.reason) == ["regained"])
  }

  @Test func `Two epochs without a fix are a loss`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch()
    daemon.ride(0...3)
    _ = try client.take()
    daemon.play(NMEAEpoch(number: 4, isValid: false))
    #expect(try client.take().isEmpty)
    daemon.play(NMEAEpoch(number: 5, isValid: false))
    #expect(try client.take().states.map(\.phase.rawValue) == ["lost"])
  }

  @Test func `An unplug is a loss; the open epoch is published first`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch(#","satellites":false"#)
    daemon.ride(0...3)
    _ = try client.take()
    daemon.advance(0.6)
    daemon.receive(NMEAEpoch(number: 4, north: 80).text)
    daemon.inlet().note(.unplugged(unplugged))
    #expect(try client.take().names == ["TPV", "STATE"])
    for _ in 0..<10 {
      daemon.advance(0.25)
      daemon.inlet().note(.opening)
      daemon.inlet().note(.failed(.notFound(device: "/dev/gps0", present: ["/dev/ttyUSB1"])))
    }
    let failed = try client.take().states
    #expect(failed.map(\.phase) == [.failed])
    #expect(failed.first?.error == .init("notFound"))
    #expect(failed.first?.previousPhase == .init("lost"))
    #expect(failed.first?.remedy?.contains("/dev/ttyUSB1") == true)
    daemon.open()
    daemon.ride(10...10)
    let lines = try client.take()
    #expect(lines.states.map(\.phase.rawValue) == ["acquiring", "tracking"])
    #expect(lines.fixes.map(\.reason) == ["regained"])
  }

  @Test func `Bytes without sentences are an error until the first sentence, even without a fix`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch(#","satellites":false"#)
    daemon.inlet().note(.failed(.noNMEA(device: "/dev/gps0", bytes: 500, speeds: [9600])))
    #expect(try client.take().states.map(\.error) == [.noNMEA])
    daemon.receive("more garbage")
    daemon.advance(1)
    #expect(try client.take().isEmpty)
    for number in 1...3 { daemon.play(NMEAEpoch(number: number, isValid: false)) }
    let states = try client.take().states
    #expect(states.map(\.phase.rawValue) == ["acquiring", "acquiring"])
    #expect(states.map { $0.reason?.rawValue } == [nil, "searching"])
    daemon.ride(4...4)
    #expect(try client.take().names == ["STATE", "TPV"])
  }

  @Test func `A fix can follow garbage directly`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch()
    daemon.inlet().note(.failed(.noNMEA(device: "/dev/gps0", bytes: 500, speeds: [9600])))
    daemon.ride(1...1)
    #expect(try client.take().states.last?.phase.rawValue == "tracking")
  }

  @Test func `The next source takes the lead with a reason; the preferred one returns after 10 s of fixes`() throws {
    let daemon = try VirtualDaemon(
      sources: [SourceURI(SerialOptions(path: "/dev/a")), SourceURI(SerialOptions(path: "/dev/b"))])
    daemon.open(0)
    daemon.open(1)
    let client = try daemon.watch()
    func play(_ numbers: ClosedRange<Int>, from sources: [Int]) {
      for number in numbers {
        for source in sources {
          daemon.receive(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text, from: source)
        }
        daemon.advance(1)
      }
    }
    play(0...5, from: [0, 1])
    #expect(try client.take().fixes.allSatisfy { $0.device == "/dev/a" })
    play(6...12, from: [1])
    let taken = try client.take()
    #expect(taken.states.compactMap(\.leadReason) == [.init("silent")])
    #expect(taken.fixes.first { $0.device == "/dev/b" }?.reason == "source")
    play(13...30, from: [0, 1])
    let back = try client.take()
    #expect(back.states.compactMap(\.leadReason) == [.init("preferred")])
    #expect(back.fixes.last?.device == "/dev/a")
    #expect(back.fixes.compactMap(\.seq) == back.fixes.compactMap(\.seq).sorted())
  }
}

import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("A gpsd beside serial sources")
struct GPSDSourceTests {
  @Test func `gpsd is held by this daemon if all of its devices are, in any order`() throws {
    let options = GPSDOptions(address: NetworkAddress(host: "localhost", port: 2947))
    let daemon = try VirtualDaemon(sources: [SourceURI(options)])
    let source = GPSDSource(
      options, into: daemon.inlet(),
      serialLines: SerialLines(reading: { $0 == "/dev/gps0" ? "serial:/dev/gps0" : nil }, open: { nil }))
    let held = SourceError.heldByDaemon(source: "gpsd://localhost:2947", by: "serial:/dev/gps0")
    let (ours, other) = (DeviceReport(path: "/dev/gps0"), DeviceReport(path: "/dev/ais"))
    var read = ours
    read.activated = UTCInstant(nanosecondsSince1970: 0)
    #expect(source.conflict(with: [ours]) == held)
    for devices in [[ours, other], [ours, read]] {
      #expect(source.conflict(with: devices) == nil)
      #expect(source.conflict(with: devices.reversed()) == nil)
    }
  }
}

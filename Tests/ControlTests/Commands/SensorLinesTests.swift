import LocationClient
import Testing

@testable import Control

struct SensorLinesTests {
  @Test func `A reading that is not sent is none`() throws {
    let updates = LocationClient(endpoint: .unix(path: "/nonexistent/socket")).updates()
    defer { updates.cancel() }
    let lines = SensorLines(kind: .power, source: nil, wrap: nil, ticks: nil)
    #expect(!lines.send("200", by: updates))
    #expect(lines.send(" ", by: updates))
  }
}

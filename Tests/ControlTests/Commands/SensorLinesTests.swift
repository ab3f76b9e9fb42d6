import LocationClient
import Testing

@testable import Control

struct SensorLinesTests {
  @Test func `A reading that is not sent is none`() throws {
    let updates = LocationClient(endpoint: .unix(path: "/nonexistent/socket")).updates()
    defer { updates.cancel() }
    let sensor = try Sensor.parse(["power"])
    #expect(!sensor.send("200", of: .power, by: updates))
    #expect(sensor.send(" ", of: .power, by: updates))
  }
}

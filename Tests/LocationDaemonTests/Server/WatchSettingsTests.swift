import GPSDProtocol
import Testing

@testable import LocationDaemon

@Suite("What a connection has said with ?WATCH")
struct WatchSettingsTests {
  private func request(_ change: (inout WatchRequest) -> Void = { _ in }) -> WatchRequest {
    var request = WatchRequest()
    change(&request)
    return request
  }

  @Test("what is not said at first has the default")
  func defaults() {
    var settings = WatchSettings()
    #expect(!settings.enable)
    settings.merge(request(), defaultFilter: 7)
    #expect(settings.enable)
    #expect(!settings.json)
    #expect(settings.distanceFilter == 7)
    #expect(settings.heartbeat == nil)
  }

  @Test("what a later request leaves out stays")
  func keeps() {
    var settings = WatchSettings()
    settings.merge(
      request {
        $0.json = true
        $0.distanceFilter = 0
        $0.heartbeat = 30
      }, defaultFilter: 10)
    settings.merge(request(), defaultFilter: 10)
    #expect(settings.json)
    #expect(settings.distanceFilter == 0)
    #expect(settings.heartbeat == 30)
    settings.merge(
      request {
        $0.distanceFilter = 5
        $0.heartbeat = 0
        $0.json = false
      }, defaultFilter: 10)
    #expect(!settings.json)
    #expect(settings.distanceFilter == 5)
    #expect(settings.heartbeat == 0)
  }
}

import LocationClient
import LocationClientTesting
import Testing

// The code of the article Dashboard, line for line; `ArticleTests` compares them.

/// What the dashboard shows.
struct Readout: Equatable, Sendable {
  var speed = "–"
  var accuracy = ""
  var trip = ""
  /// What a person should know or do; empty while all is well.
  var message = "connecting"
}

actor Dashboard {
  private(set) var readout = Readout()
  private let client: LocationClient

  init(_ client: LocationClient) { self.client = client }

  /// Shows what the daemon sends, across its restarts, until the task is cancelled.
  func run() async {
    for await update in client.updates() { show(update) }
  }

  func show(_ update: LocationClient.Update) {
    switch update {
    case .connected: readout.message = ""
    case .position(let position):
      readout.speed = position.speed.map { "\(Int(($0 * 3.6).rounded())) km/h" } ?? "–"
      readout.accuracy = position.horizontalAccuracy.map { "± \(Int($0.rounded())) m" } ?? ""
    case .state(let state) where state.phase == .tracking: readout.message = ""
    case .state(let state):
      // An old speed is no speed.
      (readout.speed, readout.accuracy) = ("–", "")
      readout.message = [state.message ?? "\(state.phase)", state.remedy].compactMap { $0 }.joined(separator: "; ")
    case .trip(let trip) where trip.name == "day":
      readout.trip = "\(Int(trip.distance)) m in \(trip.movingTime.components.seconds) s, lap \(trip.lap)"
    case .disconnected(let error): readout.message = "\(error)"
    default: break
    }
  }

  func beginLap() async {
    do {
      show(.trip(try await client.beginLap(ofTrip: "day")))
    } catch {
      readout.message = "\(error)"
    }
  }
}

@Suite("Article: a dashboard")
struct DashboardTests {
  private let home = Coordinate(latitude: 48.137, longitude: 11.575)

  @Test func `Speed and accuracy are shown, and an old speed is not`() async throws {
    let dashboard = Dashboard(LocationClient())
    var position = Position(coordinate: try #require(home), speed: 10)
    position.horizontalAccuracy = 2.6
    await dashboard.show(.position(position))
    #expect(await dashboard.readout.speed == "36 km/h")
    #expect(await dashboard.readout.accuracy == "± 3 m")
    await dashboard.show(.state(StateReport(phase: .lost)))
    #expect(await dashboard.readout == Readout(message: "lost"))
  }

  @Test func `Errors are shown with what helps, and restarts are survived`() async throws {
    let clock = ManualClock()
    let daemon = try FakeDaemon(clock: clock)
    try await daemon.start()
    let dashboard = Dashboard(daemon.client)
    let running = Task { await dashboard.run() }
    defer { running.cancel() }
    await daemon.subscribed()

    daemon.send(StateReport(phase: .failed, error: .denied, message: "no permission", remedy: "join the group dialout"))
    while await dashboard.readout.message != "no permission; join the group dialout" { await Task.yield() }

    try await daemon.stop()
    while await dashboard.readout.message.hasPrefix("no permission") { await Task.yield() }
    try await daemon.start()
    clock.advance(by: .seconds(5))
    daemon.send(StateReport(phase: .tracking))
    daemon.send(Position(coordinate: try #require(home), speed: 5))
    while await dashboard.readout.speed != "18 km/h" { await Task.yield() }
    #expect(await dashboard.readout.message == "")
  }

  @Test func `A lap begins, or the reason is shown`() async throws {
    let daemon = try FakeDaemon(clock: ManualClock())
    try await daemon.start()
    let dashboard = Dashboard(daemon.client)
    await dashboard.beginLap()
    #expect(await dashboard.readout.message.contains("no trip"))
    _ = try await daemon.client.startTrip("day")
    await dashboard.beginLap()
    #expect(await dashboard.readout.trip == "0 m in 0 s, lap 2")
  }
}

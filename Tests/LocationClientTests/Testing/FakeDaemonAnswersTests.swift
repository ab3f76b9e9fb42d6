import GPSDProtocol
import LocationClientTesting
import LocationCore
import Testing

@testable import LocationClient

@Suite(.timeLimit(.minutes(5))) struct FakeDaemonAnswersTests {
  private let daemon: FakeDaemon
  private let home: Coordinate

  init() throws {
    // No request times out while other tests keep the processors.
    daemon = try FakeDaemon(clock: ManualClock())
    home = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
  }

  @Test func `The status follows from what was sent, or is what the test says`() async throws {
    try await daemon.start()
    let client = daemon.client
    #expect(try await client.status().phase == .acquiring)
    daemon.send(Position(coordinate: home, mode: .twoD, source: "serial", device: "/dev/gps0"))
    var status = try await client.status()
    #expect(status.phase == .tracking && status.mode == 2 && status.seq == 1 && status.age != nil)
    // That the client closed its first connection may be seen later.
    while try await client.status().clients != 1 {}
    #expect(status.sources.map(\.source) == ["serial"] && status.sources.map(\.device) == ["/dev/gps0"])
    #expect(try await client.devices().map(\.path) == ["/dev/gps0"])
    daemon.send(StateReport(phase: .failed, source: "serial", error: .denied, message: "no", remedy: "join"))
    status = try await client.status()
    #expect(status.phase == .failed && status.sources.map(\.error) == [.denied] && status.mode == nil)
    #expect(try await client.poll().tpv.map(\.mode) == [1])

    let other = StatusReport(release: "1", uptime: .seconds(3), phase: .idle, clients: 7)
    var device = DeviceReport(path: "/dev/gps1")
    device.bitRate = 9600
    daemon.answer(with: other)
    daemon.answer(with: [device])
    try await daemon.stop()
    try await daemon.start()
    #expect(try await client.status() == other)
    #expect(try await client.devices() == [device])
  }

  @Test func `The newest fix and satellites are polled`() async throws {
    try await daemon.start()
    daemon.send(Position(coordinate: home))
    daemon.send(SkyReport(satellites: [SkyReport.Satellite(number: 5, isUsed: true)]))
    let poll = try await daemon.client.poll()
    #expect(poll.tpv.map(\.lat) == [home.latitude] && poll.sky.map(\.usedCount) == [1])
  }

  @Test func `A receiver is set up as the test says`() async throws {
    try await daemon.start()
    #expect(try await daemon.client.receiver().state == "off")
    let receiver = ReceiverReport(source: "serial", device: "/dev/gps0", state: "running")
    daemon.answer(with: receiver)
    #expect(try await daemon.client.receiver() == receiver)
    await #expect(throws: LocationClientError.self) { try await daemon.client.receiver(source: "other") }
  }

  @Test func `Rides are recorded on request, and every subscriber learns it`() async throws {
    try await daemon.start()
    let client = daemon.client
    var updates = client.updates().makeAsyncIterator()
    await daemon.subscribed()
    #expect(try await client.recording().state == .stopped)
    #expect(try await client.setRecording(true).state == .recording)
    while let update = await updates.next(), update != .record(RecordReport(state: .recording)) {}
    var ride = RecordReport(state: .recording)
    ride.distance = 1200
    daemon.send(ride)
    #expect(await updates.next() == .record(ride))
    #expect(try await client.setRecording(false).distance == 1200)
    await #expect(throws: LocationClientError.self) { try await client.setRecording(true, directory: "/tmp") }
    daemon.send(RecordReport(state: .off))
    await #expect(throws: LocationClientError.self) { try await client.setRecording(true) }
  }

  @Test func `A recording that plays is paused, sought and sped up`() async throws {
    try await daemon.start()
    let client = daemon.client
    await #expect(throws: LocationClientError.self) { try await client.playback() }
    var playback = PlaybackReport(position: .seconds(1.5), duration: .seconds(60), speed: 2)
    daemon.send(playback)
    #expect(try await client.playback() == playback)
    var updates = client.updates().makeAsyncIterator()
    while let update = await updates.next(), update != .playback(playback) {}
    (playback.isPaused, playback.position, playback.speed) = (true, .seconds(60), nil)
    #expect(try await client.playback(pause: true, speed: .max, seek: .seconds(90)) == playback)
    #expect(await updates.next() == .playback(playback))
  }

  @Test func `What is asked twice is answered twice, by every request of the protocol`() async throws {
    try await daemon.start()
    let socket = daemon.client
    daemon.send(Position(coordinate: home))
    daemon.send(PlaybackReport(position: .zero, speed: 1))
    _ = try await socket.startTrip("day")
    _ = try await socket.setTarget("home", at: home)
    for request: Request in [
      .devices, .device(path: nil), .device(path: "/dev/fake"), .watch(nil), .poll, .status,
      .question(.follow(view: nil)),
      .engine(.locate(timeout: 0, maxAge: 3600)), .question(.targets), .question(.trips), .playback(nil), .record(nil),
      .receiver(nil),
    ] {
      #expect(try await socket.exchange([request, request]).count == 2, "\(request)")
    }
  }
}

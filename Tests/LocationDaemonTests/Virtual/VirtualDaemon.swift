import LocationCore
import Logging
import NIOCore
import NIOEmbedded

@testable import LocationDaemon

/// The daemon's engine loop and server on an event loop and a clock that the test advances.
///
/// Input of receivers goes into inlets and input of clients into channels, without descriptors. Use it on one thread.
final class VirtualDaemon {
  let loop = EmbeddedEventLoop()
  let sources: SourceList
  let engineLoop: EngineLoop
  let time: TimeObserver
  let server: Server
  /// The instant of epoch 0.
  private let origin: MonotonicInstant

  init(
    sources: [SourceURI] = [SourceURI(SerialOptions(path: "/dev/gps0"))],
    _ configure: (inout DaemonConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = DaemonConfiguration()
    configuration.sources = sources
    configure(&configuration)
    let clock = EngineClock()
    clock.startStepping(at: .zero + .seconds(1000))
    origin = clock.now + .seconds(1)
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    self.sources = SourceList(sources)
    let rides = RideObserver(self.sources)
    engineLoop = EngineLoop(
      self.sources, driftLimit: configuration.driftLimit, latency: configuration.latency, clock: clock, on: loop,
      log: log)
    server = Server(configuration, self.sources, to: engineLoop, rides: rides, clock: clock, on: loop, log: log)
    time = TimeObserver(configuration.chronySocketPath, clock: clock, log: log)
    engineLoop.observers = [server, rides, time]
  }

  // The loop and the server hold each other.
  deinit { engineLoop.observers = [] }

  /// Applies a reloaded configuration, without its sources.
  func apply(_ configuration: DaemonConfiguration) {
    engineLoop.apply(
      driftLimit: configuration.driftLimit, latency: configuration.latency, rideStop: configuration.rideStop)
    server.apply(configuration)
  }

  var now: MonotonicInstant { engineLoop.clock.now }

  /// The way of a source into the engine.
  func inlet(_ source: Int = 0) -> SourceInlet { SourceInlet(sources.all[source], into: engineLoop) }

  /// Opens a source.
  func open(_ source: Int = 0) {
    inlet(source).note(.opening)
    inlet(source).note(.opened)
  }

  /// Advances the clock; deadlines are processed at their own time.
  func advance(_ seconds: Double) {
    advance(to: now + .nanoseconds(Int64(seconds * 1e9)))
  }

  private func advance(to instant: MonotonicInstant) {
    engineLoop.clock.step(to: instant)
    engineLoop.turn(at: instant) { _ in }
  }

  /// Receives bytes from a source now.
  func receive(_ text: String, from source: Int = 0) {
    inlet(source).receive(ByteBuffer(string: text), at: now)
  }

  /// Receives an epoch at its time, followed by silence that closes it.
  func play(_ epoch: NMEAEpoch, from source: Int = 0) {
    advance(to: origin + .nanoseconds(Int64(epoch.offset * 1e9)))
    receive(epoch.text, from: source)
    advance(epoch.period * 0.4)
  }

  /// Advances the clock to the time of an epoch.
  func begin(_ number: Int) {
    advance(to: origin + .seconds(number))
  }

  /// Receives epochs of a ride to the north at 20 m/s.
  func ride(_ numbers: ClosedRange<Int>) {
    for number in numbers { play(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20)) }
  }

  /// A new connection.
  func connect(_ dialect: Dialect = .handlebar) -> VirtualClient { VirtualClient(to: self, dialect: dialect) }

  /// A new connection that receives every fix, perhaps with further fields of the request.
  func watch(filter: Double = 0, _ fields: String = "") throws -> VirtualClient {
    let client = connect()
    try client.send(#"?WATCH={"enable":true,"json":true,"distanceFilter":\#(filter)\#(fields)};"#)
    _ = try client.take()
    return client
  }
}

extension VirtualDaemon {
  /// Receives two reports of a gpsd about the epoch that `NMEAEpoch` has under this number, of a ride to the north at
  /// 20 m/s.
  func report(epoch number: Int, from source: Int, mode: FixMode? = .threeD) {
    let time = UTCInstant(nanosecondsSince1970: (1_773_921_600 + Int64(number)) * 1_000_000_000)
    let latitude = 48 + 20 * Double(number) / 1853.2 / 60
    for _ in 0..<2 {
      var fix: Fix?
      if let mode, let position = Coordinate(latitude: latitude, longitude: 11.5) {
        fix = Fix(position: position, mode: mode, measured: time, received: now)
        fix?.speed = 20
      }
      inlet(source).receive(
        .position(GPSDPosition(device: "/dev/ttyACM0", time: time, fix: fix)), line: [0x7B, 0x7D], at: now)
    }
  }
}

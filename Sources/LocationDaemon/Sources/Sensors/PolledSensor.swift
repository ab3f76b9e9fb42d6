import Dispatch
import LocationCore
import Logging
import NIOCore

/// A sensor that the daemon reads itself, and feeds to the engine as a client does. A thread of its own reads it: the bus
/// behind it takes its time.
final class PolledSensor: ReceiverSource {
  /// Shortest time until it is read again after an error.
  private static let retry = Duration.milliseconds(500)

  /// Returns `nil` before the first reading.
  private let read: @Sendable () throws(SourceError) -> SensorRequest?
  private let interval: Duration
  private let source: ConfiguredSource
  private let loop: EngineLoop
  private let client: ClientID
  private let thread = DispatchQueue(label: "handlebard.sensor")
  private var timer: Scheduled<Void>?
  private var last: SensorRequest?
  private var isStopped = false

  /// At most 20 readings a second are taken.
  init(
    every interval: Duration = .milliseconds(60), into inlet: SourceInlet,
    read: @escaping @Sendable () throws(SourceError) -> SensorRequest?
  ) {
    (self.read, self.interval, source, loop) = (read, interval, inlet.source, inlet.loop)
    // Connections are numbered upwards.
    client = ClientID(.max - UInt64(UInt32(bitPattern: source.id.configured)))
    loop.connect(client, of: nil)
  }

  func start() {
    guard !isStopped else { return }
    let promise = loop.eventLoop.makePromise(of: SensorRequest?.self)
    thread.async { [read] in promise.completeWith(Result { try read() }) }
    promise.futureResult.assumeIsolated().whenComplete { [weak self] in self?.didRead($0) }
  }

  func stop() {
    isStopped = true
    timer?.cancel()
    loop.disconnect(client)
  }

  func didRead(_ result: Result<SensorRequest?, any Error>) {
    guard !isStopped else { return }
    switch result {
    case .success(nil): settle(.acquiring)
    // A count that has not changed is no turn, also behind an error: what feeds each turn is known to stand without one.
    case .success(let reading?) where reading.kind.isCounter && reading == last: settle(.tracking)
    case .success(let reading?): send(reading)
    case .failure(let error): fail(error as? SourceError ?? .unavailable(source: source.device, reason: "\(error)"))
    }
    let wait = source.sensor.error == nil ? interval : max(interval, Self.retry)
    timer = loop.eventLoop.schedule(in: wait) { [weak self] in self?.start() }
  }

  private func send(_ reading: SensorRequest) {
    var named = reading
    named.source = source.device
    last = nil
    loop.turn { instant in
      do throws(RequestRefusal) {
        try loop.handle(.sensor(named), from: client, sent: nil, at: instant)
        settle(.tracking)
        last = reading
      } catch let refusal {
        fail(.unavailable(source: source.device, reason: "\(refusal)"))
      }
    }
  }

  private func settle(_ phase: SourcePhase) {
    if source.sensor.error != nil { loop.log.info("the sensor is back", metadata: metadata) }
    source.sensor = (phase, nil)
  }

  /// There are no readings; logged once for each reason.
  private func fail(_ new: SourceError) {
    guard new != source.sensor.error else { return }
    source.sensor = (.failed, new)
    loop.log.warning("\(new); \(new.remedy)", metadata: metadata.merging(["REASON": "\(new.code)"]) { $1 })
  }

  private var metadata: Logger.Metadata { ["SOURCE": "\(source.name)", "DEVICE": "\(source.device)"] }
}

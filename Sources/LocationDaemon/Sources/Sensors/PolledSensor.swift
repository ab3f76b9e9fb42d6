import Dispatch
import LocationCore
import NIOCore

/// A sensor whose value is in files of sysfs. They are read by a thread of their own: the bus behind them takes its time.
final class PolledSensor: ReceiverSource {
  private let read: @Sendable () throws(SourceError) -> SensorRequest
  private let interval: Duration
  private let inlet: SensorInlet
  private let thread = DispatchQueue(label: "handlebard.sensor")
  private var timer: Scheduled<Void>?
  private var last: SensorRequest?
  private var isStopped = false

  init(
    every interval: Duration, into inlet: SensorInlet,
    read: @escaping @Sendable () throws(SourceError) -> SensorRequest
  ) {
    (self.read, self.interval, self.inlet) = (read, interval, inlet)
  }

  func start() {
    guard !isStopped else { return }
    let promise = inlet.eventLoop.makePromise(of: SensorRequest.self)
    thread.async { [read] in promise.completeWith(Result { try read() }) }
    promise.futureResult.assumeIsolated().whenComplete { [weak self] in self?.didRead($0) }
  }

  func stop() {
    isStopped = true
    timer?.cancel()
    inlet.close()
  }

  func didRead(_ result: Result<SensorRequest, any Error>) {
    guard !isStopped else { return }
    switch result {
    // A count that has not changed is no turn, also behind an error: what feeds each turn is known to stand without one.
    case .success(let reading) where reading.kind.isCounter && reading == last:
      inlet.settle(.tracking)
    case .success(let reading): last = inlet.send(reading) ? reading : nil
    case .failure(let error):
      inlet.fail(error as? SourceError ?? .unavailable(source: inlet.device, reason: "\(error)"))
    }
    timer = inlet.eventLoop.schedule(in: interval) { [weak self] in self?.start() }
  }
}

enum Sysfs {
  static func text(_ path: String) -> String? { SerialDiagnosis.firstLine(of: path) }

  static func number(_ path: String) -> Double? { text(path).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil } }
}

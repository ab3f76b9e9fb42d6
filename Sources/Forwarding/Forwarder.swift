import GPSDProtocol
import Glibc
import LocationCore
import Recordings
import Synchronization

/// Forwards rides to a broker: drives ``ForwardMachine`` with the queue, the connection, the clocks and the state file.
package final class Forwarder {
  private static let pause = Duration.milliseconds(250)
  private static let stopRequest = Atomic(false)

  private let broker: Broker
  private let quality: Int32
  private let library: MQTTLibrary
  private let store: ForwardStore
  private let queue: RideQueue
  private let report: (String) -> Void
  private let message: OwnTracksMessage
  private let isDiscoverable: Bool
  private var machine: ForwardMachine
  private var connection: MQTTConnection?
  private var payload = JSONLine(capacity: 512)
  private var outcome: ForwardMachine.Outcome?
  /// The last error of the directory, which is reported once.
  private var directoryError: String?

  /// A forwarder; `nil` without libmosquitto. The unit's status is at `status` below the topic; `quality` is 1 or 2.
  package init?(
    of queue: RideQueue, to broker: Broker, topic: String, quality: Int32, endsWhenDrained: Bool, store: ForwardStore,
    isDiscoverable: Bool, report: @escaping (String) -> Void
  ) {
    guard let library = MQTTLibrary.load() else { return nil }
    self.library = library
    self.queue = queue
    self.broker = broker
    self.quality = quality
    self.store = store
    self.isDiscoverable = isDiscoverable
    self.report = report
    message = OwnTracksMessage(topic: topic)
    machine = ForwardMachine(endsWhenDrained: endsWhenDrained, at: Self.now) { Double.random(in: 0...1) }
  }

  /// Makes SIGINT and SIGTERM end ``run()``, and after a second the process: a long ride is read, or a disk is waited
  /// for. The state file is complete at any time.
  package static func stopOnSignals() {
    signal(SIGALRM) { _ in _exit(EXIT_SUCCESS) }
    for number in [SIGINT, SIGTERM] {
      // Without SA_RESTART: a wait ends at once.
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in
        if !Forwarder.stopRequest.exchange(true, ordering: .relaxed) { alarm(1) }
      }
      sigaction(number, &action, nil)
    }
  }

  /// Forwards until the end. A ride that could not be read does not end it, but makes ``hasUnreadableRides`` true.
  package func run() -> ForwardMachine.Outcome {
    var isStopping = false
    while true {
      perform(machine.handle(.time, at: Self.now))
      if Self.stopRequest.load(ordering: .relaxed), !isStopping {
        isStopping = true
        perform(machine.handle(.stop, at: Self.now))
      }
      feed()
      if let outcome { return outcome }
      wait()
    }
  }

  package var hasUnreadableRides: Bool { queue.hasUnreadableRides || directoryError != nil }

  private func feed() {
    do throws(RecordingError) {
      try queue.holdRides(at: Self.now)
      while machine.wantsFix {
        guard let fix = try queue.next(at: Self.now) else {
          perform(machine.handle(.drained, at: Self.now))
          break
        }
        directoryError = nil
        perform(machine.handle(.fix(fix), at: Self.now))
      }
    } catch {
      if "\(error)" != directoryError { queue.notices.append("\(error)") }
      directoryError = "\(error)"
      if machine.endsWhenDrained { perform(machine.handle(.drained, at: Self.now)) }
    }
    for notice in exchange(&queue.notices, with: []) { report(notice) }
    if exchange(&queue.isChanged, with: false) { perform(machine.handle(.changed, at: Self.now)) }
  }

  private func wait() {
    let limit = min(Self.pause, max(.zero, machine.deadline.map { $0 - Self.now } ?? Self.pause))
    guard let connection else {
      Glibc.poll(nil, 0, Int32(clamping: limit.nanoseconds / 1_000_000 + 1))
      return
    }
    for event in connection.poll(atMost: limit) {
      do throws(RecordingError) {
        if case .connected = event { try queue.beginLive(at: Self.now) }
      } catch {
        report("\(error)")
      }
      if case .disconnected = event { self.connection = nil }
      perform(machine.handle(event, at: Self.now))
    }
  }

  private func perform(_ actions: [ForwardMachine.Action]) {
    for action in actions {
      switch action {
      case .connect:
        connection = MQTTConnection(
          library, to: broker, name: message.topic, will: (statusTopic, Self.offline), quality: quality)
      case .disconnect:
        connection?.close()
        connection = nil
      case .send(let fix, let id):
        payload.removeAll()
        message.write(fix, at: Self.utc, into: &payload)
        connection?.publish(payload.bytes, to: message.topic, quality: quality, id: id)
      case .announce(let online, let id):
        connection?.publish(
          (online ? "online" : Self.offline).utf8, to: statusTopic, quality: quality, retained: true, id: id)
        guard online, isDiscoverable else { continue }
        for entity in HomeAssistant(topic: message.topic, statusTopic: statusTopic).entities {
          // Nothing waits for its acknowledgement: it is published again on every connection.
          connection?.publish(entity.description, to: entity.topic, quality: quality, retained: true, id: 0)
        }
      case .acknowledge(let fix): queue.acknowledge(fix, at: Self.utc)
      case .save: perform(machine.handle(.saved(failure: save()), at: Self.now))
      case .report(let text): report(text)
      case .end(let outcome): self.outcome = outcome
      }
    }
  }

  private func save() -> String? {
    do throws(RecordingError) {
      try store.write(queue.state)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private var statusTopic: String { message.topic + "/status" }
  private static let offline = "offline"

  private static var now: MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC)) }

  private static var utc: UTCInstant? {
    let utc = UTCInstant(nanosecondsSince1970: nanoseconds(of: CLOCK_REALTIME))
    return utc >= ReceiverConfiguration.floor ? utc : nil
  }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

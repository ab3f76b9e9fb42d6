import GPSDProtocol
import LocationCore
import NIOCore
import Recordings

// Recording events and requests besides the bytes of the sources, and replaying them.
extension EngineHost {
  /// The client of replayed requests; connections are numbered from 1.
  private static let replayClient = ClientID(0)

  func record(_ bytes: ByteBuffer, from feed: SourceFeed, at instant: MonotonicInstant) {
    guard let recorder, let index = engine.index(of: feed.id) else { return }
    recorder.read(bytes, from: index, at: instant)
  }

  /// Records that a source was unplugged or returned; a replay repeats it at the same instant.
  func recordEvent(_ event: [UInt8], from source: Int, at instant: MonotonicInstant) {
    recorder?.event(event, from: engine.index(of: source), at: instant)
  }

  /// Records an accepted request in the form that a replay reads.
  func recordRequest(_ request: Request, at instant: MonotonicInstant) {
    guard let recorder, requestBudget.take(at: instant) else { return }
    var line = JSONLine(capacity: 256)
    request.write(recordedInto: &line)
    recorder.event(Array(line.bytes), from: nil, at: instant)
  }

  /// Connects the client of replayed requests.
  func openReplayClient() {
    turn { instant in try? handle(.connected(peer: .recording), from: Self.replayClient, at: instant) }
  }

  /// Replays a recorded event: a request, or the loss or return of a source.
  func replay(_ event: [UInt8], from feed: SourceFeed, at instant: MonotonicInstant) {
    if event == RecordedEvent.sourceLost {
      let error = SourceError.unavailable(source: feed.uri.device, reason: "it was lost during the recording")
      receive(.unplugged(error), from: feed, at: instant)
    } else if event == RecordedEvent.sourceFound {
      receive(.opened, from: feed, at: instant)
    } else if let request = Request(recorded: event) {
      guard let request = EngineRequest(request) else { return }
      turn(at: instant) { instant in
        do throws(RequestRefusal) {
          try handle(request, from: Self.replayClient, at: instant)
        } catch {
          if case .noTarget = error { return }
          warn("recorded request refused: \(error)", of: "\(error)")
        }
      }
    } else {
      let kind = (Request.kind(ofRecorded: event) ?? "malformed").unicodeScalars.prefix(64)
        .map { $0.escaped(asASCII: true) }.joined()
      warn("the recording contains an unknown event: \(kind)", of: kind)
    }
  }

  /// Logs how many events of a recording were left out without a warning of their own, at its end.
  func reportUnusableEvents() {
    let count = unusableEvents.repetitions
    if count > 0 { log.warning("\(count) more events of the recording were left out") }
    unusableEvents = UnusableEvents()
  }

  private func warn(_ message: String, of kind: String) {
    if unusableEvents.note(kind) { log.warning("\(message)") }
  }
}

/// The events of a recording that a replay leaves out. There is a warning for each kind, the rest is counted.
struct UnusableEvents {
  /// Further kinds are only counted.
  private static let maximumKinds = 16

  private var kinds: Set<String> = []
  /// Events after the first of their kind.
  private(set) var repetitions: UInt64 = 0

  /// Notes an event; returns whether to warn of it.
  mutating func note(_ kind: String) -> Bool {
    if kinds.count < Self.maximumKinds, kinds.insert(kind).inserted { return true }
    repetitions &+= 1
    return false
  }
}

/// The rate limit of recorded requests: renderers send up to 60 view reports a second, and no client may fill the disk.
struct RequestBudget {
  /// Maximum number of requests at once.
  static let burst = 200
  /// Sustained maximum number of requests per second.
  static let perSecond = 100

  /// Requests that exceeded the limit and were not recorded.
  private(set) var refused: UInt64 = 0
  private var left = burst
  private var since: MonotonicInstant?

  /// Takes one request from the budget. Returns whether it may be recorded.
  mutating func take(at instant: MonotonicInstant) -> Bool {
    let elapsed = since.map { instant.nanoseconds &- $0.nanoseconds } ?? 0
    let nanosecondsPerEvent: Int64 = 1_000_000_000 / Int64(Self.perSecond)
    let gained = elapsed / nanosecondsPerEvent
    if since == nil || gained < 0 || gained >= Int64(Self.burst) {
      left = Self.burst
      since = instant
    } else if gained > 0 {
      left = min(Self.burst, left + Int(gained))
      since = since.map { $0 + .nanoseconds(gained * nanosecondsPerEvent) }
    }
    guard left > 0 else {
      refused &+= 1
      return false
    }
    left -= 1
    return true
  }
}

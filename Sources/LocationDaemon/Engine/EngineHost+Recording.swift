import GPSDProtocol
import LocationCore
import NIOCore
import Recordings

/// What a recording keeps besides the bytes of its sources, and what a replay repeats of it.
extension EngineHost {
  /// The client in whose name recorded requests are made; connections count from 1.
  private static let replayClient = ClientID(0)

  func record(_ bytes: ByteBuffer, from feed: SourceFeed, at instant: MonotonicInstant) {
    guard let recorder, let index = engine.index(of: feed.id) else { return }
    recorder.read(bytes, from: index, at: instant)
  }

  /// Records that a source was unplugged or returned: a replay repeats it at the same instant.
  func recordEvent(_ event: [UInt8], from source: Int, at instant: MonotonicInstant) {
    recorder?.event(event, from: engine.index(of: source), at: instant)
  }

  /// Records a request that was granted, in the form in which a replay repeats it.
  func recordRequest(_ request: Request, at instant: MonotonicInstant) {
    guard let recorder, requestBudget.take(at: instant) else { return }
    var line = JSONLine(capacity: 256)
    request.write(recordedInto: &line)
    recorder.event(Array(line.bytes), from: nil, at: instant)
  }

  /// Lets the recording's renderer take part.
  func openReplayClient() {
    turn { instant in try? handle(.connected, from: Self.replayClient, at: instant) }
  }

  /// Repeats a recorded event: a request of a renderer, or a source that was lost or found.
  func replay(_ event: [UInt8], from feed: SourceFeed, at instant: MonotonicInstant) {
    if event == RecordedEvent.sourceLost {
      let error = SourceError.unavailable(source: feed.uri.device, reason: "it was lost when this was recorded")
      receive(.lost(error), from: feed, at: instant)
    } else if event == RecordedEvent.sourceFound {
      receive(.opened, from: feed, at: instant)
    } else if let request = Request(recorded: event) {
      guard let request = EngineRequest(request) else { return }
      turn(at: instant) { instant in
        do throws(RequestRefusal) {
          try handle(request, from: Self.replayClient, at: instant)
        } catch {
          if case .noTarget = error { return }
          log.warning("a recorded request is refused: \(error)")
        }
      }
    } else {
      log.warning("the recording holds an event that is not understood")
    }
  }
}

/// How many events may be recorded: renderers tell where their view stands up to 60 times a second, and a client that
/// never stops asking must not fill the disk.
struct RequestBudget {
  /// Events that may come at once.
  static let burst = 200
  /// Events in a second, for ever.
  static let perSecond = 100

  /// Events that came too fast to be recorded.
  private(set) var refused: UInt64 = 0
  private var left = burst
  private var since: MonotonicInstant?

  /// Whether one more may be recorded.
  mutating func take(at instant: MonotonicInstant) -> Bool {
    let way = since.map { instant.nanoseconds &- $0.nanoseconds } ?? 0
    let nanosecondsPerEvent: Int64 = 1_000_000_000 / Int64(Self.perSecond)
    let gained = way / nanosecondsPerEvent
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

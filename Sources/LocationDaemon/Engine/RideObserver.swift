import GPSDProtocol
import LocationCore
import NIOCore
import Recordings

/// Records what the sources send, what happens to them, accepted requests and published fixes.
package final class RideObserver: EngineObserver {
  /// The current recorder; `nil` without a directory, or until the last ride is on the disk.
  package internal(set) var recorder: Recorder?
  /// Whether the next recorder starts recording, while that of before a reload writes its last ride.
  var recordsNext: Bool?
  private(set) var budget = RequestBudget()
  /// Of sensors, which send as much as renderers.
  private(set) var sensorBudget = RequestBudget()
  private let sources: SourceList

  package init(_ sources: SourceList) { self.sources = sources }

  package var wishes: EngineWishes { recorder == nil ? [] : .input }

  package func observe(_ bytes: ByteBuffer, from source: Int, at instant: MonotonicInstant) {
    recorder?.read(bytes, from: source, at: instant)
  }

  package func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    guard let recorder else { return }
    switch event {
    case .fix(let fix, _, _): recorder.published(fix, at: instant)
    // A replay repeats it at the same instant.
    case .unplugged(let id): record(RecordedEvent.sourceLost, of: id, at: instant, in: engine)
    case .reopened(let id): record(RecordedEvent.sourceFound, of: id, at: instant, in: engine)
    case .interference(let interference, let id):
      record(RecordedEvent.interference(interference), of: id, at: instant, in: engine)
    case .state: recorder.sync()
    case .accepted(let request): record(.engine(request), at: instant)
    case .told(.targetRemoved(let target), _): record(.engine(.removeTarget(name: target.name)), at: instant)
    default: break
    }
  }

  private func record(
    _ event: [UInt8], of source: SourceID, at instant: MonotonicInstant, in engine: borrowing LocationEngine
  ) {
    if let number = sources.number(of: source, in: engine) { recorder?.event(event, from: number, at: instant) }
  }

  /// Records an accepted request in the form that a replay reads.
  func record(_ request: Request, at instant: MonotonicInstant) {
    guard let recorder else { return }
    let isAdmitted =
      if case .engine(.sensor) = request { sensorBudget.admits(at: instant) } else { budget.admits(at: instant) }
    guard isAdmitted else { return }
    recorder.event(request.recorded, from: nil, at: instant)
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
  mutating func admits(at instant: MonotonicInstant) -> Bool {
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

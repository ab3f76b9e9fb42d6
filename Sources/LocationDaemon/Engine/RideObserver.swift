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
    // The bytes do not show it: a replay repeats it at the same instant.
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
  static let perSecond = 100

  private(set) var refused: UInt64 = 0
  /// When all of it is there again; `nil` before the first request.
  private var whole: MonotonicInstant?

  mutating func admits(at instant: MonotonicInstant) -> Bool {
    let share = Duration.seconds(1) / Self.perSecond
    var spent = max(whole.map { $0 - instant } ?? .zero, .zero)
    // The clock has stepped back.
    if spent > share * Self.burst { spent = .zero }
    guard spent + share <= share * Self.burst else {
      refused &+= 1
      return false
    }
    whole = instant + spent + share
    return true
  }
}

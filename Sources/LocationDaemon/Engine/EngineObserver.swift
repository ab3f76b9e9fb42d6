import GPSDProtocol
import LocationCore
import Logging
import NIOCore

/// An observer of what the engine receives and decides. It is lent the engine and gives the
/// loop nothing to take; a client whose connection ends meanwhile is taken off when the turn is over.
package protocol EngineObserver: AnyObject {
  /// What the observer needs besides fixes and states.
  var wishes: EngineWishes { get }
  /// Takes the bytes of one read before the engine does; `source` is the place in the order of preference.
  func observe(_ bytes: ByteBuffer, from source: Int, at instant: MonotonicInstant)
  /// Takes an event, in the order of decision.
  func observe(
    _ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine)
  func deadline(in engine: borrowing LocationEngine) -> MonotonicInstant?
  func expire(at instant: MonotonicInstant, in engine: borrowing LocationEngine)
  func turnDidEnd()
  func observe(_ playback: PlaybackReport)
  /// Whether a replay at full speed waits for this observer.
  var isCongested: Bool { get }
}

extension EngineObserver {
  package var wishes: EngineWishes { [] }
  package func observe(_ bytes: ByteBuffer, from source: Int, at instant: MonotonicInstant) {}
  package func observe(
    _ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine
  ) {}
  package func deadline(in engine: borrowing LocationEngine) -> MonotonicInstant? { nil }
  package func expire(at instant: MonotonicInstant, in engine: borrowing LocationEngine) {}
  package func turnDidEnd() {}
  package func observe(_ playback: PlaybackReport) {}
  package var isCongested: Bool { false }
}

package struct EngineWishes: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  static let sentences = EngineWishes(rawValue: 1)
  static let motion = EngineWishes(rawValue: 2)
  /// The time of fixes, for the system's clock.
  static let clock = EngineWishes(rawValue: 4)
  static let input = EngineWishes(rawValue: 8)
}

final class SourceLog: EngineObserver {
  private let sources: SourceList
  private let log: Logger

  init(_ sources: SourceList, log: Logger) {
    self.sources = sources
    self.log = log
  }

  func observe(
    _ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine
  ) {
    // The switch copies the event.
    if case .fix = event { return }
    switch event {
    case .interference(let interference, let id):
      let isJammed = [.warning, .critical].contains(interference.jamming?.state)
      let isSpoofed = [.indicated, .multiple].contains(interference.spoofing?.state)
      let isUrgent = isJammed || isSpoofed || interference.antenna?.state == .short
      var metadata: Logger.Metadata = ["SOURCE": "\(sources[id]?.name ?? "")"]
      for (name, word) in interference.states { metadata["\(name)".uppercased()] = word.map { "\($0)" } }
      log.log(level: isUrgent ? .warning : .info, "interference changed", metadata: metadata)
    case .oddity(let oddity, let facts, let id):
      let facts = facts.merging(["SOURCE": sources[id]?.name ?? ""]) { $1 }
      log.warning("\(oddity.rawValue)", metadata: facts.mapValues { .string($0) })
    case .state(let state, let id): if let source = sources[id] { logChange(to: state, of: source) }
    case .lead(let status):
      guard let reason = status.reason, let source = sources[status.source] else { return }
      log.notice(
        "leading source changed",
        metadata: ["SOURCE": "\(source.name)", "REASON": "\(reason.rawValue)"])
    default: break
    }
  }

  private func logChange(to state: SourceState, of source: ConfiguredSource) {
    var facts: Logger.Metadata = ["SOURCE": "\(source.name)", "DEVICE": "\(source.device)"]
    switch state {
    case .failed(let error, _):
      facts["REASON"] = "\(error.code)"
      log.warning("\(error); \(error.remedy)", metadata: facts)
    case .lost: log.notice("fix lost", metadata: facts)
    case .tracking(let mode):
      log.info("tracking", metadata: facts.merging(["MODE": "\(mode.rawValue)"]) { $1 })
    case .idle, .opening, .acquiring: log.info("source is \(state.phase.rawValue)", metadata: facts)
    }
  }
}

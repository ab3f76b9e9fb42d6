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
    case .datum(let datum, let id):
      warn(
        "the receiver's positions are on another datum than WGS 84, and published as they are", id,
        ["DATUM": "\(datum)"])
    case .overflow(let id):
      warn(
        "the line does not take all that the receiver sends; a higher speed is set by receiver = { speed = 115200 }", id
      )
    case .restarted(nil, let id): warn("the receiver has restarted; further starts are only counted", id)
    case .restarted(let reason?, let id):
      warn("the receiver states why it has restarted", id, ["REASON": "\(reason)"])
    case .malformed(let type, let id):
      warn("malformed UBX message; further ones are only counted", id, ["MESSAGE": "\(type.name)"])
    case .rollover(let date, let id):
      warn(
        "the receiver's date is in the past; if that is 1024 weeks, add rollover=snap to the source", id,
        ["DATE": "\(date.year)-\(date.month)-\(date.day)"])
    case .state(let state, let id): if let source = sources[id] { logChange(to: state, of: source) }
    case .lead(let status):
      guard let reason = status.reason, let source = sources[status.source] else { return }
      log.notice(
        "leading source changed",
        metadata: ["SOURCE": "\(source.name)", "REASON": "\(reason.rawValue)"])
    default: break
    }
  }

  private func warn(_ message: Logger.Message, _ source: SourceID, _ facts: Logger.Metadata = [:]) {
    log.warning(message, metadata: facts.merging(["SOURCE": "\(sources[source]?.name ?? "")"]) { $1 })
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

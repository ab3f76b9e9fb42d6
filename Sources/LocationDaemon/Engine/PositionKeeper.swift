import GPSDProtocol
import LocationCore

/// Keeps the last measured position of live sources in the state directory, at most once a minute and at the end of the
/// run, and has that of the run before until there is a fix: a line `BOOT INSTANT POSITION`, with the kernel's boot id
/// and its monotonic clock, in nanoseconds, and the position as in `STATE`.
package final class PositionKeeper: EngineObserver {
  private static let file = StateFile(name: "position", version: 1)
  private static let interval = Duration.seconds(60)

  fileprivate struct Kept {
    var position: LastKnown
    /// `nil` if another boot of the machine received it.
    var instant: MonotonicInstant?
  }

  private let directory: StateDirectory
  private let boot: String
  private let sources: SourceList
  private let earlier: Kept?
  /// The newest position of this run that is not written yet.
  private var newest: (fix: PublishedFix, source: String?)?
  private var written: MonotonicInstant?
  /// The time of a receiver without a fix.
  private var clock: (utc: UTCInstant, instant: MonotonicInstant)?

  init(_ directory: StateDirectory, _ sources: SourceList, boot: String = BootID.current) {
    self.directory = directory
    self.boot = boot
    self.sources = sources
    earlier = directory.read(Self.file) { $0.count == 1 ? Kept($0[0], boot: boot) : nil }
  }

  /// The last position of an earlier run, with its age if the same boot received it or the receiver sends UTC.
  func lastKnown(at instant: MonotonicInstant) -> LastKnown? {
    var last = earlier?.position
    if let received = earlier?.instant {
      last?.age = EngineClock.machine - received
    } else if let clock, let time = last?.time {
      last?.age = clock.utc - time + (instant - clock.instant)
    }
    // The age of a position by a clock that was behind is unknown.
    if let age = last?.age, age < .zero { last?.age = nil }
    return last
  }

  package func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    switch event {
    case .noFix(let time?, _): clock = (time, instant)
    case .fix(let fix, _, _):
      guard !fix.fix.isExtrapolated, engine.isLive(fix.source) else { return }
      newest = (fix, sources[fix.source]?.name)
      if let written, instant - written < Self.interval { return }
      written = instant
      write()
    default: break
    }
  }

  func write() {
    guard let (fix, source) = exchange(&newest, with: nil) else { return }
    var position = LastKnown(fix, age: nil, source: source)
    position.seq = nil
    var json = JSONLine(capacity: 256)
    json.beginObject()
    position.writeFields(into: &json)
    json.endObject()
    let line = "\(boot) \(fix.fix.received.nanoseconds) \(String(decoding: json.bytes, as: UTF8.self))"
    directory.write(Self.file, [line])
  }
}

extension PositionKeeper.Kept {
  fileprivate init?(_ line: Substring, boot: String) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count == 3, let instant = Int64(words[1]), let position = LastKnown(json: Array(words[2].utf8)) else {
      return nil
    }
    self.position = position
    self.instant = words[0] == boot && boot != "unknown" ? MonotonicInstant(nanoseconds: instant) : nil
  }
}

import GPSDProtocol
import LocationCore
import NIOCore
import Recordings

protocol RecordedStream: AnyObject {
  var recorded: RecordedSources { get set }
}

extension EngineLoop {
  func play(_ input: RecordedInput, of source: some RecordedStream) {
    turn(at: input.instant) { instant in
      let id = source.recorded.id(of: input.source)
      if let id { observe(input.content, from: id, at: instant) }
      do throws(RequestRefusal) {
        try engine.replay(input, of: &source.recorded, into: &events)
      } catch {
        // What is missing was set before the recording began.
        if case .missing = error { return }
        warn("recorded request refused: \(error)", of: "\(error)")
      }
      guard case .otherEvent(let event) = input.content, id != nil else { return }
      let kind = (Request.kind(ofRecorded: event) ?? "malformed").unicodeScalars.prefix(64)
        .map { $0.escaped(asASCII: true) }.joined()
      warn("the recording contains an unknown event: \(kind)", of: kind)
    }
  }

  private func observe(_ content: RecordedInput.Content, from source: SourceID, at instant: MonotonicInstant) {
    switch content {
    case .bytes(let bytes): observe(ByteBuffer(bytes: bytes), from: source, at: instant)
    case .report(_, let line): observe(line: line.bytes, from: source, at: instant)
    case .otherReport(let line): observe(line: line, from: source, at: instant)
    default: break
    }
  }

  private func observe(line: [UInt8], from source: SourceID, at instant: MonotonicInstant) {
    var line = line
    while line.last == UInt8(ascii: "\n") || line.last == UInt8(ascii: "\r") { line.removeLast() }
    observe(ByteBuffer(bytes: line + [UInt8(ascii: "\n")]), from: source, at: instant)
  }

  /// Continues a recording at another position, with new receivers. Published as a loss.
  func jump(in recorded: RecordedSources, at instant: MonotonicInstant) {
    turn(at: instant) { engine.jump(in: recorded, at: $0, into: &events) }
  }

  func start(_ receivers: SoughtReceivers, at instant: MonotonicInstant) {
    turn(at: instant) { receivers.start(in: &engine, at: $0, into: &events) }
  }

  /// Ends the sources of a recording, the leading one last.
  func end(_ recorded: RecordedSources, at instant: MonotonicInstant) {
    turn(at: instant) { instant in
      let lead = engine.lead.setup.id
      for id in recorded.ids.filter({ $0 != lead }) + recorded.ids.filter({ $0 == lead }) {
        engine.receive(.ended, from: id, at: instant, into: &events)
      }
    }
  }

  func publish(_ playback: PlaybackReport, at instant: MonotonicInstant) {
    turn(at: instant) { _ in for observer in observers { observer.observe(playback) } }
  }

  var isCongested: Bool { observers.contains { $0.isCongested } }

  /// Calls `body` when the first client subscribes or requests a fix.
  package func onFirstInterest(_ body: @escaping () -> Void) { interestHandlers.append(body) }

  package func noteInterest() {
    for handler in exchange(&interestHandlers, with: []) { handler() }
  }

  package func clientsDidDrain() { onDrain() }

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

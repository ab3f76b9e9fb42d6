import GPSDProtocol
import LocationCore
import Recordings

/// One source of a recording, epoch by epoch: what the daemon would publish.
final class EpochLane {
  /// What was counted while reading.
  var counters: ReceiverCounters { receiver.counters + gpsd.counters }
  /// Lines of a gpsd.
  private(set) var reports = (read: 0, malformed: 0)
  /// Fixes that passed the filter.
  private(set) var delivered = 0

  private var receiver = NMEAReceiver()
  private var gpsd = GPSDReceiver()
  /// Whether the epochs come from reports: of sentences and reports about the same epochs, what comes first is used.
  private var readsReports: Bool?
  private let device: String
  private let printsEveryEpoch: Bool
  private var filter: DistanceFilter
  private var changes = ChangeDetector()
  private var seq: UInt64 = 0
  private var noFixes = 0
  private var closed: [Epoch] = []

  init(device: String, filter: FilterConfiguration) {
    self.device = device
    printsEveryEpoch = filter.distance == 0
    self.filter = DistanceFilter(filter)
  }

  func take(_ bytes: [UInt8], at instant: MonotonicInstant, into output: inout JSONLine) {
    bytes.withUnsafeBytes { buffer in
      RecordedPiece.forEach(of: buffer, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): take(sentences, at: instant)
        case .report(let report, _): take(report, at: instant)
        case .otherReport: reports.read += 1
        case .malformedReport: reports.malformed += 1
        }
      }
    }
    writeClosed(at: instant, into: &output)
  }

  private func take(_ sentences: UnsafeRawBufferPointer, at instant: MonotonicInstant) {
    if readsReports == nil, sentences.contains(UInt8(ascii: "$")) { readsReports = false }
    guard readsReports != true else { return }
    receiver.receive(sentences, at: instant) { closed.append(copy $0) }
  }

  private func take(_ report: GPSDReport, at instant: MonotonicInstant) {
    reports.read += 1
    if readsReports == nil, case .position = report { readsReports = true }
    guard readsReports != false else { return }
    switch report {
    case .position(let position): gpsd.take(position, at: instant) { closed.append(copy $0) }
    case .sky(let device, let sky): gpsd.take(sky, of: device)
    case .noise(let device, let noise): gpsd.take(noise, of: device)
    }
  }

  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    receiver.endOfInput(at: instant) { closed.append(copy $0) }
    gpsd.endOfInput { closed.append(copy $0) }
    writeClosed(at: instant, into: &output)
  }

  private func writeClosed(at instant: MonotonicInstant, into output: inout JSONLine) {
    guard !closed.isEmpty else { return }
    for epoch in closed { write(epoch, at: instant, into: &output) }
    closed.removeAll(keepingCapacity: true)
  }

  private func write(_ epoch: Epoch, at instant: MonotonicInstant, into output: inout JSONLine) {
    switch epoch.outcome {
    case .fix(let fix, let suspect):
      noFixes = 0
      var changed = changes.changes(with: fix, at: instant)
      if suspect { changed.insert(.suspect) }
      seq += 1
      let published = PublishedFix(fix: fix, seq: seq, source: 0, changes: changed)
      guard let reason = filter.evaluate(published, at: instant) else { return }
      delivered += 1
      TPVLine.body(fix, device: device, into: &output)
      TPVLine.finish(&output, published, reason: reason.rawValue, source: nil)
    case .noFix:
      noFixes += 1
      // As the daemon has it: two in a row are a loss.
      if noFixes == 2 { changes.lost() }
      writeNoFix(epoch, into: &output)
    case .dropped(.outOfRange), .dropped(.nullIsland), .dropped(.accuracy): writeNoFix(epoch, into: &output)
    // Of those time was told before, or will be.
    case .dropped(.outOfOrder), .dropped(.duplicate), .dropped(.jump), .held: break
    }
  }

  private func writeNoFix(_ epoch: Epoch, into output: inout JSONLine) {
    guard printsEveryEpoch else { return }
    TPVLine.noFix(time: epoch.measured, device: device, into: &output)
    TPVLine.finish(&output)
  }
}

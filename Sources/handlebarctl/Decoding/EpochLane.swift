import GPSDProtocol
import LocationCore

/// One source of a recording, epoch by epoch: what the daemon would publish.
final class EpochLane {
  private(set) var receiver = NMEAReceiver()
  /// Fixes that passed the filter.
  private(set) var delivered = 0

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
      receiver.receive(buffer, at: instant) { closed.append(copy $0) }
    }
    writeClosed(at: instant, into: &output)
  }

  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    receiver.endOfInput(at: instant) { closed.append(copy $0) }
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
      guard printsEveryEpoch else { return }
      TPVLine.noFix(time: epoch.measured, device: device, into: &output)
      TPVLine.finish(&output)
    case .dropped, .held: break
    }
  }
}

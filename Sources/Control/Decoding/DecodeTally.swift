import LocationCore
import Recordings

struct DecodeTally {
  var damage = RecordingDamageCounts()
  /// Bytes of sources that are not decoded, or that the header does not declare.
  var skippedBytes = 0
  var reports = (read: 0, malformed: 0)
  /// Fixes that passed the filter.
  var delivered = 0
  var counters = ReceiverCounters()

  func lines(for result: DecodeResult) -> [String] {
    var lines: [String] = []
    if case .epochs = result {
      let judge = counters.judge
      let reasons = Self.text([
        ("out of order", judge.outOfOrder), ("duplicate time", judge.duplicate),
        ("position malformed or out of range", judge.outOfRange), ("at 0° N 0° E", judge.nullIsland),
        ("unconfirmed jump", judge.jump),
      ])
      let withoutFix = counters.void + counters.noPosition + counters.noStatus
      lines.append(
        "\(counters.epochs) epochs: \(counters.fixes) fixes, \(withoutFix) without a fix, \(judge.dropped) dropped"
          + (reasons.isEmpty ? "" : " (\(reasons))") + "; \(delivered) fixes printed")
    }
    if !result.includesErrors {
      let nmea = counters.nmea
      let reasons = Self.text(nmea.rejections.map { ("\($0.name)", $0.count) }.sorted { $0.0 < $1.0 })
      lines.append("\(nmea.sentences) sentences, \(nmea.rejected) rejected" + (reasons.isEmpty ? "" : ": \(reasons)"))
    }
    if counters.nmea.ubxFrames > 0 { lines.append("\(counters.nmea.ubxFrames) UBX frames") }
    if reports.read + reports.malformed > 0 {
      lines.append("\(reports.read) gpsd reports, \(reports.malformed) malformed")
    }
    if damage.total > 0 { lines.append("damaged places in the recording: \(damage)") }
    if skippedBytes > 0 { lines.append("\(skippedBytes) bytes of further sources skipped") }
    return lines
  }

  private static func text(_ counts: [(name: String, count: UInt64)]) -> String {
    counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
  }
}

import LocationCore
import Recordings

struct DecodeTally {
  var damage = RecordingDamageCounts()
  /// Bytes of sources that are not decoded.
  var skippedBytes = 0
  private var epochs: UInt64 = 0
  private var fixes: UInt64 = 0
  private var withoutFix: UInt64 = 0
  private var dropped: [(reason: String, count: UInt64)] = []
  private var delivered = 0
  private var sentences: UInt64 = 0
  private var reports = (read: 0, malformed: 0)
  private var rejects: [String: UInt64] = [:]

  mutating func add(_ decoded: DecodedEpochs) {
    reports.read += decoded.reports.read
    reports.malformed += decoded.reports.malformed
    delivered += decoded.delivered
    skippedBytes += decoded.skippedBytes
    for counters in decoded.counters {
      epochs += counters.epochs
      fixes += counters.fixes
      withoutFix += counters.void + counters.noPosition + counters.noStatus
      add(counters.judge)
      add(counters.nmea)
    }
  }

  private mutating func add(_ judge: JudgeCounters) {
    let counts = [
      ("out of order", judge.outOfOrder), ("duplicate time", judge.duplicate),
      ("position malformed or out of range", judge.outOfRange), ("at 0° N 0° E", judge.nullIsland),
      ("unconfirmed jump", judge.jump),
    ]
    for (index, count) in counts.enumerated() {
      if index < dropped.count { dropped[index].count += count.1 } else { dropped.append(count) }
    }
  }

  mutating func add(_ nmea: NMEACounters) {
    sentences += nmea.sentences
    for (name, count) in nmea.rejections where count > 0 { rejects[name.description, default: 0] += count }
  }

  var content: (sentences: UInt64, rejected: UInt64, reports: Int) {
    (sentences, rejects.values.reduce(0, +), reports.read)
  }

  func lines(for result: DecodeResult) -> [String] {
    var lines: [String] = []
    if case .epochs = result {
      let total = dropped.reduce(0) { $0 + $1.count }
      let reasons = dropped.filter { $0.count > 0 }.map { "\($0.count) \($0.reason)" }.joined(separator: ", ")
      lines.append(
        "\(epochs) epochs: \(fixes) fixes, \(withoutFix) without a fix, \(total) dropped"
          + (reasons.isEmpty ? "" : " (\(reasons))") + "; \(delivered) fixes printed")
    }
    if !result.includesErrors {
      let total = rejects.values.reduce(0, +)
      let reasons = rejects.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      lines.append(
        "\(sentences) sentences, \(total) rejected" + (reasons.isEmpty ? "" : ": \(reasons.joined(separator: ", "))"))
    }
    if reports.read + reports.malformed > 0 {
      lines.append("\(reports.read) gpsd reports, \(reports.malformed) malformed")
    }
    if damage.total > 0 { lines.append("damaged places in the recording: \(damage)") }
    if skippedBytes > 0 { lines.append("\(skippedBytes) bytes of further sources skipped") }
    return lines
  }
}

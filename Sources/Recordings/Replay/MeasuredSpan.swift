import GPSDProtocol
import LocationCore

/// The measured times that a replay has handed out: what comes later may not lie before them.
struct MeasuredSpan: Sendable {
  /// The earliest and the latest of this pass, as recorded.
  private(set) var earliest: UTCInstant?
  private(set) var latest: UTCInstant?
  /// The newest one that was seen, as recorded.
  private(set) var last: UTCInstant?

  private var decoder = NMEADecoder(checksums: .accept)
  private var hasRMC = false

  /// Looks for dates with times: in valid RMC, in ZDA from receivers that have no RMC, and in gpsd's `TPV`.
  mutating func observe(_ bytes: [UInt8]) {
    var times: [UTCInstant] = []
    if Report.begins(bytes) {
      for line in bytes.split(separator: UInt8(ascii: "\n")) where Report.begins(line) {
        let report = line.withUnsafeBufferPointer { GPSDReport(line: $0, at: .zero) }
        if case .position(let position) = report, position.fix != nil, let time = position.time { times.append(time) }
      }
    }
    bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes) { event in
        guard case .sentence(let sentence) = event.payload else { return }
        switch sentence {
        case .rmc(let rmc):
          hasRMC = true
          guard rmc.status != .void, rmc.position != nil, let date = rmc.date, let time = rmc.time,
            let instant = UTCInstant(date: date, time: time)
          else { return }
          times.append(instant)
        case .zda(let zda) where !hasRMC:
          guard let date = zda.date, date.year >= 2000, let time = zda.time,
            let instant = UTCInstant(date: date, time: time)
          else { return }
          times.append(instant)
        default: return
        }
      }
    }
    for time in times {
      earliest = min(earliest ?? time, time)
      latest = max(latest ?? time, time)
      last = time
    }
  }

  /// Begins a pass.
  mutating func restart() { self = MeasuredSpan() }
}

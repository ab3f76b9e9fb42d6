import GPSDProtocol
import LocationCore

/// One source of a recording: its bytes become the lines that are printed.
enum OfflineLane {
  case epochs(EpochLane)
  case sentences(SentenceLane)
  case statistics(StatisticsLane)

  /// Takes a read's bytes; `isStamped` when the instant was measured.
  func take(_ bytes: [UInt8], at instant: MonotonicInstant, isStamped: Bool, into output: inout JSONLine) {
    switch self {
    case .epochs(let lane): lane.take(bytes, at: instant, into: &output)
    case .sentences(let lane): lane.take(bytes, into: &output)
    case .statistics(let lane): lane.take(bytes, at: instant, isStamped: isStamped)
    }
  }

  /// Nothing more will come.
  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    switch self {
    case .epochs(let lane): lane.finish(at: instant, into: &output)
    case .sentences(let lane): lane.finish(into: &output)
    case .statistics(let lane): lane.finish(at: instant, into: &output)
    }
  }

  /// Adds what it came to.
  func count(in tally: inout DecodeTally) {
    switch self {
    case .epochs(let lane): tally.add(lane.counters, reports: lane.reports, delivered: lane.delivered)
    case .sentences(let lane): tally.add(lane.decoder.counters)
    case .statistics(let lane): tally.add(lane.decoder.counters)
    }
  }
}

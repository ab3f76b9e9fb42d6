import GPSDProtocol
import LocationCore

/// One source of a recording: its bytes become the lines that are printed.
enum OfflineLane {
  case epochs(EpochLane)
  case sentences(SentenceLane)

  func take(_ bytes: [UInt8], at instant: MonotonicInstant, into output: inout JSONLine) {
    switch self {
    case .epochs(let lane): lane.take(bytes, at: instant, into: &output)
    case .sentences(let lane): lane.take(bytes, into: &output)
    }
  }

  /// Nothing more will come.
  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    switch self {
    case .epochs(let lane): lane.finish(at: instant, into: &output)
    case .sentences(let lane): lane.finish(into: &output)
    }
  }

  /// Adds what it came to.
  func count(in tally: inout DecodeTally) {
    switch self {
    case .epochs(let lane): tally.add(lane.receiver.counters, delivered: lane.delivered)
    case .sentences(let lane): tally.add(lane.decoder.counters)
    }
  }
}

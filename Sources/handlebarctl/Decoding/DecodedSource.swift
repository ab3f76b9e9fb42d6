import GPSDProtocol
import LocationCore
import Recordings

/// A source whose sentences are printed or counted, without an engine.
enum DecodedSource {
  case sentences(DecodedSentences)
  case statistics(DecodedStatistics)

  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    switch self {
    case .sentences(let sentences): sentences.finish(into: &output)
    case .statistics(let statistics): statistics.finish(at: instant, into: &output)
    }
  }

  func count(in tally: inout DecodeTally) {
    switch self {
    case .sentences(let sentences): tally.add(sentences.decoder.counters)
    case .statistics(let statistics): if statistics.hasSentences { tally.add(statistics.counters) }
    }
  }
}

/// One source sentence by sentence: an object for each, rejected lines included.
final class DecodedSentences {
  private(set) var decoder = NMEADecoder()

  func take(_ bytes: [UInt8], into output: inout JSONLine) {
    bytes.withUnsafeBytes { buffer in decoder.decode(buffer) { Self.write($0, into: &output) } }
  }

  func finish(into output: inout JSONLine) { decoder.finish { Self.write($0, into: &output) } }

  private static func write(_ event: borrowing NMEAEvent, into output: inout JSONLine) {
    SentenceLine.write(event, into: &output)
    output.endLine()
  }
}

final class DecodedStatistics {
  /// Accepts a receiver that never sends checksums.
  private var receiver = NMEAReceiver(configuration: ReceiverConfiguration(checksums: .prefer, readsSatellites: false))
  private let source: String
  private let speed: Int?
  private let printsJSON: Bool
  private var statistics = ReceiverStatistics()

  init(source: String, speed: Int?, printsJSON: Bool) {
    self.source = source
    self.speed = speed
    self.printsJSON = printsJSON
  }

  var counters: NMEACounters { receiver.counters.nmea }
  var hasSentences: Bool { statistics.hasSentences }

  func take(_ bytes: [UInt8], at instant: MonotonicInstant, isStamped: Bool) {
    statistics.add(bytes: bytes.count, at: instant, isStamped: isStamped)
    bytes.withUnsafeBytes { buffer in
      receiver.receive(buffer, at: instant, sentence: { statistics.take($0, at: instant) }, { statistics.take($0) })
    }
  }

  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    receiver.endOfInput(at: instant, sentence: { statistics.take($0, at: instant) }, { statistics.take($0) })
    statistics.finish()
    if printsJSON {
      StatisticsLine.write(statistics, counters, source: source, speed: speed, into: &output)
    } else {
      let lines = StatisticsText.lines(
        statistics, counters, source: source, speed: speed, style: .standardOutput)
      // An empty line separates sources.
      output.text((output.count > 0 ? "\n" : "") + lines.joined(separator: "\n") + "\n")
    }
  }
}

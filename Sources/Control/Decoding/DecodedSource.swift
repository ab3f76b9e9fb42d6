import GPSDProtocol
import LocationCore

/// A source whose sentences are printed or counted, without an engine.
protocol DecodedSource: AnyObject {
  var counters: NMEACounters { get }
  func decode(_ bytes: [UInt8], at instant: MonotonicInstant, isStamped: Bool, into output: inout JSONLine)
  func finish(at instant: MonotonicInstant, into output: inout JSONLine)
}

/// One source sentence by sentence: an object for each, rejected lines included.
final class DecodedSentences: DecodedSource {
  private var decoder = NMEADecoder()
  var counters: NMEACounters { decoder.counters }

  func decode(_ bytes: [UInt8], at instant: MonotonicInstant, isStamped: Bool, into output: inout JSONLine) {
    bytes.withUnsafeBytes { buffer in decoder.decode(buffer) { Self.write($0, into: &output) } }
  }

  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    decoder.finish { Self.write($0, into: &output) }
  }

  private static func write(_ event: borrowing NMEAEvent, into output: inout JSONLine) {
    SentenceLine.write(event, into: &output)
    output.endLine()
  }
}

final class DecodedStatistics: DecodedSource {
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

  var counters: NMEACounters { statistics.isReceiver ? receiver.counters.nmea : NMEACounters() }

  func decode(_ bytes: [UInt8], at instant: MonotonicInstant, isStamped: Bool, into output: inout JSONLine) {
    statistics.add(bytes: bytes.count, at: instant, isStamped: isStamped)
    bytes.withUnsafeBytes { buffer in
      receiver.receive(buffer, at: instant, sentence: { statistics.count($0, at: instant) }, { statistics.count($0) })
    }
  }

  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    receiver.endOfInput(at: instant, sentence: { statistics.count($0, at: instant) }, { statistics.count($0) })
    statistics.finish()
    let counters = receiver.counters.nmea
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

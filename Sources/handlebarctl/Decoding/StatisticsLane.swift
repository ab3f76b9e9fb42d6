import GPSDProtocol
import LocationCore

/// One source of a recording: what it sends.
final class StatisticsLane {
  /// A receiver that never sends checksums has statistics too.
  private(set) var decoder = NMEADecoder(checksums: .prefer)

  private let source: String
  private let speed: Int?
  private let printsJSON: Bool
  private var statistics = ReceiverStatistics()

  init(source: String, speed: Int?, printsJSON: Bool) {
    self.source = source
    self.speed = speed
    self.printsJSON = printsJSON
  }

  func take(_ bytes: [UInt8], at instant: MonotonicInstant, isStamped: Bool) {
    statistics.add(bytes: bytes.count, at: instant, isStamped: isStamped)
    bytes.withUnsafeBytes { buffer in
      decoder.decode(buffer) { statistics.take($0, at: instant) }
    }
  }

  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    decoder.finish { statistics.take($0, at: instant) }
    statistics.finish()
    if printsJSON {
      StatisticsLine.write(statistics, decoder.counters, source: source, speed: speed, into: &output)
    } else {
      let lines = StatisticsText.lines(
        statistics, decoder.counters, source: source, speed: speed, style: .standardOutput)
      // One source is parted from the other by an empty line.
      output.text((output.count > 0 ? "\n" : "") + lines.joined(separator: "\n") + "\n")
    }
  }
}

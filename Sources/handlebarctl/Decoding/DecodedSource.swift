import GPSDProtocol
import LocationCore
import Recordings

/// One source of a recording, decoded to the lines that are printed.
enum DecodedSource {
  case epochs(DecodedEpochs)
  case sentences(DecodedSentences)
  case statistics(DecodedStatistics)

  /// Takes the bytes of one read; `isStamped` when their instant was recorded.
  func take(_ bytes: [UInt8], at instant: MonotonicInstant, isStamped: Bool, into output: inout JSONLine) {
    switch self {
    case .epochs(let epochs): epochs.take(bytes, at: instant, into: &output)
    case .sentences(let sentences): sentences.take(bytes, into: &output)
    case .statistics(let statistics): statistics.take(bytes, at: instant, isStamped: isStamped)
    }
  }

  /// The time since the previous read is unknown.
  func gap(at instant: MonotonicInstant) {
    if case .epochs(let epochs) = self { epochs.gap(at: instant) }
  }

  /// Ends the input.
  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    switch self {
    case .epochs(let epochs): epochs.finish(at: instant, into: &output)
    case .sentences(let sentences): sentences.finish(into: &output)
    case .statistics(let statistics): statistics.finish(at: instant, into: &output)
    }
  }

  /// Adds its counters to the tally.
  func count(in tally: inout DecodeTally) {
    switch self {
    case .epochs(let epochs): tally.add(epochs.counters, reports: epochs.reports, delivered: epochs.delivered)
    case .sentences(let sentences): tally.add(sentences.decoder.counters)
    case .statistics(let statistics): if statistics.hasSentences { tally.add(statistics.counters) }
    }
  }
}

/// One source epoch by epoch, through the daemon's engine.
final class DecodedEpochs {
  /// Reports of gpsd.
  private(set) var reports = (read: 0, malformed: 0)
  /// Fixes that passed the filter.
  private(set) var delivered = 0

  private var engine = LocationEngine(sources: [SourceSetup(id: 0, form: .either)], at: .zero)
  private var events = EngineEvents()
  private var filter: DistanceFilter
  private let device: String
  private let printsEveryEpoch: Bool
  /// The poses to print instead of epochs.
  private var grid: PoseGrid?

  init(device: String, filter: FilterConfiguration) {
    self.device = device
    printsEveryEpoch = filter.distance == 0
    self.filter = DistanceFilter(filter)
  }

  /// Prints so many poses per second.
  init(device: String, poses rate: Int) {
    self.device = device
    printsEveryEpoch = false
    filter = DistanceFilter(.everyFix)
    grid = PoseGrid(rate: rate, from: .zero)
    engine.setMotion(true, at: .zero)
  }

  var counters: ReceiverCounters { engine.lead.counters }

  func take(_ bytes: [UInt8], at instant: MonotonicInstant, into output: inout JSONLine) {
    writePoses(before: instant, into: &output)
    bytes.withUnsafeBytes { buffer in
      RecordedPiece.forEach(of: buffer, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): engine.receive(.bytes(sentences), from: 0, at: instant, into: &events)
        case .report(let report, _):
          reports.read += 1
          engine.receive(.opened, from: 0, at: instant, into: &events)
          engine.receive(.report(report), from: 0, at: instant, into: &events)
        case .otherReport: reports.read += 1
        case .malformedReport: reports.malformed += 1
        }
      }
    }
    writeEvents(into: &output)
  }

  func gap(at instant: MonotonicInstant) {
    engine.receive(.gap, from: 0, at: instant, into: &events)
  }

  func finish(at instant: MonotonicInstant, into output: inout JSONLine) {
    writePoses(before: instant, into: &output)
    engine.receive(.ended, from: 0, at: instant, into: &events)
    writeEvents(into: &output)
  }

  /// Processes every deadline before `instant`, and prints the poses between them.
  private func writePoses(before instant: MonotonicInstant, into output: inout JSONLine) {
    guard grid != nil else { return }
    while let due = engine.deadline, due <= instant {
      writePoses(of: engine.motion, before: due, into: &output)
      engine.advance(to: due, into: &events)
      // Bounded, in case a deadline does not advance.
      guard engine.deadline != due else { break }
    }
    writePoses(of: engine.motion, before: instant, into: &output)
  }

  private func writePoses(
    of motion: MotionEstimator?, before instant: MonotonicInstant, into output: inout JSONLine
  ) {
    guard let motion else { return }
    while let due = grid?.next(of: motion), due < instant {
      if let pose = grid?.take(from: motion, at: due) { POSE.write(pose, into: &output) }
    }
  }

  private func writeEvents(into output: inout JSONLine) {
    for entry in events.list {
      switch entry.event {
      case .fix(let fix, _, _) where grid == nil:
        guard let reason = filter.evaluate(fix, at: entry.instant) else { continue }
        delivered += 1
        TPV.body(fix.fix, device: device, into: &output)
        TPV.finish(&output, fix, reason: reason.rawValue, source: nil)
      case .noFix(let time, _) where printsEveryEpoch:
        TPV.noFix(time: time, device: device, into: &output)
        TPV.finish(&output)
      default: break
      }
    }
    events.removeAll()
  }
}

/// One source sentence by sentence: an object for each, rejected lines included.
final class DecodedSentences {
  private(set) var decoder = NMEADecoder()

  func take(_ bytes: [UInt8], into output: inout JSONLine) {
    bytes.withUnsafeBytes { buffer in
      decoder.decode(buffer) { Self.write($0, into: &output) }
    }
  }

  func finish(into output: inout JSONLine) {
    decoder.finish { Self.write($0, into: &output) }
  }

  private static func write(_ event: borrowing NMEAEvent, into output: inout JSONLine) {
    SentenceLine.write(event, into: &output)
    output.endLine()
  }
}

/// Statistics of one source's output.
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

import GPSDProtocol
import LocationCore
import Recordings

/// A recording epoch by epoch, through the daemon's engine: what a subscriber would have received.
final class DecodedEpochs {
  private static let setup = SourceSetup(id: 0, form: .either)
  private var engine = LocationEngine(sources: [setup], at: .zero)
  private var events = EngineEvents()
  private var sources = RecordedSources(setup)
  /// Names of the sources of the run at hand; the file's for a source without one.
  private var devices: [String] = []
  /// Counters of the other sources of earlier runs.
  private var earlier = ReceiverCounters()
  private var filter = DistanceFilter(.everyFix)
  private let file: String
  private var printsEveryEpoch = false
  private var printsEstimates = false
  private var grid: PoseGrid?
  private var progress: CourseProgress?

  /// `nil` for a result without an engine.
  init?(file: String, _ result: DecodeResult) {
    self.file = file
    switch result {
    case .epochs(let filter, let isEstimated, let way):
      self.filter = DistanceFilter(filter)
      printsEveryEpoch = filter.distance == 0
      printsEstimates = isEstimated
      if let way { engine.desk.courses.restore([PersistentCourse(course: way, user: nil)], []) }
    case .poses(let rate):
      grid = PoseGrid(rate: rate, from: .zero)
      engine.setMotion(true, at: .zero)
    case .course(let course): progress = CourseProgress(course)
    case .sentences, .statistics: return nil
    }
  }

  var counters: ReceiverCounters { engine.sources.reduce(earlier) { $0 + $1.counters } }

  func decode(_ input: RecordedInput, into output: inout JSONLine, _ tally: inout DecodeTally) {
    writePoses(before: input.instant, into: &output)
    switch input.content {
    case .begin(let setup):
      earlier = engine.sources.dropFirst().reduce(earlier) { $0 + $1.counters }
      devices = setup.devices
    case .report, .otherReport: tally.reports.read += 1
    case .malformedReport: tally.reports.malformed += 1
    case .bytes(let bytes) where sources.id(of: input.source) == nil: tally.skippedBytes += bytes.count
    default: break
    }
    // What the daemon refused changes nothing.
    try? engine.replay(input, of: &sources, into: &events)
    writeEvents(into: &output, &tally)
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

  private func writePoses(of motion: MotionEstimator?, before instant: MonotonicInstant, into output: inout JSONLine) {
    guard let motion else { return }
    while let due = grid?.next(of: motion), due < instant {
      if let pose = grid?.take(from: motion, at: due) { POSE.write(pose, into: &output) }
    }
  }

  private func writeEvents(into output: inout JSONLine, _ tally: inout DecodeTally) {
    for entry in events.list {
      switch entry.event {
      case .fix(let fix, _, _) where progress != nil:
        guard let status = progress?.published(fix, at: entry.instant) else { continue }
        CourseReport(status).write(into: &output)
      case .fix(let fix, _, _) where grid == nil, .changed(let fix) where grid == nil && progress == nil:
        guard let reason = filter.evaluate(fix, at: entry.instant) else { continue }
        tally.delivered += 1
        TPV.body(fix.fix, device: device(of: fix.source), into: &output)
        TPV.finish(&output, fix, reason: reason, source: nil)
      case .estimate(let estimate) where printsEstimates:
        TPV.body(estimate.fix, device: device(of: estimate.source), into: &output)
        TPV.finish(&output, estimate, reason: nil, source: nil)
      case .noFix(let time, let source) where printsEveryEpoch:
        TPV.noFix(time: time, device: device(of: source), into: &output)
        output.end()
      default: break
      }
    }
    events.removeAll()
  }

  private func device(of source: SourceID) -> String {
    devices.indices.contains(Int(source.recorded)) ? devices[Int(source.recorded)] : file
  }
}

import Libc
import LocationCore

/// What a course reported, beside the truth.
package struct CourseOutcome: Sendable {
  package let ride: CourseRide
  package var statuses: [CourseStatus] = []
  package var moments: [CourseRide.Moment] = []
  package var fixes: [PublishedFix] = []
  /// What another run goes on from.
  package var kept: KeptProgress?
  /// Epochs on another leg, or in the other direction, more than 10 s after the rider came to a piece of the ride.
  package var wrongEpochs = 0
  /// Times at which the rider went off while he rode the line.
  package var falseAlarms = 0
  /// Seconds and metres from leaving the line by more than the radius to `off`, and seconds from the return to `on`.
  package var offDelays: [(seconds: Double, way: Double)] = []
  package var onDelays: [Double] = []
  /// Of `along`, and of the fix along the way, metres.
  package var errors: [Double] = []
  package var fixErrors: [Double] = []
  /// Epochs at which `along` moved back without a turn round.
  package var backwardEpochs = 0

  private var piece = -1
  private var pieceBegin = 0.0
  private var outsideSince: Double?
  private var insideSince: Double?

  package init(ride: CourseRide) { self.ride = ride }

  package mutating func add(_ status: CourseStatus, at moment: CourseRide.Moment, error: SIMD2<Double>) {
    let last = statuses.last
    statuses.append(status)
    moments.append(moment)
    if moment.piece != piece { (piece, pieceBegin) = (moment.piece, moment.time) }
    let radius = max(Confidence.circle * ride.noise * (ride.isCity ? 5.59 : 1), 0.5)
    let isOutside = moment.along == nil && ride.nearest(to: moment.place)?.distance ?? 0 > radius
    outsideSince = isOutside ? outsideSince ?? moment.time : nil
    insideSince = moment.along == nil ? nil : insideSince ?? (moment.speed > 1 ? moment.time : nil)
    if status.state == .off, last?.state == .on {
      if let outsideSince {
        let seconds = moment.time - outsideSince
        offDelays.append((seconds, seconds * ride.speed))
      } else if moment.along != nil {
        falseAlarms += 1
      }
    }
    if status.state == .on, let last, last.state == .off || last.state == .before, let insideSince {
      onDelays.append(moment.time - insideSince)
    }
    if let last, let before = last.along, let now = status.along, status.state == .on, last.state == .on,
      status.isReverse == last.isReverse, (status.isReverse ? now - before : before - now) > 1e-6, before - now < 60
    {
      backwardEpochs += 1
    }
    guard let truth = moment.along, status.state == .on, let along = status.along else { return }
    if moment.speed > 0 || moment.time - pieceBegin > 10 {
      let isWrong = abs(along - truth) > 25 + 2 * radius || status.isReverse != moment.isReverse
      if isWrong, moment.time - pieceBegin > 10 { wrongEpochs += 1 }
      if !isWrong {
        errors.append(abs(along - truth))
        let heading = SIMD2(sin(moment.course * .pi / 180), cos(moment.course * .pi / 180))
        fixErrors.append(abs((error * heading).sum()))
      }
    }
  }

  package func quantile(_ part: Double, of values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
  }
}

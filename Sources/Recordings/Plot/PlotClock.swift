import LocationCore

/// Where on a picture's time axis a moment of a ride lies: seconds since its first fix, by the receiver's UTC as far as
/// that is known, so that a ride whose recorder was off for a while shows how long. Never steps back.
struct PlotClock: Sendable {
  /// A step that no ride makes: the receiver was wrong about the date before or after.
  private static let longestStep = Duration.seconds(7 * 86_400)

  private var now: Duration = .zero
  private var received: MonotonicInstant?
  /// The UTC of the axis' beginning.
  private(set) var origin: UTCInstant?

  /// The place of a fix.
  mutating func seconds(of fix: borrowing Fix) -> Double {
    advance(to: fix.received)
    if let measured = fix.measured {
      let place = origin.map { measured - $0 }
      if let place, place >= now, place - now <= Self.longestStep {
        now = place
      } else if place.map({ now - $0 > .seconds(5) || $0 - now > Self.longestStep }) ?? true {
        origin = UTCInstant(nanosecondsSince1970: measured.nanosecondsSince1970 &- now.nanoseconds)
      }
    }
    return now.inSeconds
  }

  /// The place of something else, on the ride's own clock.
  mutating func seconds(at instant: MonotonicInstant) -> Double {
    advance(to: instant)
    return now.inSeconds
  }

  private mutating func advance(to instant: MonotonicInstant) {
    if let received, instant > received { now += instant - received }
    received = received.map { max($0, instant) } ?? instant
  }
}

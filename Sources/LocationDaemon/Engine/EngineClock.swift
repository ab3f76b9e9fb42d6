import LocationCore
import NIOCore

/// The time that everything behind a source's door runs on.
///
/// Live sources run on the machine's monotonic clock. A replay runs on recorded time: at N times the machine's
/// pace, or stepped from one recorded instant to the next, so that every time-out and grace holds as on the road.
package final class EngineClock {
  private enum Pace {
    /// Recorded time is `origin` at machine time `anchor` and runs `rate` times as fast; 0 is paused.
    case running(origin: MonotonicInstant, anchor: MonotonicInstant, rate: Double)
    case stepped(MonotonicInstant)
  }

  private var pace: Pace
  /// What time does not pass: the next recorded read, however late the loop comes to it. Nothing that is due behind
  /// it, and no request, happens before it.
  package var horizon: MonotonicInstant?

  /// The machine's monotonic clock, unscaled.
  package init() {
    pace = .running(origin: .zero, anchor: .zero, rate: 1)
  }

  /// The machine's monotonic clock.
  package static var machine: MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(bitPattern: NIODeadline.now().uptimeNanoseconds))
  }

  /// Now, in host time.
  package var now: MonotonicInstant {
    horizon.map { min($0, unbounded) } ?? unbounded
  }

  private var unbounded: MonotonicInstant {
    switch pace {
    case .stepped(let instant): return instant
    case .running(let origin, let anchor, let rate):
      let elapsed = Self.machine.nanoseconds &- anchor.nanoseconds
      let way = rate == 1 ? elapsed : Self.nanoseconds((Double(elapsed) * rate).rounded(.down))
      return MonotonicInstant(nanoseconds: Self.sum(origin.nanoseconds, way))
    }
  }

  /// Whether time moves only when a replay steps it.
  package var isStepped: Bool {
    if case .stepped = pace { true } else { false }
  }

  /// The machine time at which host time reaches `instant`; `nil` while paused or stepped.
  package func machineDeadline(of instant: MonotonicInstant) -> NIODeadline? {
    guard case .running(let origin, let anchor, let rate) = pace, rate > 0 else { return nil }
    let ahead = instant.nanoseconds &- origin.nanoseconds
    let way = rate == 1 ? ahead : Self.nanoseconds((Double(ahead) / rate).rounded(.up))
    return .uptimeNanoseconds(UInt64(max(Self.sum(anchor.nanoseconds, way), 0)))
  }

  /// A number of nanoseconds, the nearest there is.
  private static func nanoseconds(_ number: Double) -> Int64 {
    Int64(exactly: number) ?? (number < 0 ? .min : .max)
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
  }

  /// Lets time run at `rate` from now on, in which it stands at `instant` if given.
  package func run(rate: Double, from instant: MonotonicInstant? = nil) {
    pace = .running(origin: instant ?? unbounded, anchor: Self.machine, rate: rate)
  }

  /// Stops time at `instant`; from here only `step(to:)` moves it.
  package func startStepping(at instant: MonotonicInstant) {
    pace = .stepped(instant)
  }

  /// Moves stepped time on; never back.
  package func step(to instant: MonotonicInstant) {
    if case .stepped(let now) = pace, instant > now { pace = .stepped(instant) }
  }
}

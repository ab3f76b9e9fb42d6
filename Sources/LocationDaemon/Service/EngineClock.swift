import LocationCore
import NIOCore

extension NIODeadline {
  init(_ instant: MonotonicInstant) { self = .uptimeNanoseconds(UInt64(clamping: instant.nanoseconds)) }
}

extension EventLoop {
  /// Runs `body` at an instant of the machine's clock. Only what runs on this loop may call it.
  func schedule(at instant: MonotonicInstant, _ body: @escaping () -> Void) -> Scheduled<Void> {
    assumeIsolated().scheduleTask(deadline: NIODeadline(instant), body)
  }

  @discardableResult
  func schedule(in wait: Duration, _ body: @escaping () -> Void) -> Scheduled<Void> {
    assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds), body)
  }
}

/// The clock of the engine: the machine's monotonic clock for live sources, recorded time for a replay. That runs at N
/// times the machine's rate, or is stepped from one recorded instant to the next: every timeout is as in the ride.
package final class EngineClock {
  private enum Pace {
    /// Recorded time is `origin` at machine time `anchor` and runs `rate` times as fast; 0 is paused.
    case running(origin: MonotonicInstant, anchor: MonotonicInstant, rate: Double)
    case stepped(MonotonicInstant)
  }

  private var pace: Pace
  /// Upper bound of `now`: the next recorded read, even if processed late; no later deadline or request precedes it.
  package var horizon: MonotonicInstant?
  /// Whether recorded time waits for slow clients: every line reaches every client.
  package var waitsForClients = false

  package init() { pace = .running(origin: .zero, anchor: .zero, rate: 1) }

  package static var machine: MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(bitPattern: NIODeadline.now().uptimeNanoseconds))
  }

  package var now: MonotonicInstant { horizon.map { min($0, unbounded) } ?? unbounded }

  private var unbounded: MonotonicInstant {
    switch pace {
    case .stepped(let instant): return instant
    case .running(let origin, let anchor, let rate):
      let elapsed = Self.machine.nanoseconds &- anchor.nanoseconds
      let scaled = rate == 1 ? elapsed : Self.nanoseconds((Double(elapsed) * rate).rounded(.down))
      return MonotonicInstant(nanoseconds: Self.sum(origin.nanoseconds, scaled))
    }
  }

  /// How many times as fast as the machine's clock time runs; 1 while it is stepped.
  package var rate: Double { if case .running(_, _, let rate) = pace { rate } else { 1 } }
  package var isStepped: Bool { if case .stepped = pace { true } else { false } }

  /// The machine time at which engine time reaches `instant`; `nil` while paused or stepped.
  package func machineDeadline(of instant: MonotonicInstant) -> NIODeadline? {
    guard case .running(let origin, let anchor, let rate) = pace, rate > 0 else { return nil }
    let ahead = instant.nanoseconds &- origin.nanoseconds
    let scaled = rate == 1 ? ahead : Self.nanoseconds((Double(ahead) / rate).rounded(.up))
    return .uptimeNanoseconds(UInt64(max(Self.sum(anchor.nanoseconds, scaled), 0)))
  }

  /// The nearest representable number of nanoseconds.
  private static func nanoseconds(_ number: Double) -> Int64 { Int64(exactly: number) ?? (number < 0 ? .min : .max) }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
  }

  package func run(rate: Double, from instant: MonotonicInstant? = nil) {
    pace = .running(origin: instant ?? unbounded, anchor: Self.machine, rate: rate)
  }

  /// Stops time at `instant`; only `step(to:)` advances it.
  package func startStepping(at instant: MonotonicInstant) { pace = .stepped(instant) }

  /// Advances stepped time; never moves it back.
  package func step(to instant: MonotonicInstant) {
    if case .stepped(let now) = pace, instant > now { pace = .stepped(instant) }
  }
}

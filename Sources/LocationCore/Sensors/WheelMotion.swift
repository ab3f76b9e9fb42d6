/// The motion of a wheel: its speed, its way, and whether it is still, by the counts of its revolutions. Counts that no
/// rider's acceleration explains are a missed or doubled pulse, unless they persist. Without a revolution for so long
/// that it must have stopped, it is still. A wheel that is still while the receiver's speed is that of a ride sleeps;
/// one that turns otherwise than the receiver says is implausible until it agrees again.
package struct WheelMotion: Sendable {
  /// Strongest acceleration and braking, m/s², and the circumference that is assumed with it, metres.
  private static let strongest = (acceleration: 5.0, circumference: 2.1)
  /// Consecutive revised counts after which the counts are right.
  private static let revisions = 3
  private static let batches = 3
  /// Speed of a single turn as a part of that of a start: one of neither a start nor a stop.
  private static let single = 0.85
  /// Turns within which a braked wheel must stand if it makes none.
  private static let brakes = 1.2
  /// Braking to a standstill within a turn that no rider can, m/s².
  private static let impossible = 10.0
  /// Longest time without a reading of a sensor that sends without turns, too, seconds.
  private static let silence = 3.0
  /// Longest time from one turn to the next within a motion, seconds.
  private static let longestTurn = 6.0
  /// Shortest time over which a rate is measured, seconds: sensors' clocks are coarse.
  private static let shortestStep = 0.15
  /// Shortest time of a turn, seconds: a pulse that follows sooner is the contact's second one.
  private static let shortestTurn = 0.02
  /// Time in which a wheel that is predicted to stand does.
  private static let margin = 0.25
  /// Usual age of a fix when it arrives, seconds.
  private static let latency = 0.15
  /// Difference to the receiver's speed that is none: m/s, and a part of the higher one; and how long a larger one lasts
  /// until the wheel is implausible, and a smaller one until it is plausible again, seconds.
  private static let agreement = (speed: 1.0, part: 0.3, time: 5.0)
  /// The receiver's speed at which a wheel that does not turn sleeps at once, m/s, and the turns due at a lower one.
  private static let asleep = (speed: 3.0, turns: 3.0)

  package private(set) var circumference: WheelCircumference
  /// Revolutions since the first reading, revised.
  private var turns = 0.0
  /// The newest count that a rate has been measured until, and the newest one.
  private var counted: (value: Double, time: Double)?
  private var newest = 0.0
  /// The sensor's time of the newest pulse, and how many followed another too soon.
  private var pulsed: Double?
  private var doubled = 0.0
  /// Revolutions a second of the last step, their fall in a second, and its length; 0 after a standstill.
  private var rate = 0.0
  private var fall = 0.0
  private var step = 0.0
  /// When the wheel last turned.
  private var turned: MonotonicInstant?
  private var received: MonotonicInstant?
  /// Metres by the receiver since then, without a stop.
  private var unturned = 0.0
  /// Readings in a row not of a single turn: from ``batches`` on, they have their own rhythm, or the wheel is too fast.
  private var uneven = 0
  private var revised = 0
  /// The sensor's clock in ours, nanoseconds: that of the reading that arrived fastest.
  private var offset: Int64?
  /// Seconds for which the receiver's speed has agreed (positive), or not.
  private var agreed = 0.0
  private var isApart = false
  /// Seconds for which it has turned.
  private var moved = 0.0
  /// Of the newest fix: when it was received, and the turns and the time of turning until then.
  private var fix: (received: MonotonicInstant, turns: Double, moved: Double)?

  package init(_ circumference: WheelCircumference = WheelCircumference()) { self.circumference = circumference }
  private var isPeriodic: Bool { uneven >= Self.batches }
  package var isImplausible: Bool { isApart || circumference.isContradicted }

  /// Takes a count of revolutions with the time of the last one in seconds on the sensor's clock.
  mutating func receive(_ count: Double, eventTime: Double?, at instant: MonotonicInstant) {
    let time = eventTime ?? Double(instant.nanoseconds) * 1e-9
    received = instant
    defer { newest = count }
    if let pulsed, eventTime != nil, count == newest + 1, 0..<Self.shortestTurn ~= time - pulsed { doubled += 1 }
    pulsed = eventTime
    let value = count - doubled
    guard let last = counted else { return counted = (value, time) }
    if uneven < .max { uneven = count == newest ? .max : count > newest + 1 ? uneven + 1 : 0 }
    let (counts, seconds) = (value - last.value, time - last.time)
    guard counts > 0, seconds > 0, rate == 0 || seconds >= Self.shortestStep else { return }
    counted = (value, time)
    let before = turned
    turned = self.instant(of: time, seconds, arrived: instant)
    unturned = 0
    // It has stood in between, and the way since then is unknown.
    if before == nil || seconds > Self.longestTurn * max(1, counts) || rate > 0 && seconds > max(4 / rate, 2) {
      (rate, fall, step) = (0, 0, 0)
      turns += counts
      moved += min(seconds, counts)
      return
    }
    moved += seconds
    let actual = revise(counts, over: seconds)
    turns += actual
    let new = actual / seconds
    let most = Self.strongest.acceleration / Self.strongest.circumference
    fall = rate > 0 && actual > 0 ? min(max((rate - new) / ((step + seconds) / 2), -most), 2 * most) : 0
    if actual > 0 { (rate, step) = (new, seconds) }
  }

  /// An instant of the sensor's clock on ours, at most that of the arrival.
  private mutating func instant(of time: Double, _ seconds: Double, arrived: MonotonicInstant) -> MonotonicInstant {
    guard time.magnitude < 9e9 else { return arrived }
    let own = Int64(time * 1e9)
    let delay = arrived.nanoseconds &- own
    // Clocks drift apart by less than a millisecond a second.
    let drift = Int64(min(seconds, 1e6) * 1e6)
    offset = min(offset.map { $0 &+ drift } ?? delay, delay)
    return MonotonicInstant(nanoseconds: min(own &+ (offset ?? delay), arrived.nanoseconds))
  }

  private mutating func revise(_ counts: Double, over seconds: Double) -> Double {
    let expected = rate * seconds
    let change = Self.strongest.acceleration / Self.strongest.circumference * seconds * seconds / 2 + 0.5
    guard rate > 0, abs(counts - expected) > change, revised < Self.revisions else {
      revised = 0
      return counts
    }
    revised += 1
    return expected.rounded()
  }

  /// Seconds without a turn, as far as the readings say.
  private func idle(at instant: MonotonicInstant) -> Double {
    guard let turned, let received else { return 0 }
    return max(0, (isPeriodic ? min(received, instant) : instant).seconds(since: turned))
  }

  /// Revolutions a second. Without a turn for `idle` seconds at most one was made: it has come to this, braking evenly.
  func rateNow(at instant: MonotonicInstant) -> Double {
    let idle = idle(at: instant)
    guard rate > 0 else { return turned != nil && idle < startTime ? Self.single / startTime : 0 }
    if let braked, idle > braked { return 0 }
    let foreseen = last - fall * min(idle, step)
    return max(0, idle > overdue ? min(foreseen, 2 / idle - last) : foreseen)
  }

  /// Rate at the last turn.
  private var last: Double { max(0, rate - fall * step / 2) }
  /// Seconds after which a turn is overdue.
  private var overdue: Double { 1.3 / rate + Self.shortestStep }
  /// Seconds after which it stands if it is braked on; `nil` if it must have turned before.
  private var braked: Double? { fall > 0 && last * last / (2 * fall) < Self.brakes ? last / fall + Self.margin : nil }
  /// Seconds of a turn at the speed of a start, for which another one is awaited after a single one.
  private var startTime: Double { (circumference.value ?? 2) / Standstill.startedFrom }

  /// The next instant at which it stands, or is as slow as at a stop, if it does not turn; `nil` if readings must say so.
  func standstill(after instant: MonotonicInstant) -> MonotonicInstant? {
    guard let turned, let value = circumference.value, !isPeriodic else { return nil }
    let slow = max(overdue, 2 / (last + Standstill.stoppedBelow / value))
    let idle = idle(at: instant)
    let (early, late) = rate > 0 ? (min(slow, braked ?? slow), max(slow, braked ?? slow)) : (startTime, startTime)
    return late > idle ? turned + .seconds(early > idle ? early : late) + .milliseconds(1) : nil
  }

  /// Whether it needs no receiver that agrees. A single turn does: it may be a push by a hand's width, or a contact that
  /// shakes. A slow wheel that turns again does not, nor one that was braked to a standstill, unless the newest fix was
  /// too fast for that.
  func isProof(beside fix: Fix, at instant: MonotonicInstant) -> Bool {
    guard let value = circumference.value, rate > 0 else { return false }
    let speed = rateNow(at: instant) * value
    guard speed == 0 else { return Standstill.startedFrom..<Double(FusedMotion.slowest) ~= speed }
    guard let braked, idle(at: instant) > braked else { return false }
    let age = instant.seconds(since: fix.received) + Self.latency
    return (fix.speed ?? 0) - fall * value * age < Standstill.startedFrom
  }

  private func turns(at instant: MonotonicInstant) -> Double {
    guard let turned, rate > 0 else { return turns }
    // Between the readings of a sensor that sends once a second, more than one turn is due.
    let most = isPeriodic ? 1.5 * rate : 1 + Self.shortestStep * rate
    return turns + min(rate * max(0, instant.seconds(since: turned)), most)
  }

  private func isSilent(at instant: MonotonicInstant) -> Bool {
    received.map { isPeriodic && instant.seconds(since: $0) > Self.silence } ?? true
  }

  /// Speed in m/s; `nil` while the circumference is unknown, or the sensor says nothing that can be trusted.
  package func speed(at instant: MonotonicInstant) -> Double? {
    guard let value = circumference.value, turned != nil, !isImplausible, !isSilent(at: instant) else { return nil }
    // A sensor that sends each turn sleeps if the wheel could not have stopped within one.
    let isAsleep = !isPeriodic && rate * rate * value / 2 > Self.impossible && idle(at: instant) > 2 / rate
    return isAsleep ? nil : rateNow(at: instant) * value
  }

  /// The way since the newest fix; `nil` if it is unknown.
  func way(at instant: MonotonicInstant) -> WheelWay? {
    guard let fix, let value = circumference.value, let speed = speed(at: instant) else { return nil }
    return (max(0, turns(at: instant) - fix.turns) * value, speed, (circumference.error ?? 0) / value)
  }

  package mutating func complete(_ fix: Fix, _ fused: inout FusedMotion) {
    let instant = fix.received
    let (speed, turns) = (speed(at: instant), turns(at: instant))
    let seconds = self.fix.map { instant.seconds(since: $0.received) } ?? 0
    if let speed = fix.speed { unturned = speed < Standstill.stoppedBelow ? 0 : unturned + speed * seconds }
    compare(fix, seconds: seconds)
    circumference.learn(from: fix, turns: turns)
    let before = self.fix
    self.fix = (instant, turns, moved)
    guard let value = circumference.value, let speed, !isImplausible, !isAsleep(speed, beside: fix.speed) else {
      return
    }
    fused.wheelSpeed = Float(speed)
    guard let before, seconds > 0 else { return }
    let way = max(0, turns - before.turns) * value
    fused.wheelWay = Float(way)
    fused.wheelTime = Float(min(moved - before.moved, seconds))
  }

  /// Whether it does not turn in a ride: the sensor sleeps, or its magnet is turned away.
  private func isAsleep(_ speed: Double, beside receivers: Double?) -> Bool {
    let way = Self.asleep.turns * (circumference.value ?? 0)
    return receivers.map { ($0 > Self.asleep.speed || unturned > way) && speed < 0.3 * $0 } ?? false
  }

  private mutating func compare(_ fix: Fix, seconds: Double) {
    guard let value = circumference.value, let receivers = fix.speed, seconds > 0, seconds < 3,
      !isSilent(at: fix.received), turned != nil
    else { return }
    let speed = rateNow(at: fix.received) * value
    if isAsleep(speed, beside: receivers) { return agreed = min(agreed, 0) }
    let agrees = abs(speed - receivers) <= max(Self.agreement.speed, Self.agreement.part * max(speed, receivers))
    // Two that both stand do not agree.
    guard !agrees || !isApart || receivers > Self.asleep.speed else { return }
    agreed = agrees ? max(agreed, 0) + seconds : min(agreed, 0) - seconds
    if abs(agreed) >= Self.agreement.time { isApart = agreed < 0 }
  }
}

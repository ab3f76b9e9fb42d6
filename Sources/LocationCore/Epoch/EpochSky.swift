/// The satellites of epochs, limited to one sky per UTC second: a receiver may send ten.
struct EpochSky: Sendable {
  /// Longest time between two lists of satellites, nanoseconds: some receivers send one in ten epochs.
  private static let longestPause: Int64 = 30_000_000_000

  var collector = SkyCollector()
  /// Satellites whose sets arrived after their epoch closed.
  var trailing: Sky?
  private var clock = SkyClock()
  private var published: UTCInstant?
  private var measured: UTCInstant?
  /// When the newest epoch closed, and the one that had the newest list of satellites.
  private var received = MonotonicInstant.zero
  private var listed: MonotonicInstant?
  /// When the newest epoch with GSA closed.
  private var stated: MonotonicInstant?
  /// Number of satellites that the epoch's fix uses, if it states it.
  private var used: Int?

  /// The sky of the closing epoch, whose fix uses so many satellites, or the late sky of the previous one.
  mutating func closed(
    _ active: ActiveSatellites?, used: Int?, _ measured: UTCInstant?, at received: MonotonicInstant
  ) -> Sky? {
    self.measured = measured
    self.received = received
    self.used = used
    defer { trailing = nil }
    return take(active) ?? trailing ?? unlisted(active)
  }

  /// The sky of a receiver that lists no satellites.
  private mutating func unlisted(_ active: ActiveSatellites?) -> Sky? {
    if let active, active.pdop != nil || active.vdop != nil || active.count > 0 {
      stated = received
    } else if let stated, received.nanoseconds &- stated.nanoseconds <= Self.longestPause {
      return nil
    }
    guard listed.map({ received.nanoseconds &- $0.nanoseconds > Self.longestPause }) ?? true,
      let active, active.hdop != nil || active.pdop != nil || active.count > 0, clock.isDue(measured, at: received)
    else { return nil }
    published = measured
    var sky = Sky(measured: measured)
    complete(&sky, active)
    return sky
  }

  private func complete(_ sky: inout Sky, _ active: ActiveSatellites?) {
    sky.hdop = active?.hdop
    sky.vdop = active?.vdop
    sky.pdop = active?.pdop
    sky.statedUsed = collector.usedCount > 0 ? collector.usedCount : used
  }

  /// Keeps the satellites received between the close and the end of an epoch.
  mutating func finished(_ active: ActiveSatellites?) {
    if let sky = take(active) { trailing = sky }
  }

  private mutating func take(_ active: ActiveSatellites?) -> Sky? {
    if collector.isFresh { listed = received }
    // Further sets of the same epoch complete its sky; a sky without its own time gets the time of the next epoch.
    if collector.isFresh, let measured, measured != published, !clock.isDue(measured, at: received) { collector.pass() }
    guard let satellites = collector.take() else { return nil }
    published = measured
    var sky = Sky(measured: measured, satellites: satellites)
    complete(&sky, active)
    return sky
  }
}

struct ActiveSatellites: Sendable {
  /// The fewest dimensions of a system; 1 only if none has more: a system that does not contribute reports that.
  private(set) var fix: GSAFix?
  /// Dilutions of precision, from the last sentence.
  @Compact private(set) var pdop: Double?
  @Compact private(set) var hdop: Double?
  @Compact private(set) var vdop: Double?
  /// Satellites in use, of all systems.
  private(set) var count = 0
  private(set) var hasThreeD = false

  /// Sets the dilutions of another message, which have priority.
  @inline(__always)
  mutating func put(pdop: Double?, hdop: Double?, vdop: Double?) {
    (self.pdop, self.hdop, self.vdop) = (pdop ?? self.pdop, hdop ?? self.hdop, vdop ?? self.vdop)
  }

  mutating func add(_ gsa: GSA) {
    if let new = gsa.fix {
      switch (fix, new) {
      case (nil, _), (.noFix, _): fix = new
      case (.some, .noFix): break
      case (.some(let old), _): fix = old.rawValue < new.rawValue ? old : new
      }
    }
    hasThreeD = hasThreeD || gsa.fix == .threeD
    count += gsa.satellites?.count ?? 0
    put(pdop: gsa.pdop, hdop: gsa.hdop, vdop: gsa.vdop)
  }
}

/// A limit of one sky per second, by UTC if the sky has a time, so that jitter of the line does not drop any.
package struct SkyClock: Sendable {
  /// A second of the monotonic clock minus the jitter of a line.
  private static let second = Duration.milliseconds(950)
  private var lastSecond: Int64?
  private var lastInstant: MonotonicInstant?

  package init() {}

  /// Whether a sky measured at that time is due; if so, it counts as the one of its second.
  package mutating func isDue(_ measured: UTCInstant?, at instant: MonotonicInstant) -> Bool {
    let second = measured.map { $0.nanosecondsSince1970 / 1_000_000_000 }
    if let second, let lastSecond {
      guard second != lastSecond else { return false }
    } else if let lastInstant, instant - lastInstant < Self.second {
      return false
    }
    lastSecond = second
    lastInstant = instant
    return true
  }
}

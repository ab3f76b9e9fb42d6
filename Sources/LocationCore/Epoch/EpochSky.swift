/// The satellites of epochs: one sky per UTC second, though the receiver may bring ten.
struct EpochSky: Sendable {
  /// Takes GSV and GSA sentences as they come.
  var collector = SkyCollector()
  /// Satellites whose sets came behind what closed their epoch.
  private var trailing: Sky?
  private var clock = SkyClock()
  /// UTC of the last sky.
  private var told: UTCInstant?
  /// UTC of the epoch that closed last.
  private var measured: UTCInstant?

  /// The sky of an epoch that closes now, or the one that trailed behind the epoch before.
  mutating func closed(_ active: ActiveSatellites?, _ measured: UTCInstant?) -> Sky? {
    self.measured = measured
    defer { trailing = nil }
    return take(active) ?? trailing
  }

  /// Keeps what came since the epoch closed that ends now.
  mutating func finished(_ active: ActiveSatellites?) {
    if let sky = take(active) { trailing = sky }
  }

  private mutating func take(_ active: ActiveSatellites?) -> Sky? {
    // More of the same epoch completes its sky; without a time of its own a sky is timed by who tells it.
    if collector.isFresh, let measured, measured != told, !clock.isDue(measured, at: .zero) { collector.pass() }
    guard let satellites = collector.take() else { return nil }
    told = measured
    var sky = Sky(measured: measured, satellites: satellites)
    sky.hdop = active?.hdop
    sky.vdop = active?.vdop
    sky.pdop = active?.pdop
    return sky
  }
}

/// What the GSA sentences of an epoch say together.
struct ActiveSatellites: Sendable {
  /// The navigation mode: the fewest dimensions that a system reports. A system that takes no part says 1
  /// beside others that say 2 or 3, so 1 counts only when nothing else was said.
  private(set) var fix: GSAFix?
  /// Dilutions of precision, the last that were sent.
  @Compact private(set) var pdop: Double?
  @Compact private(set) var hdop: Double?
  @Compact private(set) var vdop: Double?

  /// Takes one more sentence in.
  mutating func add(_ gsa: GSA) {
    if let new = gsa.fix {
      switch (fix, new) {
      case (nil, _), (.noFix, _): fix = new
      case (.some, .noFix): break
      case (.some(let old), _): fix = old.rawValue < new.rawValue ? old : new
      }
    }
    pdop = gsa.pdop ?? pdop
    hdop = gsa.hdop ?? hdop
    vdop = gsa.vdop ?? vdop
  }
}

/// Lets one sky a second through, by the sky's own second where it has one: epochs that come a little early
/// because of the line's jitter are not dropped for it.
package struct SkyClock: Sendable {
  /// A second of the monotonic clock, but for what a line's jitter takes from it.
  private static let second = Duration.milliseconds(950)
  private var lastSecond: Int64?
  private var lastInstant: MonotonicInstant?

  package init() {}

  /// Whether a sky measured then goes out; if so it is the last one for its second.
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

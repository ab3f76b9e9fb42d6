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

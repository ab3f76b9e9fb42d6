import LocationCore

/// The `TPV` line: time, position, velocity of one epoch.
///
/// Written in two steps. The body depends on the fix alone and is encoded once per epoch; the ending depends on why and to whom the
/// fix goes. A second ending for the same body: `truncate(to:)` the length after the body, then finish again.
///
/// | field | unit | from |
/// |---|---|---|
/// | `device` | path | |
/// | `mode` | 1 no fix, 2, 3 | |
/// | `status` | 0 no fix, 1 plain, 2 differential, 3 and 4 RTK, 5 and 6 dead reckoning, 7 surveyed, 8 simulated | |
/// | `time` | UTC | absent when the receiver told no date |
/// | `lat` `lon` | degrees | 9 decimals |
/// | `altHAE` `altMSL` `alt` | metres | `alt` repeats `altMSL` |
/// | `epx` `epy` `epv` `eph` | metres, 95 % | east, north, up, horizontal |
/// | `track` `magtrack` | degrees from true and from magnetic north | |
/// | `magvar` | degrees, east positive | |
/// | `speed` `eps` | m/s; `eps` 95 % | |
/// | `geoidSep` | metres, geoid above ellipsoid | |
/// | `dgpsAge` `dgpsSta` | seconds; number | |
/// | `seq` | number of the fix since the daemon started | ending |
/// | `reason` | why this fix passed the filter | ending |
/// | `age` | seconds since the fix was received, in a snapshot | ending |
/// | `source` | name of the source | ending |
/// | `suspect` | true when the fix was held as a jump before it was accepted | ending |
package enum TPVLine {
  /// Opens the line and writes what gpsd writes for a fix.
  package static func body(_ fix: Fix, device: String?, into line: inout JSONLine) {
    line.begin("TPV")
    line.field("device", device)
    line.field("mode", fix.mode.rawValue)
    line.field("status", fix.status.rawValue)
    line.field("time", fix.measured)
    line.field("lat", fix.position.latitude, decimals: 9, trimmed: false)
    line.field("lon", fix.position.longitude, decimals: 9, trimmed: false)
    line.field("altHAE", fix.altitudeHAE, decimals: 4)
    line.field("altMSL", fix.altitudeMSL, decimals: 4)
    line.field("alt", fix.altitudeMSL, decimals: 4)
    line.field("epx", fix.longitudeError, decimals: 3)
    line.field("epy", fix.latitudeError, decimals: 3)
    line.field("epv", fix.verticalAccuracy, decimals: 3)
    line.field("eph", fix.horizontalAccuracy, decimals: 3)
    line.field("track", fix.course, decimals: 4)
    line.field("magtrack", magneticTrack(of: fix), decimals: 4)
    line.field("magvar", fix.magneticVariation, decimals: 1)
    line.field("speed", fix.speed, decimals: 3)
    line.field("eps", fix.speedAccuracy, decimals: 3)
    line.field("geoidSep", fix.geoidSeparation, decimals: 3)
    line.field("dgpsAge", fix.dgpsAge, decimals: 1)
    line.field("dgpsSta", fix.dgpsStation)
  }

  /// Opens the line for an epoch without a fix.
  package static func noFix(time: UTCInstant?, device: String?, into line: inout JSONLine) {
    line.begin("TPV")
    line.field("device", device)
    line.field("mode", 1)
    line.field("status", 0)
    line.field("time", time)
  }

  /// Ends the line as gpsd does, for a client that knows none of the additions.
  package static func finish(_ line: inout JSONLine) {
    line.end()
  }

  /// Ends the line with the additions. A no-fix has no number; only a repeated fix has an age (seconds).
  package static func finish(
    _ line: inout JSONLine, seq: UInt64?, reason: String, age: Double? = nil, source: String?, suspect: Bool = false
  ) {
    line.field("seq", seq)
    line.field("reason", reason)
    line.field("age", age, decimals: 3)
    line.field("source", source)
    if suspect { line.field("suspect", true) }
    line.end()
  }

  /// Ends the line of a published fix with the additions.
  package static func finish(
    _ line: inout JSONLine, _ published: PublishedFix, reason: String, age: Double? = nil, source: String?
  ) {
    finish(
      &line, seq: published.seq, reason: reason, age: age, source: source,
      suspect: published.changes.contains(.suspect))
  }

  private static func magneticTrack(of fix: Fix) -> Double? {
    guard let course = fix.course, let variation = fix.magneticVariation else { return nil }
    let track = course - variation
    return track < 0 ? track + 360 : track >= 360 ? track - 360 : track
  }
}

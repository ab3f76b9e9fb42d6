import LocationCore

/// Time, position and velocity of one epoch (gpsd's class `TPV`).
///
/// | field | unit |
/// |---|---|
/// | `device` | path |
/// | `mode` | 0 unknown, 1 no fix, 2, 3 |
/// | `status` | 0 no fix, 1 plain, 2 differential, 3 and 4 RTK, 5 and 6 dead reckoning, 7 surveyed, 8 simulated |
/// | `time` | UTC; absent when the receiver sent no date |
/// | `lat` `lon` | degrees, written with 9 decimals |
/// | `altHAE` `altMSL` `alt` | metres; `alt` repeats `altMSL` |
/// | `epx` `epy` `epv` `eph` | 95 % errors in metres: east, north, up, horizontal |
/// | `track` `magtrack` | degrees from true and from magnetic north |
/// | `magvar` | degrees, east positive |
/// | `speed` `eps` | m/s; `eps` 95 % |
/// | `climb` | m/s, upwards positive |
/// | `epd` | 95 % error of the course, degrees |
/// | `geoidSep` | metres, geoid above ellipsoid |
/// | `dgpsAge` `dgpsSta` | seconds; number |
/// | `heading` | degrees from true north |
/// | `seq` | number of the fix since the daemon started |
/// | `reason` | why the fix passed the filter |
/// | `age` | seconds since the fix was received, in a snapshot |
/// | `source` | name of the source |
/// | `suspect` | true when the fix was held as a jump before it was accepted |
///
/// The last six are additions to gpsd's class. `ept`, `sep` and `epc` are written for gpsd's own clients and not read.
package struct TPV: Hashable, Sendable {
  /// Path of the device.
  package var device: String?
  /// 0 unknown, 1 no fix, 2 or 3 dimensions.
  package var mode: Int
  /// 1 plain, 2 differential, 3 and 4 RTK, 5 and 6 dead reckoning …
  package var status: Int?
  /// UTC of the epoch.
  package var time: UTCInstant?
  /// Latitude, degrees.
  package var lat: Double?
  /// Longitude, degrees.
  package var lon: Double?
  /// Altitude above the ellipsoid, metres.
  package var altHAE: Double?
  /// Altitude above mean sea level, metres.
  package var altMSL: Double?
  /// The only altitude before gpsd 3.20, above mean sea level, metres.
  package var alt: Double?
  /// 95 % error along the parallel, metres.
  package var epx: Double?
  /// 95 % error along the meridian, metres.
  package var epy: Double?
  /// 95 % error of the altitude, metres.
  package var epv: Double?
  /// 95 % radius of the horizontal error, metres.
  package var eph: Double?
  /// Course over ground, degrees from true north.
  package var track: Double?
  /// Magnetic variation, degrees, east positive.
  package var magvar: Double?
  /// Speed over ground, m/s.
  package var speed: Double?
  /// 95 % error of the speed, m/s.
  package var eps: Double?
  /// Vertical speed, m/s, upwards positive.
  package var climb: Double?
  /// 95 % error of the course, degrees.
  package var epd: Double?
  /// Geoid above ellipsoid, metres.
  package var geoidSep: Double?
  /// Age of the differential corrections, seconds.
  package var dgpsAge: Double?
  /// Differential reference station.
  package var dgpsSta: Int?
  /// Heading, degrees from true north.
  package var heading: Double?
  /// Number of the fix since the daemon started.
  package var seq: UInt64?
  /// Why it was delivered, a `DeliveryReason`.
  package var reason: String?
  /// Seconds since it was received, in a snapshot.
  package var age: Double?
  /// Name of the source.
  package var source: String?
  /// Whether the fix was held as a jump before it was accepted.
  package var suspect: Bool?

  /// A report that has only a mode.
  package init(device: String? = nil, mode: Int) {
    self.device = device
    self.mode = mode
  }

  init(_ object: inout JSONObject) {
    device = object.string("device")
    mode = object.required("mode", object.integer("mode"), or: 0)
    status = object.integer("status")
    time = object.time("time")
    lat = object.double("lat")
    lon = object.double("lon")
    altHAE = object.double("altHAE")
    altMSL = object.double("altMSL")
    alt = object.double("alt")
    epx = object.double("epx")
    epy = object.double("epy")
    epv = object.double("epv")
    eph = object.double("eph")
    track = object.double("track")
    magvar = object.double("magvar")
    speed = object.double("speed")
    eps = object.double("eps")
    climb = object.double("climb")
    epd = object.double("epd")
    geoidSep = object.double("geoidSep")
    dgpsAge = object.double("dgpsAge")
    dgpsSta = object.integer("dgpsSta")
    heading = object.double("heading")
    seq = object.integer("seq")
    reason = object.string("reason")
    age = object.double("age")
    source = object.string("source")
    suspect = object.bool("suspect")
  }
}

// MARK: - Writing

/// The line is written in two steps. The body depends on the fix alone and is encoded once per epoch; the ending
/// depends on why and to whom the fix goes. For another ending of the same body, `truncate(to:)` the length after the
/// body, then finish again.
extension TPV {
  /// Opens the line of a fix with gpsd's own fields; `errors` in place of the fix's own errors and speed.
  package static func body(
    _ fix: Fix, device: String?, errors: DerivedErrors? = nil, into line: inout JSONLine
  ) {
    line.begin("TPV")
    line.field("device", device)
    line.field("mode", fix.mode.rawValue)
    line.field("status", fix.status.rawValue)
    line.field("time", fix.measured)
    line.field("ept", errors?.time, decimals: 3)
    line.field("lat", fix.position.latitude, decimals: 9, trimmed: false)
    line.field("lon", fix.position.longitude, decimals: 9, trimmed: false)
    line.field("altHAE", fix.altitudeHAE, decimals: 4)
    line.field("altMSL", fix.altitudeMSL, decimals: 4)
    line.field("alt", fix.altitudeMSL, decimals: 4)
    line.field("epx", errors?.longitude ?? fix.longitudeError, decimals: 3)
    line.field("epy", errors?.latitude ?? fix.latitudeError, decimals: 3)
    line.field("epv", errors == nil ? fix.verticalAccuracy : errors?.altitude, decimals: 3)
    line.field("eph", errors?.horizontal ?? fix.horizontalAccuracy, decimals: 3)
    line.field("sep", errors?.spherical, decimals: 3)
    line.field("track", fix.course, decimals: 4)
    line.field("magtrack", magneticTrack(of: fix), decimals: 4)
    line.field("magvar", fix.magneticVariation, decimals: 1)
    line.field("speed", errors?.groundSpeed ?? fix.speed, decimals: 3)
    line.field("climb", fix.climb, decimals: 3)
    line.field("epd", errors == nil ? fix.courseAccuracy : errors?.course, decimals: 3)
    line.field("eps", errors?.speed ?? fix.speedAccuracy, decimals: 3)
    line.field("epc", errors?.climbError, decimals: 3)
    line.field("geoidSep", fix.geoidSeparation, decimals: 3)
    line.field("dgpsAge", fix.dgpsAge, decimals: 1)
    line.field("dgpsSta", fix.dgpsStation)
  }

  /// Opens the line of an epoch without a fix.
  package static func noFix(time: UTCInstant?, device: String?, into line: inout JSONLine) {
    line.begin("TPV")
    line.field("device", device)
    line.field("mode", 1)
    line.field("status", 0)
    line.field("time", time)
  }

  /// Ends the line as gpsd does, for a client without the additions.
  package static func finish(_ line: inout JSONLine) {
    line.end()
  }

  /// Ends the line with the additions. An epoch without a fix has no number; only a repeated or a late fix has an age in
  /// seconds.
  package static func finish(
    _ line: inout JSONLine, heading: Double? = nil, seq: UInt64?, reason: String, age: Double? = nil, source: String?,
    suspect: Bool = false
  ) {
    line.field("heading", heading, decimals: 4)
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
      &line, heading: published.fix.heading, seq: published.seq, reason: reason, age: age ?? published.age?.inSeconds,
      source: source,
      suspect: published.changes.contains(.suspect))
  }

  private static func magneticTrack(of fix: Fix) -> Double? {
    guard let course = fix.course, let variation = fix.magneticVariation else { return nil }
    let track = course - variation
    return track < 0 ? track + 360 : track >= 360 ? track - 360 : track
  }
}

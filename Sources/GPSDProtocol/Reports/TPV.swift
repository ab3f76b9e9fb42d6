import LocationCore

/// Time, position and velocity of one epoch (gpsd's class `TPV`), in degrees, metres, m/s, seconds and errors of 95 %;
/// handlebar-protocol(7) explains each field. The last ones, from `seq` on, and `heading` are additions to gpsd's class.
/// `alt` is gpsd's `altMSL` before 3.20. `ept`, `sep`, `epc` and `magtrack` are written and not read.
package struct TPV: Hashable, Sendable {
  package var device: String?
  package var mode: Int
  package var status: Int?
  package var time: UTCInstant?
  package var lat, lon, altHAE, altMSL, alt: Double?
  package var epx, epy, epv, eph: Double?
  package var track, magvar, speed, eps, climb, epd, geoidSep: Double?
  package var dgpsAge: Double?
  package var dgpsSta: Int?
  package var heading: Double?
  package var seq: UInt64?
  /// A `DeliveryReason`.
  package var reason: String?
  package var reasons: String?
  package var age: Double?
  package var source: String?
  package var suspect: Bool?
  package var bend: Double?
  package var wheelSpeed, altFused, altFusedError, grade, gradeError: Double?

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
    reasons = object.string("reasons")
    age = object.double("age")
    source = object.string("source")
    suspect = object.bool("suspect")
    bend = object.double("bend")
    wheelSpeed = object.double("wheelSpeed")
    altFused = object.double("altFused")
    altFusedError = object.double("altFusedError")
    grade = object.double("grade")
    gradeError = object.double("gradeError")
  }
}

/// Written in two steps: the body, of the fix alone, and the ending, by why and to whom it goes; `end()` is gpsd's.
extension TPV {
  /// Opens the line of a fix with gpsd's own fields; `errors` in place of the fix's own errors and speed.
  package static func body(_ fix: Fix, device: String?, errors: DerivedErrors? = nil, into line: inout JSONLine) {
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

  package static func noFix(time: UTCInstant?, device: String?, into line: inout JSONLine) {
    line.begin("TPV")
    line.field("device", device)
    line.field("mode", 1)
    line.field("status", 0)
    line.field("time", time)
  }

  /// Ends the line with the additions. An epoch without a fix has no number; only a repeated or late fix an `age`, s.
  package static func finish(
    _ line: inout JSONLine, heading: Double? = nil, seq: UInt64?, reason: String, reasons: String? = nil,
    age: Double? = nil, source: String?, suspect: Bool = false, bend: Double? = nil,
    fused: FusedMotion = FusedMotion()
  ) {
    line.field("heading", heading, decimals: 4)
    line.field("seq", seq)
    line.field("reason", reason)
    line.field("reasons", reasons)
    line.field("age", age, decimals: 3)
    line.field("source", source)
    if suspect { line.field("suspect", true) }
    line.field("bend", bend, decimals: 2)
    line.field("wheelSpeed", fused.wheelSpeed.map(Double.init), decimals: 3)
    line.field("altFused", fused.altitude.map(Double.init), decimals: 2)
    line.field("altFusedError", fused.altitudeError.map(Double.init), decimals: 2)
    line.field("grade", fused.grade.map(Double.init), decimals: 2)
    line.field("gradeError", fused.gradeError.map(Double.init), decimals: 2)
    line.end()
  }

  /// Ends the line of a fix or, without a reason, of an estimate.
  package static func finish(
    _ line: inout JSONLine, _ published: PublishedFix, reason: DeliveryReason?, age: Double? = nil, source: String?
  ) {
    finish(
      &line, heading: published.fix.heading, seq: reason == nil ? nil : published.seq,
      reason: reason?.rawValue ?? "estimated", reasons: reason?.all(with: published.changes),
      age: age ?? published.age?.inSeconds, source: source, suspect: published.changes.contains(.suspect),
      bend: published.bend, fused: published.sensed.fused)
  }

  private static func magneticTrack(of fix: Fix) -> Double? {
    guard let course = fix.course, let variation = fix.magneticVariation else { return nil }
    let track = course - variation
    return track < 0 ? track + 360 : track >= 360 ? track - 360 : track
  }
}

extension EpochContent {
  /// Puts 95 % errors into a fix: from GST first, then from what makers send (PUBX,00, PSRFEPE, PGRME), then from
  /// the dilution of precision times a range error. What none of them tells stays unknown.
  func put(accuracyInto fix: inout Fix, rangeError: Double) {
    let noise = gst?.noise
    fix.latitudeError = Confidence.error(noise?.latitude)
    fix.longitudeError = Confidence.error(noise?.longitude)
    fix.horizontalAccuracy = noise?.horizontalRadius ?? makersHorizontalAccuracy
    fix.verticalAccuracy = Confidence.error(noise?.altitude) ?? makersVerticalAccuracy
    fix.speedAccuracy = Confidence.error(psrfepe?.velocity)
    if fix.horizontalAccuracy == nil, let hdop = fix.hdop {
      fix.horizontalAccuracy = hdop * rangeError * Confidence.distance
    }
    if fix.verticalAccuracy == nil, let vdop = fix.vdop {
      fix.verticalAccuracy = vdop * rangeError * Confidence.line
    }
  }

  /// u-blox and SiRF give one standard deviation of the distance, Garmin the radius of half of all errors. None
  /// of them documents it; these are the readings under which they agree with GST and with gpsd.
  private var makersHorizontalAccuracy: Double? {
    if let error = pubx00?.horizontalAccuracy, error > 0 { return error * Confidence.distance }
    if let error = psrfepe?.horizontal, psrfepe?.status != .void, error > 0 { return error * Confidence.distance }
    if let error = pgrme?.horizontal, error > 0 { return error * Confidence.circle / Confidence.halfCircle }
    return nil
  }

  private var makersVerticalAccuracy: Double? {
    if let error = Confidence.error(pubx00?.verticalAccuracy) { return error }
    if psrfepe?.status != .void, let error = Confidence.error(psrfepe?.vertical) { return error }
    if let error = pgrme?.vertical, error > 0 { return error * Confidence.line / Confidence.halfLine }
    return nil
  }
}

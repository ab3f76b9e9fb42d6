/// RMC, GGA, GSA, GSV and GST as a receiver with NMEA 4.11 sends them, behind a receiver that sends none.
package enum FixSentences {
  fileprivate static let timeDecimals = 3
  /// Of minutes: 0.2 mm.
  fileprivate static let minuteDecimals = 7

  /// Appends the sentences of a fix, each with CR LF. GSA and GSV describe `sky`, GSV only if it is due (`showsSky`).
  package static func write(
    _ fix: Fix, _ sky: Sky?, showsSky: Bool, noise: PseudorangeNoise?, into output: inout [UInt8]
  ) {
    SentenceWriter.append(to: &output) { writer in
      writer.rmc(fix)
      writer.gga(fix)
      writer.gsa(
        sky, mode: fix.mode == .threeD ? 3 : 2, (fix.pdop ?? sky?.pdop, fix.hdop ?? sky?.hdop, fix.vdop ?? sky?.vdop))
      if showsSky, let sky { writer.gsv(sky) }
      writer.gst(fix, noise)
    }
  }

  package static func write(noFixAt time: UTCInstant?, _ sky: Sky?, into output: inout [UInt8]) {
    SentenceWriter.append(to: &output) { writer in
      writer.begin("GNRMC")
      writer.field(time: time?.nanosecondsOfDay, decimals: timeDecimals)
      writer.text(",V,,,,,,")
      writer.field(date: time?.date)
      writer.text(",,,N,V")
      writer.end()
      writer.begin("GNGGA")
      writer.field(time: time?.nanosecondsOfDay, decimals: timeDecimals)
      writer.text(",,,,,0,00,,,,,,,")
      writer.end()
      writer.gsa(sky, mode: 1, (nil, nil, nil))
      if let sky { writer.gsv(sky) }
    }
  }
}

extension SentenceWriter {
  fileprivate mutating func rmc(_ fix: Fix) {
    begin("GNRMC")
    time(fix)
    field("A")
    position(fix)
    field(fix.speed.map { $0 * Self.knotsPerMetrePerSecond }, decimals: 3)
    field(fix.course, decimals: 3)
    field(date: Self.date(of: fix))
    fields(variation: fix.magneticVariation)
    field(letter: Self.mode(fix.status).rawValue)
    field("V")
    end()
  }

  fileprivate mutating func gga(_ fix: Fix) {
    begin("GNGGA")
    time(fix)
    position(fix)
    field(Int(Self.quality(fix.status).rawValue), width: 1)
    field(fix.satellitesUsed, width: 2)
    field(fix.hdop, decimals: 2)
    field(fix.altitudeMSL, decimals: 3)
    field("M")
    field(fix.geoidSeparation, decimals: 3)
    field("M")
    field(fix.dgpsAge, decimals: 1)
    field(fix.dgpsStation, width: 4)
    end()
  }

  /// One GSA a system, more where it has more than 12 satellites in use; one without a system if none is in use.
  fileprivate mutating func gsa(_ sky: Sky?, mode: Int, _ dilution: (p: Double?, h: Double?, v: Double?)) {
    var isEmpty = true
    for system in SatelliteNumbering.listed {
      let used = (sky?.satellites ?? []).compactMap { $0.used ? system.number(of: $0) : nil }
      for first in stride(from: 0, to: used.count, by: 12) {
        gsa(used[first...].prefix(12), mode, dilution, system.systemID)
        isEmpty = false
      }
    }
    if isEmpty { gsa([], mode, dilution, nil) }
  }

  private mutating func gsa(
    _ numbers: ArraySlice<Int>, _ mode: Int, _ dilution: (p: Double?, h: Double?, v: Double?), _ system: Int?
  ) {
    begin("GNGSA")
    field("A")
    field(mode, width: 1)
    for number in numbers { field(number, width: 2) }
    emptyFields(12 - numbers.count)
    fields(dilution.p, dilution.h, dilution.v, decimals: 2)
    field(system, width: 1)
    end()
  }

  /// The set of each system that is in view; an empty one without any.
  fileprivate mutating func gsv(_ sky: Sky) {
    var isEmpty = true
    for system in SatelliteNumbering.listed {
      let inView = sky.satellites.compactMap { satellite in system.number(of: satellite).map { ($0, satellite) } }
      for first in stride(from: 0, to: inView.count, by: 4) {
        gsv(system.talkers[0], inView[first...].prefix(4), of: inView.count)
        isEmpty = false
      }
    }
    if isEmpty { gsv(Talker("G", "P"), [], of: 0) }
  }

  /// A part of a set of so many satellites, which are numbered from 0.
  private mutating func gsv(_ talker: Talker, _ satellites: ArraySlice<(Int, Satellite)>, of total: Int) {
    begin(talker.description, "GSV")
    field(max((total + 3) / 4, 1), width: 1)
    field(satellites.startIndex / 4 + 1, width: 1)
    field(total, width: 2)
    for (number, satellite) in satellites {
      field(number, width: 2)
      field(satellite.elevation, decimals: 0, width: 2)
      field(satellite.azimuth.map { $0 < 359.5 ? $0 : 0 }, decimals: 0, width: 3)
      field(satellite.signal, decimals: 0, width: 2)
    }
    // Signal 0: the strongest of all signals.
    field("0")
    end()
  }

  /// The standard deviations: the receiver's, else those of which the fix states the 95 % errors; no sentence without.
  fileprivate mutating func gst(_ fix: Fix, _ noise: PseudorangeNoise?) {
    let circle = fix.horizontalAccuracy.map { $0 / Confidence.circle }
    let latitude = noise?.latitude ?? fix.latitudeError.map { $0 / Confidence.line } ?? circle
    let longitude = noise?.longitude ?? fix.longitudeError.map { $0 / Confidence.line } ?? circle
    let altitude = noise?.altitude ?? fix.verticalAccuracy.map { $0 / Confidence.line }
    guard latitude != nil || longitude != nil || altitude != nil else { return }
    begin("GNGST")
    time(fix)
    fields(noise?.rms, noise?.major, noise?.minor, decimals: 3)
    field(noise?.orientation, decimals: 1)
    fields(latitude, longitude, altitude, decimals: 3)
    end()
  }

  private mutating func time(_ fix: Fix) {
    field(
      time: fix.timeOfDay.map(\.nanoseconds) ?? fix.measured.map(\.nanosecondsOfDay),
      decimals: FixSentences.timeDecimals)
  }

  private mutating func position(_ fix: Fix) {
    fields(position: (fix.position.latitude, fix.position.longitude), decimals: FixSentences.minuteDecimals)
  }

  /// In a leap second the instant has the date of the day after it.
  private static func date(of fix: Fix) -> CalendarDate? {
    guard let measured = fix.measured else { return nil }
    let isNextDay = fix.timeOfDay?.isLeapSecond == true && measured.nanosecondsOfDay < 1_000_000_000
    return isNextDay ? (measured + .seconds(-1)).date : measured.date
  }

  // No sentence states GNSS with dead reckoning.
  private static func mode(_ status: FixStatus) -> PositioningMode {
    PositioningMode.bestFirst.first { $0.status == .valid(status) } ?? .autonomous
  }

  private static func quality(_ status: FixStatus) -> GGAQuality {
    (UInt8(0)...9).lazy.compactMap { GGAQuality(rawValue: $0) }.first { $0.status == .valid(status) } ?? .autonomous
  }
}

extension SatelliteNumbering {
  /// The systems of NMEA 4.11, in the order of their ids.
  fileprivate static let listed = table.filter { $0.systemID != nil }.sorted { $0.systemID ?? 0 < $1.systemID ?? 0 }

  /// The number of a satellite that is listed with this system, from 1; `nil` for another. Those of SBAS are with GPS.
  fileprivate func number(of satellite: Satellite) -> Int? {
    let isListed = satellite.gnss == system || satellite.gnss == .sbas && system == .gps
    guard isListed, let number = satellite.svid, (1...999).contains(number) else { return nil }
    switch satellite.gnss {
    case .sbas: return (120...151).contains(number) ? number - 87 : number
    case .glonass: return number + 64
    default: return number
    }
  }
}

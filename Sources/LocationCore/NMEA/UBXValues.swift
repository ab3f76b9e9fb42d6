/// The values of a UBX message: metres, m/s, degrees, seconds; `hAcc` to `tAcc` are standard deviations.
package struct UBXValues: Sendable {
  package private(set) var values: [SentenceValue] = []
  /// Names of the values that are out of range; `length` of a message whose length is wrong.
  package private(set) var malformed: [String] = []

  /// Reads a message; `nil` when its type is not decoded.
  package init?(_ frame: UBXFrame) {
    guard let type = frame.type else { return nil }
    guard frame.isWhole else {
      malformed = ["length"]
      return
    }
    if let time = frame.timeOfWeek {
      put("iTOW", .decimal(Double(time) / 1000, places: 3))
    } else if type.rawValue >> 8 == 0x01 {
      malformed.append("iTOW")
    }
    if type.kind != nil { readSolution(frame, type) }
    switch type {
    case .navSAT, .navSVINFO: readSatellites(frame)
    case .monHW, .monRF, .monSYS, .secSIG, .navSTATUS: readInterference(frame)
    default: break
    }
  }

  private mutating func put(_ name: StaticString, _ value: FieldValue?) {
    if let value { values.append(SentenceValue(name: name, value: value)) }
  }

  private mutating func readSolution(_ frame: UBXFrame, _ type: UBXType) {
    var solution = UBXSolution()
    if solution.add(frame) { malformed.append(solution.hasBadPosition ? "lat" : "time") }
    put("date", solution.date.map { .date($0) })
    put("time", solution.timeOfDay.map { .time($0) })
    let fix: (type: Int, flags: Int)? =
      switch type {
      case .navPVT: (20, 21)
      case .navSTATUS: (4, 5)
      case .navSOL: (10, 11)
      default: nil
      }
    if let fix {
      put("fixType", .integer(Int(frame.u1(fix.type))))
      put("gnssFixOK", .flag(frame.flag(fix.flags, 0)))
      put("diffSoln", .flag(frame.flag(fix.flags, 1)))
      if type == .navPVT { put("carrSoln", .integer(Int(frame.u1(21) >> 6))) }
    }
    put("nSat", solution.satellitesUsed.map { .integer($0) })
    put("lat", (solution.position?.latitude).map { .coordinate($0) })
    put("lon", (solution.position?.longitude).map { .coordinate($0) })
    put("altMSL", solution.altitudeMSL.map { .decimal($0, places: 4) })
    put("geoidSep", solution.geoidSeparation.map { .decimal($0, places: 4) })
    put("hAcc", solution.horizontalDeviation.map { .decimal($0, places: 4) })
    put("vAcc", solution.verticalDeviation.map { .decimal($0, places: 4) })
    put("climb", solution.climb.map { .decimal($0, places: 3) })
    put("speed", solution.speed.map { .decimal($0, places: 3) })
    put("track", solution.course.map { .decimal($0, places: 5) })
    put("sAcc", solution.speedDeviation.map { .decimal($0, places: 3) })
    put("headAcc", solution.courseDeviation.map { .decimal($0, places: 5) })
    put("tAcc", solution.timeDeviation.map { .decimal($0, places: 9) })
    put("hdop", solution.hdop.map { .decimal($0, places: 2) })
    put("vdop", solution.vdop.map { .decimal($0, places: 2) })
    put("pdop", solution.pdop.map { .decimal($0, places: 2) })
    put("heading", solution.heading.map { .decimal($0, places: 5) })
    put("magvar", solution.magneticVariation.map { .decimal($0, places: 2) })
  }

  private mutating func readSatellites(_ frame: UBXFrame) {
    var collector = SkyCollector()
    collector.add(frame)
    let satellites = collector.take() ?? []
    put("nSat", .integer(satellites.count))
    let list = satellites.map { satellite -> FieldValue? in
      FieldValue.fields([
        ("PRN", .integer(satellite.prn)), ("gnssid", satellite.gnss.map { .integer($0.rawValue) }),
        ("svid", satellite.svid.map { .integer($0) }), ("el", satellite.elevation.map { .decimal($0, places: 0) }),
        ("az", satellite.azimuth.map { .decimal($0, places: 0) }),
        ("ss", satellite.signal.map { .decimal($0, places: 0) }), ("used", .flag(satellite.used)),
      ])
    }
    put("satellites", .list(list))
  }

  private mutating func readInterference(_ frame: UBXFrame) {
    var interference = Interference()
    interference.take(frame)
    for (name, word) in interference.states { put(name, word.map { .text(Array($0.utf8)) }) }
    put("resetReason", interference.resetReason.map { .text(Array("\($0)".utf8)) })
  }
}

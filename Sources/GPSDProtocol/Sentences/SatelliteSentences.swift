import LocationCore

// JSON of the standard sentences about satellites and errors.

extension GSA: SentenceObject {
  /// `satellites` are the numbers as received.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.letter("selection", selection?.rawValue)
    line.field("mode", fix.map { Int($0.rawValue) })
    line.beginArray("satellites")
    if let satellites {
      for index in 0..<satellites.count { line.value(Int(satellites.numbers[index])) }
    }
    line.endArray()
    line.dilution("pdop", pdop)
    line.dilution("hdop", hdop)
    line.dilution("vdop", vdop)
    line.field("system", systemID)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    switch number {
    case 1: "selection"
    case 2: "mode"
    case ...(2 + GSA.slots(fields: count)): "satellites"
    default: pick(number - 2 - GSA.slots(fields: count), "pdop", "hdop", "vdop", "system")
    }
  }
}

extension GSV: SentenceObject {
  /// `PRN` is the number as received.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("part", part)
    line.field("parts", parts)
    line.field("nSat", total)
    line.beginArray("satellites")
    if let satellites {
      for index in 0..<satellites.count { Self.write(satellites.elements[index], into: &line) }
    }
    line.endArray()
    line.field("signal", signalID)
    line.field("system", systemID)
  }

  private static func write(_ satellite: GSVSatellite, into line: inout JSONLine) {
    line.beginObject()
    line.field("PRN", satellite.number)
    line.field("el", satellite.elevation, decimals: 3)
    line.field("az", satellite.azimuth, decimals: 3)
    line.field("ss", satellite.signal, decimals: 3)
    line.endObject()
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    let groups = min(max(count - 3, 0) / 4, 4)
    return switch number {
    case 1: "parts"
    case 2: "part"
    case 3: "nSat"
    case ...(3 + 4 * groups): "satellites"
    default: pick(number - 3 - 4 * groups, "signal", "system", "satellites")
    }
  }
}

extension LocationCore.GST: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.metres("rms", noise?.rms)
    line.metres("major", noise?.major)
    line.metres("minor", noise?.minor)
    line.degrees("orient", noise?.orientation)
    line.metres("lat", noise?.latitude)
    line.metres("lon", noise?.longitude)
    line.metres("alt", noise?.altitude)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "time", "rms", "major", "minor", "orient", "lat", "lon", "alt")
  }
}

extension GBS: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.metres("epy", latitudeError)
    line.metres("epx", longitudeError)
    line.metres("epv", altitudeError)
    line.field("failed", failedSatellite)
    line.field("probability", missedProbability, decimals: 9)
    line.metres("bias", bias)
    line.metres("deviation", biasDeviation)
    line.field("system", systemID)
    line.field("signal", signalID)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "time", "epy", "epx", "epv", "failed", "probability", "bias", "deviation", "system", "signal")
  }
}

extension GRS: SentenceObject {
  /// `residuals` keep their slots: an empty one before another is `null`.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.field("mode", mode)
    line.beginArray("residuals")
    let last = (0..<GRSResiduals.count).last { residuals[$0] != nil }
    for slot in 0..<(last ?? -1) + 1 { line.value(residuals[slot], decimals: 3) }
    line.endArray()
    line.field("system", systemID)
    line.field("signal", signalID)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    switch number {
    case 1: "time"
    case 2: "mode"
    case ...14: "residuals"
    default: pick(number - 14, "system", "signal")
    }
  }
}

extension JSONLine {
  /// An element of an array, `null` when it is missing.
  fileprivate mutating func value(_ value: Double?, decimals: Int) {
    if let value {
      self.value(value, decimals: decimals)
    } else {
      separate()
      literal("null")
    }
  }
}

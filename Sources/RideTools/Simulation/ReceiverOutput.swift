import LocationCore

/// The messages of an epoch, from its values: metres, m/s, degrees from true north.
struct ReceiverOutput {
  let receiver: ReceiverProfile
  let measured: UTCInstant
  /// Whether this is the second 23:59:60, which has the same instant as its successor.
  let isLeapSecond: Bool
  /// Nanoseconds since power-on.
  let uptime: Int64
  /// Milliseconds of the GPS week, which has no leap seconds.
  let timeOfWeek: Int
  let solution: SimulatedEpoch.Solution
  let position: (latitude: Double, longitude: Double)?
  let altitude: Double
  let speed: Double
  let course: Double
  /// Upwards.
  let climb: Double
  let sigma: Double
  /// The standard deviations of its errors.
  let deviations: PositionNoise.Deviations
  let satellites: [[SimulatedSky.Satellite]]
  let hasSky: Bool

  static let geoidSeparation = 46.9

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for message in receiver.messages {
      SentenceWriter.append(to: &bytes) { write(message, into: &$0) }
      bytes += frame(message)
    }
    return bytes
  }

  /// Writes the sentences of a kind.
  private func write(_ message: ReceiverProfile.Message, into line: inout SentenceWriter) {
    let (talker, speedDecimals) = (receiver.talker, receiver.speedDecimals)
    switch message {
    case .rmc:
      line.begin(talker, "RMC")
      time(&line)
      line.field(status)
      place(&line)
      line.field(known(knots), decimals: speedDecimals, width: receiver.motionWidth)
      track(&line)
      line.field(date: clock?.date)
      line.fields(variation: receiver.magneticVariation, width: 3)
      mode(&line)
      navigationalStatus(&line)
    case .vtg:
      line.begin(talker, "VTG")
      track(&line)
      line.text(",T,,M")
      line.field(known(knots), decimals: speedDecimals)
      line.field("N")
      line.field(known(speed * 3.6), decimals: speedDecimals)
      line.field("K")
      mode(&line)
    case .gga:
      line.begin(talker, "GGA")
      time(&line)
      place(&line)
      line.field(hasFix ? "1" : "0")
      line.field(min(usedCount, 12), width: receiver.countWidth)
      dilution(1, &line)
      for height in [altitude, Self.geoidSeparation] {
        line.field(known(height), decimals: 1)
        line.field(hasFix ? "M" : "")
      }
      line.emptyFields(1)
      line.field(receiver.differentialStation, width: 4)
    case .gll:
      line.begin(talker, "GLL")
      place(&line)
      time(&line)
      line.field(status)
      mode(&line)
    case .gst:
      line.begin(talker, "GST")
      time(&line)
      error(0.9, &line)
      line.emptyFields(3)
      for factor in [0.95, 1.05, 1.6] { error(factor, &line) }
    case .gns:
      line.begin(talker, "GNS")
      time(&line)
      place(&line)
      line.field("")
      for system in 1...ReceiverProfile.Constellation.gnsModeCount {
        let index = receiver.constellations.firstIndex { $0.system == system }
        line.text(hasFix && index.map { satellites[$0].contains { $0.isUsed } } ?? false ? "A" : "N")
      }
      line.field(usedCount, width: receiver.countWidth)
      dilution(1, &line)
      for height in [altitude, Self.geoidSeparation] { line.field(known(height), decimals: 1) }
      line.emptyFields(2)
      navigationalStatus(&line)
    case .zda:
      line.begin(talker, "ZDA")
      time(&line)
      line.field(clock?.date.day, width: 2)
      line.field(clock?.date.month, width: 2)
      line.field(clock?.date.year, width: 1)
      for _ in 0..<2 { line.field(clock == nil ? "" : "00") }
    case .pgrme:
      line.begin("PGRME")
      for factor in [1.2, 1.2, 1.6] {
        error(factor, &line)
        line.field("M")
      }
    case .gsa, .gsv:
      guard hasSky else { return }
      for (constellation, satellites) in zip(receiver.constellations, satellites) {
        if message == .gsa { gsa(constellation, satellites, &line) } else { gsv(constellation, satellites, &line) }
      }
      return
    case .navPVT, .navDOP, .navSAT, .navEOE: return
    }
    line.end()
  }

  private func gsa(
    _ constellation: ReceiverProfile.Constellation, _ satellites: [SimulatedSky.Satellite], _ line: inout SentenceWriter
  ) {
    let mode =
      switch solution {
      case .fix(.threeD): 3
      case .fix: 2
      case .nothing, .time: 1
      }
    let used = satellites.filter(\.isUsed).prefix(12)
    line.begin(receiver.talker, "GSA")
    line.field("A")
    line.field(mode, width: 1)
    for satellite in used { line.field(satellite.prn, width: 2) }
    line.emptyFields(12 - used.count)
    for factor in [1.8, 1, 1.5] { dilution(factor, &line) }
    if receiver.hasSystemIdentifiers { line.field(constellation.system, width: 1) }
    line.end()
  }

  private func gsv(
    _ constellation: ReceiverProfile.Constellation, _ satellites: [SimulatedSky.Satellite], _ line: inout SentenceWriter
  ) {
    let parts = max(1, (satellites.count + 3) / 4)
    for part in 0..<parts {
      line.begin(constellation.talker, "GSV")
      line.field(parts, width: 1)
      line.field(part + 1, width: 1)
      line.field(satellites.count, width: 2)
      for satellite in satellites.dropFirst(part * 4).prefix(4) {
        line.field(satellite.prn, width: 2)
        line.field(satellite.elevation, width: 2)
        line.field(satellite.azimuth, width: 3)
        line.field(satellite.strength, width: 2)
      }
      if receiver.hasSystemIdentifiers { line.field("1") }
      line.end()
    }
  }

  var hasFix: Bool { position != nil }
  private var status: StaticString { hasFix ? "A" : "V" }
  var usedCount: Int { satellites.reduce(0) { $0 + $1.count { $0.isUsed } } }
  private var knots: Double { speed * SentenceWriter.knotsPerMetrePerSecond }
  private func known(_ number: Double) -> Double? { hasFix ? number : nil }

  /// The time in the sentences: a date and nanoseconds of that day; `nil` for empty fields.
  var clock: (date: CalendarDate, time: Int64)? {
    if solution == .nothing {
      // Its clock starts at midnight, 6 January 1980.
      return receiver.startsIn1980 ? (CalendarDate(daysSince1970: 3657), uptime % TimeOfDay.day) : nil
    }
    guard isLeapSecond else { return (measured.date, measured.nanosecondsOfDay) }
    return ((measured + .seconds(-1)).date, TimeOfDay.day + measured.nanosecondsOfDay)
  }

  private func time(_ line: inout SentenceWriter) {
    line.field(time: clock?.time, decimals: receiver.secondDecimals)
  }

  private func place(_ line: inout SentenceWriter) {
    line.fields(position: position, decimals: receiver.minuteDecimals)
  }

  private func track(_ line: inout SentenceWriter) {
    line.field(
      speed >= receiver.slowestCourse ? known(course) : nil, decimals: receiver.courseDecimals,
      width: receiver.motionWidth)
  }

  private func mode(_ line: inout SentenceWriter) {
    if receiver.hasModes { line.field(hasFix ? "A" : "N") }
  }

  private func navigationalStatus(_ line: inout SentenceWriter) {
    if receiver.hasSystemIdentifiers { line.field("V") }
  }

  /// The horizontal dilution of precision: the standard deviation divided by a range error of 1.3 m.
  var horizontalDilution: Double { min(max(sigma / 1.3, 0.5), 20) }

  /// The horizontal dilution of precision times a factor.
  private func dilution(_ factor: Double, _ line: inout SentenceWriter) {
    line.field(hasFix ? horizontalDilution * factor : receiver.unknownDilution, decimals: receiver.dilutionDecimals)
  }

  private func error(_ factor: Double, _ line: inout SentenceWriter) {
    line.field(known(sigma * factor), decimals: 1)
  }
}

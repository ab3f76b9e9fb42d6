import LocationCore

/// The messages of an epoch, from its values: metres, m/s, degrees from true north.
struct ReceiverOutput {
  let receiver: ReceiverProfile
  let measured: UTCInstant
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
  /// Usual ones, and the multiple of them that the errors have.
  let deviations: PositionNoise.Deviations
  let noise: Double
  let satellites: [[SimulatedSky.Satellite]]
  let hasSky: Bool

  static let geoidSeparation = 46.9

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for message in receiver.messages {
      SentenceWriter.append(to: &bytes) { writer in
        for sentence in sentences(message) { write(sentence, into: &writer) }
      }
      bytes += frame(message)
    }
    return bytes
  }

  private enum Field {
    case address(talker: String, type: StaticString)
    case text(StaticString)
    case whole(Int?, width: Int)
    /// Empty without a fix.
    case number(Double, decimals: Int, width: Int = 1)
    /// A standard deviation, as a multiple of that of the position.
    case error(Double)
    /// As a multiple of the horizontal one.
    case dilution(Double)
    case empty(Int)
    /// Of a system or a signal, where the receiver has any.
    case identifier(Int)
    /// The mode of each system in GNS.
    case modes
    case time, date, place, track, variation, status, mode, navigationalStatus
  }

  private func write(_ fields: [Field], into writer: inout SentenceWriter) {
    for field in fields {
      switch field {
      case .address(let talker, let type): writer.begin(talker, type)
      case .text(let text): writer.field(text)
      case .whole(let number, let width): writer.field(number, width: width)
      case .number(let number, let decimals, let width):
        writer.field(hasFix ? number : nil, decimals: decimals, width: width)
      case .error(let factor): writer.field(hasFix ? sigma * factor : nil, decimals: 1)
      case .dilution(let factor):
        writer.field(
          hasFix ? horizontalDilution * factor : receiver.unknownDilution, decimals: receiver.dilutionDecimals)
      case .empty(let count): writer.emptyFields(count)
      case .identifier(let number): if receiver.hasSystemIdentifiers { writer.field(number, width: 1) }
      case .modes:
        writer.field("")
        for system in 1...ReceiverProfile.Constellation.gnsModeCount { writer.text(isUsed(system) ? "A" : "N") }
      case .time: writer.field(time: clock?.time, decimals: receiver.secondDecimals)
      case .date: writer.field(date: clock?.date)
      case .place: writer.fields(position: position, decimals: receiver.minuteDecimals)
      case .track:
        writer.field(
          hasFix && speed >= receiver.slowestCourse ? course : nil, decimals: receiver.courseDecimals,
          width: receiver.motionWidth)
      case .variation: writer.fields(variation: receiver.magneticVariation, width: 3)
      case .status: writer.field(hasFix ? "A" : "V")
      case .mode: if receiver.hasModes { writer.field(hasFix ? "A" : "N") }
      case .navigationalStatus: if receiver.hasSystemIdentifiers { writer.field("V") }
      }
    }
    writer.end()
  }

  private func sentences(_ message: ReceiverProfile.Message) -> [[Field]] {
    switch message {
    case .gsa: hasSky ? zip(receiver.constellations, satellites).map(gsa) : []
    case .gsv: hasSky ? zip(receiver.constellations, satellites).flatMap(gsv) : []
    case .rmc, .vtg, .gga, .gll, .gst, .gns, .zda, .pgrme: [fields(of: message)]
    case .navPVT, .navDOP, .navSAT, .navEOE: []
    }
  }

  private func fields(of message: ReceiverProfile.Message) -> [Field] {
    func address(_ type: StaticString) -> Field { .address(talker: receiver.talker, type: type) }
    let knots = speed * SentenceWriter.knotsPerMetrePerSecond
    let (decimals, width) = (receiver.speedDecimals, receiver.countWidth)
    let metres = Field.text(hasFix ? "M" : "")
    let zone = Field.whole(clock.map { _ in 0 }, width: 2)
    return switch message {
    case .rmc:
      [
        address("RMC"), .time, .status, .place, .number(knots, decimals: decimals, width: receiver.motionWidth), .track,
        .date, .variation, .mode, .navigationalStatus,
      ]
    case .vtg:
      [
        address("VTG"), .track, .text("T"), .empty(1), .text("M"), .number(knots, decimals: decimals), .text("N"),
        .number(speed * 3.6, decimals: decimals), .text("K"), .mode,
      ]
    case .gga:
      [
        address("GGA"), .time, .place, .text(hasFix ? "1" : "0"), .whole(min(usedCount, 12), width: width),
        .dilution(1), .number(altitude, decimals: 1), metres, .number(Self.geoidSeparation, decimals: 1), metres,
        .empty(1), .whole(receiver.differentialStation, width: 4),
      ]
    case .gll: [address("GLL"), .place, .time, .status, .mode]
    case .gst: [address("GST"), .time, .error(0.9), .empty(3), .error(0.95), .error(1.05), .error(1.6)]
    case .gns:
      [
        address("GNS"), .time, .place, .modes, .whole(usedCount, width: width), .dilution(1),
        .number(altitude, decimals: 1), .number(Self.geoidSeparation, decimals: 1), .empty(2), .navigationalStatus,
      ]
    case .zda:
      [
        address("ZDA"), .time, .whole(clock?.date.day, width: 2), .whole(clock?.date.month, width: 2),
        .whole(clock?.date.year, width: 1), zone, zone,
      ]
    case .pgrme:
      [
        .address(talker: "P", type: "GRME"), .error(1.2), .text("M"), .error(1.2), .text("M"), .error(1.6), .text("M"),
      ]
    case .gsa, .gsv, .navPVT, .navDOP, .navSAT, .navEOE: []
    }
  }

  private func gsa(_ constellation: ReceiverProfile.Constellation, _ satellites: [SimulatedSky.Satellite]) -> [Field] {
    let mode =
      switch solution {
      case .fix(.threeD): 3
      case .fix: 2
      case .nothing, .time: 1
      }
    let used: [Field] = satellites.filter(\.isUsed).prefix(12).map { .whole($0.prn, width: 2) }
    let head: [Field] = [.address(talker: receiver.talker, type: "GSA"), .text("A"), .whole(mode, width: 1)]
    let rest: [Field] = [
      .empty(12 - used.count), .dilution(1.8), .dilution(1), .dilution(1.5), .identifier(constellation.system),
    ]
    return head + used + rest
  }

  private func gsv(_ constellation: ReceiverProfile.Constellation, _ satellites: [SimulatedSky.Satellite]) -> [[Field]]
  {
    let parts = max(1, (satellites.count + 3) / 4)
    return (0..<parts).map { part in
      var fields: [Field] = [
        .address(talker: constellation.talker, type: "GSV"), .whole(parts, width: 1), .whole(part + 1, width: 1),
        .whole(satellites.count, width: 2),
      ]
      for satellite in satellites.dropFirst(part * 4).prefix(4) {
        fields += [
          .whole(satellite.prn, width: 2), .whole(satellite.elevation, width: 2), .whole(satellite.azimuth, width: 3),
          .whole(satellite.strength, width: 2),
        ]
      }
      fields.append(.identifier(1))
      return fields
    }
  }

  var hasFix: Bool { position != nil }
  var usedCount: Int { satellites.reduce(0) { $0 + $1.count { $0.isUsed } } }

  private func isUsed(_ system: Int) -> Bool {
    guard hasFix, let index = receiver.constellations.firstIndex(where: { $0.system == system }) else { return false }
    return satellites[index].contains { $0.isUsed }
  }

  /// The time in the sentences: a date and nanoseconds of that day; `nil` for empty fields.
  var clock: (date: CalendarDate, time: Int64)? {
    if solution == .nothing {
      // Its clock starts at midnight, 6 January 1980.
      return receiver.startsIn1980 ? (CalendarDate(daysSince1970: 3657), uptime % TimeOfDay.day) : nil
    }
    guard isLeapSecond else { return (measured.date, measured.nanosecondsOfDay) }
    return ((measured + .seconds(-1)).date, TimeOfDay.day + measured.nanosecondsOfDay)
  }

  /// The horizontal dilution of precision: the standard deviation divided by a range error of 1.3 m.
  var horizontalDilution: Double { min(max(sigma / 1.3, 0.5), 20) }
}

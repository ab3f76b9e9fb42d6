import LocationCore

/// The values in the sentences of an epoch: metres, m/s, degrees from true north.
struct ReceiverOutput {
  var measured: UTCInstant
  /// Whether this is the second 23:59:60, which has the same instant as its successor.
  var isLeapSecond: Bool
  /// Nanoseconds since power-on.
  var uptime: Int64
  var solution: SimulatedEpoch.Solution
  var position: (latitude: Double, longitude: Double)?
  var altitude: Double
  var speed: Double
  var course: Double
  var sigma: Double
  var satellites: [[SimulatedSky.Satellite]]
  var hasSky: Bool

  /// The time in the sentences: a date and nanoseconds of that day; `nil` for empty fields.
  func clock(of receiver: ReceiverProfile) -> (date: CalendarDate, time: Int64)? {
    if solution == .nothing {
      switch receiver.unsetClock {
      case .empty: return nil
      case .since1980: return (CalendarDate(daysSince1970: 3657), uptime % TimeOfDay.day)
      }
    }
    guard isLeapSecond else { return (measured.date, measured.nanosecondsOfDay) }
    return ((measured + .seconds(-1)).date, TimeOfDay.day + measured.nanosecondsOfDay)
  }

  private static let knotsPerMetrePerSecond = 3600.0 / 1852
  private static let geoidSeparation = 46.9

  func write(as receiver: ReceiverProfile, into text: inout SentenceText) {
    for kind in receiver.sentences {
      switch kind {
      case .rmc: rmc(receiver, &text)
      case .vtg: vtg(receiver, &text)
      case .gga: gga(receiver, &text)
      case .gll: gll(receiver, &text)
      case .gst: gst(receiver, &text)
      case .gns: gns(receiver, &text)
      case .zda: zda(receiver, &text)
      case .pgrme: pgrme(&text)
      case .gsa: if hasSky { gsa(receiver, &text) }
      case .gsv: if hasSky { gsv(receiver, &text) }
      }
    }
  }

  private var hasFix: Bool { position != nil }
  private var usedCount: Int { satellites.reduce(0) { $0 + $1.count { $0.isUsed } } }
  /// Horizontal dilution of precision: the standard deviation divided by a range error of 1.3 m.
  private var hdop: Double { min(max(sigma / 1.3, 0.5), 20) }

  private func dilution(_ factor: Double, _ receiver: ReceiverProfile) -> Double? {
    hasFix ? hdop * factor : receiver.unknownDilution
  }

  private func motion(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    text.number(
      hasFix ? speed * Self.knotsPerMetrePerSecond : nil, decimals: receiver.speedDecimals, width: receiver.motionWidth)
    course(receiver, &text)
  }

  private func course(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    text.number(
      hasFix && speed >= receiver.slowestCourse ? course : nil, decimals: receiver.courseDecimals,
      width: receiver.motionWidth)
  }

  private func mode(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    if receiver.hasModes { text.text(hasFix ? "A" : "N") }
  }

  private func rmc(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    let clock = clock(of: receiver)
    text.begin(receiver.talker, "RMC")
    text.time(clock?.time, decimals: receiver.secondDecimals)
    text.text(hasFix ? "A" : "V")
    text.position(position, decimals: receiver.minuteDecimals)
    motion(receiver, &text)
    if let clock { text.date(clock.date) } else { text.empty() }
    if let variation = receiver.magneticVariation {
      text.number(abs(variation), decimals: 1, width: 3)
      text.text(variation < 0 ? "W" : "E")
    } else {
      text.empty(2)
    }
    mode(receiver, &text)
    if receiver.hasSystemIdentifiers { text.text("V") }
    text.end()
  }

  private func vtg(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    text.begin(receiver.talker, "VTG")
    course(receiver, &text)
    text.text("T")
    text.empty()
    text.text("M")
    text.number(hasFix ? speed * Self.knotsPerMetrePerSecond : nil, decimals: receiver.speedDecimals)
    text.text("N")
    text.number(hasFix ? speed * 3.6 : nil, decimals: receiver.speedDecimals)
    text.text("K")
    mode(receiver, &text)
    text.end()
  }

  private func gga(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    text.begin(receiver.talker, "GGA")
    text.time(clock(of: receiver)?.time, decimals: receiver.secondDecimals)
    text.position(position, decimals: receiver.minuteDecimals)
    text.text(hasFix ? "1" : "0")
    text.number(min(usedCount, 12), width: receiver.countWidth)
    text.number(dilution(1, receiver), decimals: receiver.dilutionDecimals)
    if hasFix {
      text.number(altitude, decimals: 1)
      text.text("M")
      text.number(Self.geoidSeparation, decimals: 1)
      text.text("M")
    } else {
      text.empty(4)
    }
    text.empty()
    text.text(receiver.differentialStation)
    text.end()
  }

  private func gll(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    text.begin(receiver.talker, "GLL")
    text.position(position, decimals: receiver.minuteDecimals)
    text.time(clock(of: receiver)?.time, decimals: receiver.secondDecimals)
    text.text(hasFix ? "A" : "V")
    mode(receiver, &text)
    text.end()
  }

  private func gst(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    text.begin(receiver.talker, "GST")
    text.time(clock(of: receiver)?.time, decimals: receiver.secondDecimals)
    if hasFix {
      text.number(sigma * 0.9, decimals: 1)
      text.empty(3)
      text.number(sigma * 0.95, decimals: 1)
      text.number(sigma * 1.05, decimals: 1)
      text.number(sigma * 1.6, decimals: 1)
    } else {
      text.empty(7)
    }
    text.end()
  }

  private func gns(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    text.begin(receiver.talker, "GNS")
    text.time(clock(of: receiver)?.time, decimals: receiver.secondDecimals)
    text.position(position, decimals: receiver.minuteDecimals)
    var modes = ""
    for system in 1...ReceiverProfile.Constellation.gnsModeCount {
      let index = receiver.constellations.firstIndex { $0.system == system }
      let isUsed = index.map { satellites[$0].contains { $0.isUsed } } ?? false
      modes += hasFix && isUsed ? "A" : "N"
    }
    text.text(modes)
    text.number(usedCount, width: receiver.countWidth)
    text.number(dilution(1, receiver), decimals: receiver.dilutionDecimals)
    text.number(hasFix ? altitude : nil, decimals: 1)
    text.number(hasFix ? Self.geoidSeparation : nil, decimals: 1)
    text.empty(2)
    if receiver.hasSystemIdentifiers { text.text("V") }
    text.end()
  }

  private func zda(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    let clock = clock(of: receiver)
    text.begin(receiver.talker, "ZDA")
    text.time(clock?.time, decimals: receiver.secondDecimals)
    if let date = clock?.date {
      text.number(date.day, width: 2)
      text.number(date.month, width: 2)
      text.number(date.year, width: 4)
      text.text("00")
      text.text("00")
    } else {
      text.empty(5)
    }
    text.end()
  }

  private func gsa(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    let mode =
      switch solution {
      case .fix(.threeD): "3"
      case .fix: "2"
      case .nothing, .time: "1"
      }
    for (constellation, satellites) in zip(receiver.constellations, satellites) {
      text.begin(receiver.talker, "GSA")
      text.text("A")
      text.text(mode)
      var used = 0
      for satellite in satellites where satellite.isUsed && used < 12 {
        text.number(satellite.prn, width: 2)
        used += 1
      }
      text.empty(12 - used)
      text.number(dilution(1.8, receiver), decimals: receiver.dilutionDecimals)
      text.number(dilution(1, receiver), decimals: receiver.dilutionDecimals)
      text.number(dilution(1.5, receiver), decimals: receiver.dilutionDecimals)
      if receiver.hasSystemIdentifiers { text.number(constellation.system) }
      text.end()
    }
  }

  private func gsv(_ receiver: ReceiverProfile, _ text: inout SentenceText) {
    for (constellation, satellites) in zip(receiver.constellations, satellites) {
      let parts = max(1, (satellites.count + 3) / 4)
      for part in 0..<parts {
        text.begin(constellation.talker, "GSV")
        text.number(parts)
        text.number(part + 1)
        text.number(satellites.count, width: 2)
        for satellite in satellites.dropFirst(part * 4).prefix(4) {
          text.number(satellite.prn, width: 2)
          text.number(satellite.elevation, width: 2)
          text.number(satellite.azimuth, width: 3)
          text.number(satellite.strength, width: 2)
        }
        if receiver.hasSystemIdentifiers { text.text("1") }
        text.end()
      }
    }
  }

  /// Median horizontal, vertical and spherical errors.
  private func pgrme(_ text: inout SentenceText) {
    text.begin("P", "GRME")
    for factor in [1.2, 1.2, 1.6] {
      text.number(hasFix ? sigma * factor : nil, decimals: 1)
      text.text("M")
    }
    text.end()
  }
}

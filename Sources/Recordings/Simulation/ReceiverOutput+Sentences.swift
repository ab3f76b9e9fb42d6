import LocationCore

extension ReceiverOutput {
  private static let knotsPerMetrePerSecond = 3600.0 / 1852
  private static let geoidSeparation = 46.9

  /// The sentences of the epoch, as the receiver writes them.
  func sentences(of receiver: ReceiverProfile) -> [UInt8] {
    var bytes: [UInt8] = []
    for kind in receiver.sentences {
      switch kind {
      case .rmc: bytes += rmc(receiver)
      case .vtg: bytes += vtg(receiver)
      case .gga: bytes += gga(receiver)
      case .gll: bytes += gll(receiver)
      case .gst: bytes += gst(receiver)
      case .gns: bytes += gns(receiver)
      case .zda: bytes += zda(receiver)
      case .gsa: if hasSky { bytes += gsa(receiver) }
      case .gsv: if hasSky { bytes += gsv(receiver) }
      }
    }
    return bytes
  }

  private var timeOfDay: Int64? { solution == .nothing ? nil : measured.nanosecondsOfDay }
  private var hasFix: Bool { position != nil }
  private var usedCount: Int { satellites.reduce(0) { $0 + $1.count { $0.isUsed } } }

  /// Horizontal dilution: what the receiver believes in, seen through a range error of 1.3 m.
  private var hdop: Double { min(max(sigma / 1.3, 0.5), 20) }

  private func course(_ receiver: ReceiverProfile) -> Double? {
    hasFix && speed >= receiver.slowestCourse ? course : nil
  }

  private func rmc(_ receiver: ReceiverProfile) -> [UInt8] {
    var sentence = SentenceText(receiver.talker + "RMC")
    sentence.time(timeOfDay, decimals: receiver.secondDecimals)
    sentence.text(hasFix ? "A" : "V")
    sentence.position(position, decimals: receiver.minuteDecimals)
    sentence.number(hasFix ? speed * Self.knotsPerMetrePerSecond : nil, decimals: 3)
    sentence.number(course(receiver), decimals: 2)
    if timeOfDay == nil {
      sentence.empty()
    } else {
      let date = measured.date
      var digits: [UInt8] = []
      for part in [date.day, date.month, date.year % 100] { digits.append(digits: UInt64(part), width: 2) }
      sentence.text(String(decoding: digits, as: UTF8.self))
    }
    sentence.empty(2)
    sentence.text(hasFix ? "A" : "N")
    if receiver.hasSystemIdentifiers { sentence.text("V") }
    return sentence.line
  }

  private func vtg(_ receiver: ReceiverProfile) -> [UInt8] {
    var sentence = SentenceText(receiver.talker + "VTG")
    sentence.number(course(receiver), decimals: 2)
    sentence.text("T")
    sentence.empty()
    sentence.text("M")
    sentence.number(hasFix ? speed * Self.knotsPerMetrePerSecond : nil, decimals: 3)
    sentence.text("N")
    sentence.number(hasFix ? speed * 3.6 : nil, decimals: 3)
    sentence.text("K")
    sentence.text(hasFix ? "A" : "N")
    return sentence.line
  }

  private func gga(_ receiver: ReceiverProfile) -> [UInt8] {
    var sentence = SentenceText(receiver.talker + "GGA")
    sentence.time(timeOfDay, decimals: receiver.secondDecimals)
    sentence.position(position, decimals: receiver.minuteDecimals)
    sentence.text(hasFix ? "1" : "0")
    sentence.number(min(usedCount, 12), width: 2)
    sentence.number(hasFix ? hdop : 99.99, decimals: 2)
    if hasFix {
      sentence.number(altitude, decimals: 1)
      sentence.text("M")
      sentence.number(Self.geoidSeparation, decimals: 1)
      sentence.text("M")
    } else {
      sentence.empty(4)
    }
    sentence.empty(2)
    return sentence.line
  }

  private func gll(_ receiver: ReceiverProfile) -> [UInt8] {
    var sentence = SentenceText(receiver.talker + "GLL")
    sentence.position(position, decimals: receiver.minuteDecimals)
    sentence.time(timeOfDay, decimals: receiver.secondDecimals)
    sentence.text(hasFix ? "A" : "V")
    sentence.text(hasFix ? "A" : "N")
    return sentence.line
  }

  private func gst(_ receiver: ReceiverProfile) -> [UInt8] {
    var sentence = SentenceText(receiver.talker + "GST")
    sentence.time(timeOfDay, decimals: receiver.secondDecimals)
    if hasFix {
      sentence.number(sigma * 0.9, decimals: 1)
      sentence.empty(3)
      for factor in [0.95, 1.05, 1.6] { sentence.number(sigma * factor, decimals: 1) }
    } else {
      sentence.empty(7)
    }
    return sentence.line
  }

  private func gns(_ receiver: ReceiverProfile) -> [UInt8] {
    var sentence = SentenceText(receiver.talker + "GNS")
    sentence.time(timeOfDay, decimals: receiver.secondDecimals)
    sentence.position(position, decimals: receiver.minuteDecimals)
    var modes = ""
    for place in 0..<ReceiverProfile.Constellation.gnsPlaces {
      let index = receiver.constellations.firstIndex { $0.system == place + 1 }
      let isUsed = index.map { satellites[$0].contains { $0.isUsed } } ?? false
      modes += hasFix && isUsed ? "A" : "N"
    }
    sentence.text(modes)
    sentence.number(usedCount, width: 2)
    sentence.number(hasFix ? hdop : 99.99, decimals: 2)
    sentence.number(hasFix ? altitude : nil, decimals: 1)
    sentence.number(hasFix ? Self.geoidSeparation : nil, decimals: 1)
    sentence.empty(2)
    if receiver.hasSystemIdentifiers { sentence.text("V") }
    return sentence.line
  }

  private func zda(_ receiver: ReceiverProfile) -> [UInt8] {
    var sentence = SentenceText(receiver.talker + "ZDA")
    sentence.time(timeOfDay, decimals: receiver.secondDecimals)
    if timeOfDay == nil {
      sentence.empty(5)
    } else {
      let date = measured.date
      sentence.number(date.day, width: 2)
      sentence.number(date.month, width: 2)
      sentence.number(date.year, width: 4)
      sentence.text("00")
      sentence.text("00")
    }
    return sentence.line
  }

  private func gsa(_ receiver: ReceiverProfile) -> [UInt8] {
    var bytes: [UInt8] = []
    let mode =
      switch solution {
      case .fix(.threeD): "3"
      case .fix: "2"
      case .nothing, .time: "1"
      }
    for (constellation, satellites) in zip(receiver.constellations, satellites) {
      var sentence = SentenceText(receiver.talker + "GSA")
      sentence.text("A")
      sentence.text(mode)
      let used = satellites.filter(\.isUsed).prefix(12)
      for satellite in used { sentence.number(satellite.prn, width: 2) }
      sentence.empty(12 - used.count)
      sentence.number(hasFix ? hdop * 1.8 : 99.99, decimals: 2)
      sentence.number(hasFix ? hdop : 99.99, decimals: 2)
      sentence.number(hasFix ? hdop * 1.5 : 99.99, decimals: 2)
      if receiver.hasSystemIdentifiers { sentence.number(constellation.system) }
      bytes += sentence.line
    }
    return bytes
  }

  private func gsv(_ receiver: ReceiverProfile) -> [UInt8] {
    var bytes: [UInt8] = []
    for (constellation, satellites) in zip(receiver.constellations, satellites) {
      let parts = max(1, (satellites.count + 3) / 4)
      for part in 0..<parts {
        var sentence = SentenceText(constellation.talker + "GSV")
        sentence.number(parts)
        sentence.number(part + 1)
        sentence.number(satellites.count, width: 2)
        for satellite in satellites.dropFirst(part * 4).prefix(4) {
          sentence.number(satellite.prn, width: 2)
          sentence.number(satellite.elevation, width: 2)
          sentence.number(satellite.azimuth, width: 3)
          sentence.number(satellite.strength, width: 2)
        }
        if receiver.hasSystemIdentifiers { sentence.text("1") }
        bytes += sentence.line
      }
    }
    return bytes
  }
}

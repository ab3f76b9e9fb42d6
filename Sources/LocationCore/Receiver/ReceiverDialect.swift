/// The messages by which a family of receivers is asked and set. Sources: u-blox M8 receiver description
/// (UBX-13003221), u-blox M9 and M10 interface descriptions; MediaTek PMTK command packets (MT3333, MT3339); Quectel
/// LC76G and LC29H protocol specifications (PAIR, PQTM); CASIC protocol specification 4.2 and Quectel's for the L76K
/// (PCAS, CFG-NAVX). To add a family that is set by sentences: its case, its query in `identification`, its answer in
/// `identify`, its numbers of the models and its rows in `sentences`, and its name in `ReceiverIdentity.Family`.
package enum ReceiverDialect: Hashable, Sendable {
  /// u-blox 6 to 8: one message per setting.
  case ublox
  /// u-blox 9 and later: values by key. Only the RAM layer is written.
  case ubloxKeys(isUSB: Bool)
  case mediaTek
  case airoha
  /// CASIC: it acknowledges no sentence, and has none that asks for a setting. PCAS00, which writes to flash, is never sent.
  case casic

  /// Queries that distinguish the families, in order.
  static let identification: [[UInt8]] = [
    ReceiverCommand.ubx(0x0A, 0x04), ReceiverCommand.sentence("PMTK605"), ReceiverCommand.sentence("PAIR020"),
    ReceiverCommand.sentence("PQTMVERNO"), ReceiverCommand.sentence("PCAS06,0"),
    // Unicore's high-precision receivers, and its Firebird (UM621).
    Array("VERSIONA\r\n".utf8) + ReceiverCommand.sentence("PDTINFO"),
  ]

  /// What a receiver is by an answer, if that says it; without a dialect if its family is left as it is.
  static func identify(_ answer: ReceiverAnswer, isUSB: Bool) -> (ReceiverDialect?, ReceiverIdentity)? {
    switch answer {
    case .ubx(0x0A, 0x04, let payload) where payload.count >= 40:
      func text(_ range: Range<Int>) -> String {
        String(decoding: payload[range].prefix { (0x20...0x7E).contains($0) }, as: UTF8.self)
      }
      var identity = ReceiverIdentity(family: .ublox, firmware: text(0..<30))
      for start in stride(from: 40, to: payload.count - 29, by: 30) {
        let text = text(start..<start + 30)
        if text.hasPrefix("MOD=") { identity.model = String(text.dropFirst(4)) }
        if text.hasPrefix("FWVER=") { identity.firmware = String(text.dropFirst(6)) }
        if text.hasPrefix("PROTVER") { identity.protocolVersion = String(text.dropFirst(8)) }
      }
      return (identity.protocolMajor >= 27 ? .ubloxKeys(isUSB: isUSB) : .ublox, identity)
    case .sentence(let fields):
      switch fields[0] {
      // Unicore acknowledges every command; its version, a log, is no sentence.
      case "command" where fields.count > 2 && fields[1] == "VERSIONA" && fields[2].hasSuffix("OK"):
        return (nil, ReceiverIdentity(family: .unicore))
      case "PDTINFO" where fields.count > 4:
        return (nil, ReceiverIdentity(family: .firebird, model: fields[1], firmware: fields[4]))
      case "GNTXT" where fields.count > 4 && fields[4] == "ALLYSTAR": return (nil, ReceiverIdentity(family: .allystar))
      case "PSTI": return (nil, ReceiverIdentity(family: .skytraq))
      case _ where fields[0].hasPrefix("PSRF"): return (nil, ReceiverIdentity(family: .sirf))
      case "PMTK705" where fields.count > 1:
        let model = fields.count > 3 && !fields[3].isEmpty ? fields[3] : nil
        return (.mediaTek, ReceiverIdentity(family: .mediaTek, model: model, firmware: fields[1]))
      case "PAIR020", "PQTMVERNO":
        // PQTMVERNO,ERROR,1 is no version.
        guard fields.count > 1, fields[1] != "ERROR" else { return nil }
        return (.airoha, ReceiverIdentity(family: .airoha, firmware: fields[1]))
      case "GPTXT", "GNTXT", "BDTXT": return casic(fields.dropFirst(4).joined(separator: " ")).map { (.casic, $0) }
      default: return nil
      }
    default: return nil
    }
  }

  /// `SW=URANUS5 V5.3.0.0` answers the query; it starts with `HW=ATGM336H 0001170603610`, `IC=AT6558-5N-31-0C510800 …`.
  private static func casic(_ text: String) -> ReceiverIdentity? {
    let value = text.dropFirst(3)
    switch text.prefix(3) {
    case "SW=" where !value.isEmpty: return ReceiverIdentity(family: .casic, firmware: String(value))
    case "HW=" where value.hasPrefix("AT"), "IC=" where value.hasPrefix("AT"):
      // Without its serial number.
      return ReceiverIdentity(family: .casic, model: String(value.prefix { $0 != " " && $0 != "-" }))
    case "MA=" where value.hasPrefix("CAS"): return ReceiverIdentity(family: .casic)
    default: return nil
    }
  }

  /// The query for its name, of a family that does not state it with its version.
  var nameQuery: [UInt8]? { self == .casic ? ReceiverCommand.sentence("PCAS06,1") : nil }

  /// Whether a setting is read from the epochs that arrive: nothing else states it.
  func isSeenInEpochs(_ setting: ReceiverSetting) -> Bool {
    self == .casic && (setting == .period || setting == .accuracy)
  }

  /// Whether a rate needs a setting of its own for the measurements per epoch.
  var hasNavigationRatio: Bool { if case .ubloxKeys = self { true } else { false } }
  var isUblox: Bool { self == .ublox || hasNavigationRatio }

  /// The time of week, in milliseconds, of the message that states an epoch's position and whether it is valid.
  static func epoch(of answer: ReceiverAnswer) -> Int? {
    guard case .ubx(0x01, let id, let payload) = answer,
      id == 0x07 && payload.count >= 84 || id == 0x06 && payload.count == 52
    else { return nil }
    return ReceiverCommand.number(payload, at: 0, 4)
  }

  /// The number of a dynamic model, and the one to use where the receiver refuses that.
  func number(of model: ReceiverWish.Model) -> (first: Int, substitute: Int?) {
    switch (self, model) {
    case (.ublox, .bike), (.ubloxKeys, .bike): (10, 4)
    case (.ublox, .car), (.ubloxKeys, .car): (4, nil)
    case (.ublox, .pedestrian), (.ubloxKeys, .pedestrian): (3, nil)
    case (.mediaTek, .pedestrian), (.airoha, .pedestrian): (1, nil)
    // Normal: the mode for vehicles.
    case (.mediaTek, _), (.airoha, _): (0, nil)
    case (.casic, .pedestrian): (2, nil)
    case (.casic, _): (3, nil)
    }
  }

  // MARK: - Reading

  /// Asks for a setting; `nil` if the receiver has no query for it.
  func query(_ setting: ReceiverSetting) -> [UInt8]? {
    switch self {
    case .ublox:
      switch setting {
      case .speed, .nmea: ReceiverCommand.ubx(0x06, 0x00)
      case .period: ReceiverCommand.ubx(0x06, 0x08)
      case .model: ReceiverCommand.ubx(0x06, 0x24)
      case .aiding: ReceiverCommand.ubx(0x06, 0x23)
      default: setting.message.map { ReceiverCommand.ubx(0x06, 0x01, $0) }
      }
    case .ubloxKeys:
      key(setting).map { ReceiverCommand.ubx(0x06, 0x8B, [0, 0, 0, 0] + ReceiverCommand.littleEndian($0, 4)) }
    case .casic where setting == .model: ReceiverCommand.casic(0x06, 0x07)
    default: sentences(setting)?.query.map { ReceiverCommand.sentence($0) }
    }
  }

  /// The value of a setting in an answer, if any; `port` is a u-blox receiver's. An unnamed speed is the line's.
  func value(of setting: ReceiverSetting, in answer: ReceiverAnswer, port: Int, lineSpeed: Int) -> Int? {
    switch (self, answer) {
    case (.ublox, .ubx(0x06, let id, let payload)):
      switch (setting, id) {
      case (.speed, 0x00) where payload.count == 20: ReceiverCommand.number(payload, at: 8, 4)
      // A position after so many measurements.
      case (.period, 0x08) where payload.count == 6:
        ReceiverCommand.number(payload, at: 0, 2).flatMap { period in
          ReceiverCommand.number(payload, at: 2, 2).map { period * $0 }
        }
      case (.model, 0x24) where payload.count == 36: Int(payload[2])
      case (.aiding, 0x23) where payload.count >= 40: Int(payload[17])
      // The second bit of the port's output protocols.
      case (.nmea, 0x00) where payload.count == 20: Int(payload[14] >> 1 & 1)
      case (_, 0x01) where payload.count == 8 && setting.message == Array(payload[..<2]):
        ReceiverCommand.number(payload, at: 2 + port, 1)
      default: nil
      }
    case (.ubloxKeys, .ubx(0x06, 0x8B, let payload)):
      ReceiverCommand.number(payload, at: 4, 4) == key(setting)
        ? ReceiverCommand.number(payload, at: 8, Self.size(setting)) : nil
    // CFG-NAVX.
    case (.casic, .casic(0x06, 0x07, let payload)): setting == .model && payload.count == 44 ? Int(payload[4]) : nil
    // Its other texts may have been on their way before the line got its speed.
    case (.casic, _): setting == .speed && Self.identify(answer, isUSB: false)?.0 != nil ? lineSpeed : nil
    case (_, .sentence(let fields)):
      sentences(setting).flatMap { sentences -> Int? in
        guard fields.starts(with: sentences.answer) else { return nil }
        guard let field = sentences.field else { return lineSpeed }
        let index = field == .max ? fields.count - 1 : field
        return fields.indices.contains(index) ? Int(fields[index]) : nil
      }
    default: nil
    }
  }

  // MARK: - Writing

  /// Sets a setting. `read` is the answer from which its current value was read.
  func command(_ setting: ReceiverSetting, _ value: Int, read: ReceiverAnswer?) -> [UInt8] {
    switch self {
    case .ublox:
      let byte = UInt8(value & 0xFF)
      if let message = setting.message { return ReceiverCommand.ubx(0x06, 0x01, message + [byte]) }
      // Mask: the dynamic model only.
      if setting == .model { return ReceiverCommand.ubx(0x06, 0x24, [1, 0, byte] + [UInt8](repeating: 0, count: 33)) }
      // Everything else stays as it was read.
      guard let read, self.value(of: setting, in: read, port: 0, lineSpeed: 0) != nil,
        case .ubx(_, let id, var payload) = read
      else { return [] }
      switch setting {
      case .speed: payload.replaceSubrange(8..<12, with: ReceiverCommand.littleEndian(value, 4))
      case .period: payload.replaceSubrange(0..<4, with: ReceiverCommand.littleEndian(value, 2) + [1, 0])
      // UBX stays on: answers are UBX.
      case .nmea: payload[14] = payload[14] & ~2 | 1 | (value == 0 ? 0 : 2)
      case .aiding:
        // The mask names nothing but the acknowledgements.
        payload.replaceSubrange(2..<8, with: [0x00, 0x04, 0, 0, 0, 0])
        payload[17] = byte
      default: return []
      }
      return ReceiverCommand.ubx(0x06, id, payload)
    case .ubloxKeys:
      guard let key = key(setting) else { return [] }
      // Version 0, RAM only.
      return ReceiverCommand.ubx(
        0x06, 0x8A,
        [0, 1, 0, 0] + ReceiverCommand.littleEndian(key, 4)
          + ReceiverCommand.littleEndian(value, Self.size(setting)))
    case .mediaTek where setting == .accuracy:
      // The intervals of the other sentences stay as they were read.
      guard case .sentence(var fields)? = read, fields.count > 8 else { return [] }
      fields[0] = "PMTK314"
      fields[8] = "\(value)"
      return ReceiverCommand.sentence(fields.joined(separator: ","))
    default:
      guard let sentences = sentences(setting), let word = sentences.word(for: value) else { return [] }
      return ReceiverCommand.sentence("\(sentences.command),\(word)")
    }
  }

  /// Whether an answer acknowledges (`true`) or refuses (`false`) a command or query; `nil` if it does neither.
  func acknowledges(_ answer: ReceiverAnswer, of message: [UInt8]) -> Bool? {
    switch answer {
    case .ubx(0x05, let id, let payload):
      guard message.count > 3, message[0] == 0xB5, payload == [message[2], message[3]] else { return nil }
      return id == 0x01
    case .sentence(let fields):
      guard fields.count > 2, message.count > 8, fields[0] == "PMTK001" || fields[0] == "PAIR001" else { return nil }
      // "$PMTK220": the number behind the four letters.
      guard message[1..<5].elementsEqual(fields[0].utf8.prefix(4)), message[5..<8].elementsEqual(fields[1].utf8) else {
        return nil
      }
      // Of Airoha, 1 is "being processed": the result follows.
      if fields[0] == "PAIR001" && fields[2] == "1" { return nil }
      return fields[2] == (fields[0] == "PMTK001" ? "3" : "0")
    default: return nil
    }
  }

  // MARK: - Settings in sentences

  private struct Sentences {
    /// `nil` if there is none.
    let query: String?
    /// The first fields of the answer.
    let answer: [String]
    /// Index of the field with the value, `.max` for the last; `nil` if the answer shows but that the speed is right.
    let field: Int?
    /// What precedes the value in a command.
    let command: String
    /// The values whose index is sent in place of them.
    var codes: [Int]?

    /// What is sent for a value; `nil` if the receiver has no word for it.
    func word(for value: Int) -> Int? { if let codes { codes.firstIndex(of: value) } else { value } }
  }

  private func sentences(_ setting: ReceiverSetting) -> Sentences? {
    switch (self, setting) {
    case (.mediaTek, .speed): Sentences(query: "PMTK605", answer: ["PMTK705"], field: nil, command: "PMTK251")
    case (.mediaTek, .period): Sentences(query: "PMTK400", answer: ["PMTK500"], field: 1, command: "PMTK220")
    case (.mediaTek, .model): Sentences(query: nil, answer: ["PMTK886"], field: 1, command: "PMTK886")
    case (.mediaTek, .accuracy): Sentences(query: "PMTK414", answer: ["PMTK514"], field: 8, command: "PMTK314")
    case (.airoha, .speed): Sentences(query: "PAIR865,0,0", answer: ["PAIR865"], field: Int.max, command: "PAIR864,0,0")
    case (.airoha, .period): Sentences(query: "PAIR051", answer: ["PAIR051"], field: 1, command: "PAIR050")
    case (.airoha, .model): Sentences(query: "PAIR081", answer: ["PAIR081"], field: 1, command: "PAIR080")
    case (.airoha, .accuracy): Sentences(query: "PAIR063,8", answer: ["PAIR063", "8"], field: 2, command: "PAIR062,8")
    case (.casic, .speed):
      Sentences(
        query: "PCAS06,0", answer: [], field: nil, command: "PCAS01",
        codes: [4800, 9600, 19_200, 38_400, 57_600, 115_200])
    case (.casic, .period): Sentences(query: nil, answer: [], field: nil, command: "PCAS02")
    case (.casic, .model): Sentences(query: nil, answer: [], field: nil, command: "PCAS11")
    // GST is the fourteenth; the intervals of the other sentences, empty, stay as they are.
    case (.casic, .accuracy): Sentences(query: nil, answer: [], field: nil, command: "PCAS03,,,,,,,,,,,,,")
    default: nil
    }
  }

  // MARK: - Keys of u-blox 9 and later

  /// The key of a setting of the port in use; `nil` if there is none.
  private func key(_ setting: ReceiverSetting) -> Int? {
    guard case .ubloxKeys(let isUSB) = self else { return nil }
    // Message rates have a key for each port: I2C, UART1, UART2, USB, SPI.
    let port = isUSB ? 2 : 0
    return switch setting {
    case .speed: 0x4052_0001
    case .period: 0x3021_0001
    case .navigation: 0x3021_0002
    case .model: 0x2011_0021
    case .accuracy: 0x2091_00D4 + port
    case .nmea: isUSB ? 0x1078_0002 : 0x1074_0002
    case .aiding: 0x1011_0025
    case .pvt: 0x2091_0007 + port
    case .dop: 0x2091_0039 + port
    case .eoe: 0x2091_0160 + port
    case .sat: 0x2091_0016 + port
    case .svinfo, .sol, .posllh, .velned, .timeutc: nil
    }
  }

  private static func size(_ setting: ReceiverSetting) -> Int {
    switch setting {
    case .speed: 4
    case .period, .navigation: 2
    default: 1
    }
  }
}

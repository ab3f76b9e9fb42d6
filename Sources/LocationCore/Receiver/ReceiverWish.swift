/// The state of a receiver that its source asks for; `nil` leaves a setting as it is.
package struct ReceiverWish: Hashable, Sendable {
  package enum Model: String, Hashable, Sendable, CaseIterable {
    /// A motorcycle or bicycle; a car where the receiver does not support it.
    case bike, car, pedestrian
  }

  /// The protocol in which a receiver sends its epochs.
  package enum Output: String, Hashable, Sendable {
    /// UBX where a u-blox receiver is seen to send it, else NMEA.
    case auto
    case ubx, nmea
  }

  /// The protocol of the epochs; `nil` is `auto`.
  package var output: Output?
  /// Epochs per second, 1 to 25.
  package var rate: Int?
  package var model: Model?
  package var accuracy: Bool?
  /// Line speed, bit/s.
  package var speed: Int?

  package static let rates = 1...25

  package init() {}
  var prefersUBX: Bool { output != .nmea }

  /// Line speed to set, bit/s: the wanted one, or what the rate needs on at most 80 % of the line, or `nil`.
  package func speed(of line: Int, for output: Output = .nmea, isUblox: Bool = true) -> Int? {
    if let speed { return speed }
    guard let rate else { return nil }
    // NAV-PVT, -DOP and -EOE are 138 bytes an epoch; NAV-SAT with 40 satellites, once a second, is 496.
    let load = output == .nmea ? rate * 600 : rate * 140 + 500
    // CASIC's and MediaTek's end at 115200 bit/s.
    let needed = [9600, 38_400, 57_600, 115_200].first { $0 * 8 >= load * 100 } ?? (isUblox ? 230_400 : 115_200)
    return needed > line ? needed : nil
  }

  typealias Step = ReceiverStatus.Setting

  /// The settings of a receiver with the right speed: the rate, then messages, then the others.
  func steps(for output: Output, by dialect: ReceiverDialect, _ messages: [Step] = []) -> [Step] {
    var steps: [Step] = []
    if let rate {
      steps.append(Step(name: .period, wanted: 1000 / rate))
      if dialect.hasNavigationRatio { steps.append(Step(name: .navigation, wanted: 1)) }
    }
    steps += messages
    if let model { steps.append(Step(name: .model, wanted: dialect.number(of: model).first)) }
    if let accuracy, output == .nmea { steps.append(Step(name: .accuracy, wanted: accuracy ? 1 : 0)) }
    return steps
  }
}

package enum ReceiverSetting: String, Hashable, Sendable, CaseIterable {
  // The speed first: the others need room on the line.
  /// Line speed, bit/s.
  case speed
  /// Time between epochs, milliseconds; of u-blox 9 and later, between measurements.
  case period
  /// Measurements per epoch; u-blox 9 and later, whose period does not include it.
  case navigation
  /// The receiver's number of the dynamic model.
  case model
  /// Epochs between two GST sentences; 0 for none.
  case accuracy
  /// Whether the port sends NMEA, 1 or 0; u-blox only.
  case nmea
  /// Whether aiding messages are acknowledged, 1 or 0; u-blox only.
  case aiding
  // Epochs between two messages of the name; 0 for none. u-blox only.
  case pvt = "nav-pvt"
  case dop = "nav-dop"
  case eoe = "nav-eoe"
  case sat = "nav-sat"
  case svinfo = "nav-svinfo"
  case sol = "nav-sol"
  case posllh = "nav-posllh"
  case velned = "nav-velned"
  case timeutc = "nav-timeutc"

  /// Class and number of the u-blox message whose rate it is.
  var message: [UInt8]? {
    if self == .accuracy { return [0xF0, 0x07] }
    let type = UBXType.allCases.first { $0.name.lowercased() == rawValue }
    return type.map { [UInt8($0.rawValue >> 8), UInt8($0.rawValue & 0xFF)] }
  }

  /// The messages of an epoch before NAV-PVT, which u-blox 7 introduced.
  static let beforePVT: [ReceiverSetting] = [.sol, .posllh, .velned, .timeutc]
}

package struct ReceiverIdentity: Hashable, Sendable {
  /// The protocol that it is set up by, or, of those that are left as they are, its maker's.
  package enum Family: String, Hashable, Sendable {
    case ublox = "u-blox"
    case mediaTek = "MediaTek"
    case airoha = "Quectel/Airoha"
    /// Receivers with chips of CASIC: AT6558, ATGM336H, Quectel L76K.
    case casic = "CASIC"
    case unicore = "Unicore"
    case firebird = "Unicore Firebird"
    case allystar = "Allystar"
    case skytraq = "SkyTraq"
    case sirf = "SiRF"
  }

  package var family: Family
  /// Its name, if it has one: `NEO-M8N`.
  package var model: String?
  package var firmware: String?
  /// Version of the protocol; u-blox only.
  package var protocolVersion: String?

  /// With the name and the firmware of a further statement of CASIC, if it has them. A chip, AT6558, does not replace the
  /// name of its module, ATGM332D.
  func adding(_ stated: ReceiverIdentity) -> ReceiverIdentity {
    var identity = self
    if let name = stated.model, model == nil || name.hasPrefix("ATGM") { identity.model = name }
    identity.firmware = stated.firmware ?? firmware
    return identity
  }

  /// Its number before the point; 0 if there is none.
  var protocolMajor: Int { protocolVersion.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0 }
}

package struct ReceiverStatus: Hashable, Sendable {
  package enum Phase: String, Hashable, Sendable {
    case identifying
    /// Its settings are read, or written.
    case running
    /// Complete: each setting has its own outcome.
    case done
    /// It answers none of the queries, or is of a family that is left as it is; nothing was set.
    case unsupported
    /// It stopped answering at any speed.
    case lost
  }

  package enum Outcome: String, Hashable, Sendable {
    case unknown
    /// It was as wanted.
    case same
    /// It differs; the command was not sent.
    case planned
    /// It was set, and read back, or seen in the epochs that follow.
    case set
    /// It was acknowledged; the receiver has no query for it.
    case acknowledged
    /// It was sent; the receiver neither answers nor shows it.
    case sent
    /// The receiver refused it or kept another value.
    case refused
    case unanswered
  }

  package struct Setting: Hashable, Sendable {
    package var name: ReceiverSetting
    package var wanted: Int
    package var current: Int?
    package var outcome = Outcome.unknown
    /// The command; empty if none is needed.
    package var command: [UInt8] = []
    /// Whether it is left out of the status where the receiver does not support it, or needs no change.
    var isOptional = false

    package var isAsWanted: Bool { [.same, .planned, .set, .acknowledged, .sent].contains(outcome) }
  }

  package var phase = Phase.identifying
  package var identity: ReceiverIdentity?
  /// The protocol in which a u-blox receiver was left; `nil` until that is decided, and in a plan.
  package var output: ReceiverWish.Output?
  package var settings: [Setting] = []
}

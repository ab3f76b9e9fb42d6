import ArgumentParser
import RideTools

/// What `simulate` can be told about a ride; the texts are read by ``SimulationOptions``.
struct SimulationArguments: ParsableArguments {
  @Option(help: Self.help(.seed)) var seed: String?
  @Option(help: Self.help(.receiver), completion: .list(ReceiverModel.allCases.map(\.rawValue))) var receiver: String?
  @Option(help: Self.help(.start)) var start: String?
  @Option(help: Self.help(.from)) var from: String?
  @Option(help: Self.help(.length)) var length: String?
  @Option(help: Self.help(.speed)) var speed: String?
  @Option(help: Self.help(.lateral)) var lateral: String?
  @Option(help: Self.help(.acceleration)) var acceleration: String?
  @Option(help: Self.help(.braking)) var braking: String?
  @Option(help: Self.help(.lights)) var lights: String?
  @Option(help: Self.help(.canyon)) var canyon: String?
  @Option(help: Self.help(.tunnel)) var tunnel: String?
  @Option(help: Self.help(.coldStart)) var coldStart: String?
  @Option(help: Self.help(.noise)) var noise: String?
  @Option(help: Self.help(.corrupt)) var corrupt: String?
  @Option(help: Self.help(.truncate)) var truncate: String?
  @Flag(help: Self.help(.leapSecond)) var leapSecond = false
  @Flag(help: Self.help(.rollover)) var rollover = false

  /// The ride with what was said about it.
  func applied(to ride: SimulationOptions) throws(SimulationError) -> SimulationOptions {
    var ride = ride
    for key in SimulationKey.allCases {
      if let text = text(of: key) { try ride.set(key, to: NegativeNumbers.restored(text)) }
    }
    return ride
  }

  private func text(of key: SimulationKey) -> String? {
    switch key {
    case .seed: seed
    case .receiver: receiver
    case .start: start
    case .from: from
    case .length: length
    case .speed: speed
    case .lateral: lateral
    case .acceleration: acceleration
    case .braking: braking
    case .lights: lights
    case .canyon: canyon
    case .tunnel: tunnel
    case .coldStart: coldStart
    case .noise: noise
    case .corrupt: corrupt
    case .truncate: truncate
    case .leapSecond: leapSecond ? "true" : nil
    case .rollover: rollover ? "true" : nil
    }
  }

  private static func help(_ key: SimulationKey) -> ArgumentHelp {
    key.isFlag ? ArgumentHelp("\(key.help)") : ArgumentHelp("\(key.help)", valueName: key.valueName)
  }
}

import ArgumentParser
import Glibc
import RideTools

struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the recording of a simulated ride.",
    discussion: """
      Example: handlebarctl simulate --ride city --seed 7 -o recordings/city.nmea
               handlebarctl simulate --route route.gpx --depart stop:400:60,wrong-turn:1200:150,detour:2000-3000:-80 -o ride.nmea
               handlebarctl simulate --route route.gpx --speed 12 --receiver ublox-10hz --truth truth.json -o ride.nmea

      The same options produce the same bytes on every machine. An existing file is replaced. The daemon simulates the same ride as a source: \
      simulate:route.gpx?speed=12&receiver=ublox-10hz; add rate=10 for ten times real time.
      """)

  @Option(
    help: .value("NAME", "A predefined ride: \(SimulationOptions.rideNames.joined(separator: ", "))."),
    completion: .list(SimulationOptions.rideNames))
  var ride: String?

  @Option(help: .value("FILE", "GPX, TCX, FIT or GeoJSON file with the route."), completion: .file()) var route: String?
  @OptionGroup var details: SimulationArguments

  @Option(
    help: .value("FILE", "File for the true values: a JSON line for each epoch, and one for the ride."),
    completion: .file())
  var truth: String?

  @Option(name: .shortAndLong, help: .value("FILE", "File to write; - is standard output."), completion: .file())
  var output = "-"

  func run() throws {
    let options = try CommandError.exiting(EX_USAGE) { try details.applied(to: road()) }
    let progress = WaitNotice("simulating")
    defer { progress.end() }
    try write(CommandError.exiting(EX_NOINPUT) { try options.ride() })
  }

  private func road() throws(SimulationError) -> SimulationOptions {
    switch (ride, route) {
    case (let ride?, nil): try SimulationOptions(named: ride)
    case (nil, let route?): SimulationOptions(.file(route))
    default: throw SimulationError("give either --ride or --route, for example --ride tour")
    }
  }

  private func write(_ ride: SimulatedRide) throws(ExitCode) {
    var recording = try OutputFile(output)
    var truths = try truth.map { path throws(ExitCode) in try OutputFile(path) }
    var writer = SimulatedWriter(of: ride)
    var (bytes, lines): ([UInt8], [UInt8]) = ([], [])
    while let epoch = writer.next(into: &bytes) {
      if truth != nil { TruthLines.write(epoch, into: &lines) }
      try recording.write(&bytes, beyond: 1 << 18)
      try truths?.write(&lines, beyond: 1 << 18)
    }
    if truth != nil { TruthLines.write(ride.truth, into: &lines) }
    try recording.write(&bytes, beyond: 0)
    try truths?.write(&lines, beyond: 0)
    try recording.finish()
    try truths?.finish()
  }
}

/// The options of a simulated ride; ``SimulationOptions`` parses their texts.
struct SimulationArguments: ParsableArguments {
  @Option(help: Self.help(.seed)) var seed: String?
  @Option(help: Self.help(.receiver), completion: .list(ReceiverModel.allCases.map(\.rawValue))) var receiver: String?
  @Option(help: Self.help(.start)) var start: String?
  @Option(help: Self.help(.from)) var from: String?
  @Option(help: Self.help(.length)) var length: String?
  @Option(help: Self.help(.depart)) var depart: String?
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
  @Option(help: Self.help(.wheel)) var wheel: String?
  @Option(help: Self.help(.wheelDoubled)) var wheelDoubled: String?
  @Option(help: Self.help(.wheelAsleep)) var wheelAsleep: String?
  @Option(help: Self.help(.weather)) var weather: String?
  @Option(help: Self.help(.warmth)) var warmth: String?

  func applied(to ride: SimulationOptions) throws(SimulationError) -> SimulationOptions {
    let texts: [SimulationKey: String?] = [
      .seed: seed, .receiver: receiver, .start: start, .from: from, .length: length, .depart: depart,
      .speed: speed, .lateral: lateral, .acceleration: acceleration, .braking: braking, .lights: lights,
      .canyon: canyon, .tunnel: tunnel,
      .coldStart: coldStart, .noise: noise, .corrupt: corrupt, .truncate: truncate,
      .leapSecond: leapSecond ? "true" : nil, .rollover: rollover ? "true" : nil, .wheel: wheel,
      .wheelDoubled: wheelDoubled, .wheelAsleep: wheelAsleep, .weather: weather, .warmth: warmth,
    ]
    var ride = ride
    for key in SimulationKey.allCases {
      if let text = texts[key] ?? nil { try ride.set(key, to: NegativeNumbers.restored(text)) }
    }
    return ride
  }

  private static func help(_ key: SimulationKey) -> ArgumentHelp {
    key.isFlag ? ArgumentHelp("\(key.help)") : ArgumentHelp("\(key.help)", valueName: key.valueName)
  }
}

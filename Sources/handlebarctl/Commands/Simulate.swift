import ArgumentParser
import Glibc
import Recordings
import RideTools

/// `simulate`: writes the recording of a simulated ride.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the recording of a simulated ride.",
    discussion: """
      Example: handlebarctl simulate --ride city --seed 7 -o recordings/city.nmea
      Example: handlebarctl simulate --route route.gpx --speed 12 --receiver ublox-10hz --truth truth.json -o ride.nmea

      The same options produce the same bytes on every machine. An existing file is replaced. The daemon simulates the same ride as a source: \
      simulate:route.gpx?speed=12&receiver=ublox-10hz; add rate=10 for ten times real time.
      """)

  @Option(
    help: ArgumentHelp(
      "A predefined ride: \(SimulationOptions.rideNames.joined(separator: ", ")).", valueName: "NAME"),
    completion: .list(SimulationOptions.rideNames))
  var ride: String?

  @Option(help: ArgumentHelp("GPX or GeoJSON file with the route.", valueName: "FILE"), completion: .file())
  var route: String?

  @OptionGroup var details: SimulationArguments

  @Option(
    help: ArgumentHelp(
      "File for the true values: a JSON line for each epoch, and one for the ride.", valueName: "FILE"),
    completion: .file())
  var truth: String?

  @Option(
    name: .shortAndLong, help: ArgumentHelp("File to write; - is standard output.", valueName: "FILE"),
    completion: .file())
  var output = "-"

  func run() throws {
    StandardOutput.prepare()
    let options: SimulationOptions
    do throws(SimulationError) {
      options = try details.applied(to: road())
    } catch {
      throw CommandError.exit("\(error)", code: EX_USAGE)
    }
    let progress = Progress.start("simulating")
    defer { progress.end() }
    let ride: SimulatedRide
    do throws(SimulationError) {
      ride = try options.ride()
    } catch {
      throw CommandError.exit("\(error)", code: EX_NOINPUT)
    }
    try write(ride)
  }

  private func road() throws(SimulationError) -> SimulationOptions {
    switch (ride, route) {
    case (let ride?, nil): try SimulationOptions(named: ride)
    case (nil, let route?): SimulationOptions(.file(route))
    default: throw SimulationError("give either --ride or --route, for example --ride tour")
    }
  }

  private func write(_ ride: SimulatedRide) throws {
    do throws(RecordingError) {
      var files = try SimulationFiles(recording: output == "-" ? nil : output, truth: truth)
      var writer = SimulatedWriter(of: ride)
      while let epoch = writer.next(into: &files.records) {
        if truth != nil { TruthLines.write(epoch, into: &files.truths) }
        try files.flush(beyond: 1 << 18)
      }
      if truth != nil { TruthLines.write(ride.truth, into: &files.truths) }
      try files.flush(beyond: 0)
      try files.publish()
    } catch {
      throw CommandError.exit("\(error)", code: error.operation == .create ? EX_CANTCREAT : EX_IOERR)
    }
  }
}

/// The options of a simulated ride; ``SimulationOptions`` parses their texts.
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

  /// The ride with these options.
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

/// Output files of a simulated ride, in bounded memory.
private struct SimulationFiles: ~Copyable {
  var records: [UInt8] = []
  var truths: [UInt8] = []
  private var recording: RecordingDraft?
  private var truth: RecordingDraft?

  /// Without a path the recording goes to standard output, the truth nowhere.
  init(recording: String?, truth: String?) throws(RecordingError) {
    let recording = try recording.map { path throws(RecordingError) in try RecordingDraft(for: path) }
    let truth = try truth.map { path throws(RecordingError) in try RecordingDraft(for: path) }
    self.init(recording, truth: truth)
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(_ recording: consuming RecordingDraft?, truth: consuming RecordingDraft?) {
    self.recording = recording
    self.truth = truth
  }

  /// Writes buffers of more than `limit` bytes.
  mutating func flush(beyond limit: Int) throws(RecordingError) {
    if records.count > limit {
      if recording == nil { StandardOutput.write(records) } else { try recording?.append(records) }
      records.removeAll(keepingCapacity: true)
    }
    if truths.count > limit {
      try truth?.append(truths)
      truths.removeAll(keepingCapacity: true)
    }
  }

  /// Moves the files to their paths.
  mutating func publish() throws(RecordingError) {
    try recording?.publish()
    try truth?.publish()
  }
}

import ArgumentParser
import Glibc
import LocationDaemon
import Logging

/// The command line of the daemon: reads the configuration, then hands over to `Daemon`.
@main
struct Handlebard: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handlebard",
    abstract: "Reads a GNSS receiver and publishes its fixes on a Unix socket.",
    discussion: """
      Example: handlebard --source 'serial:/dev/gps0?speed=auto' --socket /run/handlebar/location.sock

      Exit codes: 0 stopped as asked, 64 usage, 70 internal error, 71 the socket cannot be had, 78 configuration.
      """,
    version: Daemon.release)

  @Option(
    help: ArgumentHelp(
      "The configuration file (default: $HANDLEBAR_CONFIG, else \(ConfigurationFile.standardPath) if it is there).",
      valueName: "FILE"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Where fixes come from; several times, the preferred one first: serial:DEVICE, gpsd://HOST:PORT, tcp://HOST:PORT, udp://:PORT, recording:FILE, simulate:ROUTE.",
      valueName: "URI")
  )
  var source: [String] = []

  @Option(help: ArgumentHelp("Path of the Unix socket.", valueName: "PATH"))
  var socket: String?

  @Option(help: ArgumentHelp("Pass the leading source's sentences through on this Unix socket.", valueName: "PATH"))
  var nmeaSocket: String?

  @Option(
    help: ArgumentHelp(
      "Serve gpsd's clients here, for example 127.0.0.1:2947; several times if need be.", valueName: "HOST:PORT"))
  var tcp: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Metres between deliveries for a client that names no filter.", valueName: "METRES"))
  var distanceFilter: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Metres between view and fix beyond which follow mode disengages.", valueName: "METRES"))
  var driftLimit: Double?

  @Option(help: ArgumentHelp("Record everything the receiver sends into this directory.", valueName: "DIR"))
  var record: String?

  @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "LEVEL"))
  var logLevel: String?

  @Flag(help: "Check the configuration, say file, line and key of what is wrong, and stop.")
  var checkConfig = false

  @Flag(help: ArgumentHelp("Stop when standard input ends: for a program that starts this one.", visibility: .hidden))
  var endsWithInput = false

  func validate() throws {
    if let logLevel, Logger.Level(rawValue: logLevel) == nil {
      throw ValidationError(
        "log level \"\(logLevel)\" is not one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
    }
  }

  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      if exitCode(for: error) == .validationFailure {
        let line = message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        FailedStart(environment: Environment.process).tell(line, code: "misconfigured", remedy: nil)
        LogOutput(environment: Environment.process).complain("\(line); see: handlebard --help")
        exit(withError: ExitCode.validationFailure)
      }
      exit(withError: error)
    }
  }

  func run() throws {
    let environment = Environment.process
    let output = LogOutput(environment: environment)
    let loader = ConfigurationLoader(file: config, environment: environment, flags: applyFlags)
    let configuration: DaemonConfiguration
    do throws(ConfigurationError) {
      configuration = try loader.load()
    } catch {
      output.complain("\(error)")
      FailedStart(environment: environment).tell(
        "\(error)", code: "misconfigured", remedy: "correct it, then: systemctl restart handlebard")
      throw ExitCode(EX_CONFIG)
    }
    let threshold = LogThreshold(configuration.logLevel)
    LoggingSystem.bootstrap { _ in JournalLogHandler(threshold: threshold, output: output) }
    if checkConfig { return }
    do {
      try Daemon.run(
        configuration, environment: environment, threshold: threshold, log: Logger(label: "handlebard"),
        endsWithInput: endsWithInput, load: loader.load)
    } catch {
      output.complain("\(error)")
      FailedStart(environment: environment).tell("\(error)", code: "unavailable", remedy: nil)
      throw ExitCode(Self.code(for: error))
    }
  }

  /// The exit code for a daemon that could not go on.
  private static func code(for error: any Error) -> Int32 {
    switch error {
    case is UnixSocketPath.Failure, is ActivatedSockets.Failure, is TCPListener.Failure: EX_OSERR
    default: EX_SOFTWARE
    }
  }

  /// What the flags say, over everything else.
  private func applyFlags(_ settings: inout DaemonConfiguration) throws(ConfigurationError) {
    if !source.isEmpty {
      var uris: [SourceURI] = []
      for text in source { uris.append(try SourceURI(text)) }
      settings.sources = uris
    }
    if let socket { settings.socketPath = socket }
    if let nmeaSocket { settings.nmeaSocketPath = DaemonConfiguration.optional(nmeaSocket) }
    if !tcp.isEmpty {
      var addresses: [NetworkAddress] = []
      for text in tcp { addresses.append(try DaemonConfiguration.tcpAddress(text, key: "--tcp")) }
      settings.tcpAddresses = addresses
    }
    if let distanceFilter { settings.distanceFilter = distanceFilter }
    if let driftLimit { settings.driftLimit = driftLimit }
    if let record { settings.recordDirectory = DaemonConfiguration.optional(record) }
    if let logLevel, let level = Logger.Level(rawValue: logLevel) { settings.logLevel = level }
  }
}

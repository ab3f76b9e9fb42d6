import ArgumentParser
import Libc
import LocationDaemon
import Logging

@main
struct Handlebard: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handlebard",
    abstract: "Reads a GNSS receiver and publishes its fixes on a Unix socket.",
    discussion: """
      Example: handlebard --source 'serial:/dev/gps0?speed=auto' --socket /run/handlebar/location.sock

      Exit codes: 0 stopped by a signal, 64 usage, 70 internal error, 71 socket or port not available, 78 invalid configuration.
      """,
    version: Daemon.release)

  @Option(
    help: ArgumentHelp(
      "Configuration file (default: $HANDLEBAR_CONFIG, or \(ConfigurationFile.standardPath) if it exists).",
      valueName: "FILE"),
    completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Source of fixes, or a sensor: \(SourceURI.forms); repeat it for more sources, the preferred one first.",
      valueName: "URI")
  )
  var source: [String] = []

  @Option(help: ArgumentHelp("Path of the Unix socket.", valueName: "PATH"), completion: .file())
  var socket: String?

  @Option(
    help: ArgumentHelp("Path of a Unix socket that passes on the leading source's NMEA sentences.", valueName: "PATH"),
    completion: .file())
  var nmeaSocket: String?

  @Option(
    help: ArgumentHelp(
      "Address to serve gpsd's clients on, for example 127.0.0.1:2947; repeat it for more addresses.",
      valueName: "HOST:PORT"))
  var tcp: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Distance filter for clients that do not set their own, in metres.", valueName: "METRES"))
  var distanceFilter: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Distance between a view and its fix beyond which the view stops following, in metres.", valueName: "METRES"))
  var driftLimit: Double?

  @Option(
    help: ArgumentHelp(
      "Directory in which persistent targets and the last position survive a restart (default: $STATE_DIRECTORY).",
      valueName: "DIR"),
    completion: .directory)
  var state: String?

  @Option(
    help: ArgumentHelp("Directory for recordings of everything that the receiver sends.", valueName: "DIR"),
    completion: .directory)
  var record: String?

  @Option(help: ArgumentHelp("Log level.", valueName: "LEVEL")) var logLevel: Logger.Level?

  @Flag(help: "Check the configuration and exit; an error names file, line and key.")
  var checkConfig = false

  @Flag(help: ArgumentHelp("Stop when standard input ends; for a parent process.", visibility: .hidden))
  var endsWithInput = false

  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      if exitCode(for: error) == .validationFailure {
        var line = message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        while line.last == "." { line.removeLast() }
        LogOutput(environment: ProcessEnvironment.process).writeFatal(
          line + (line.last == "?" ? " See: " : "; see: ") + "handlebard --help")
        FailedStart(environment: ProcessEnvironment.process).report(line, code: .misconfigured, remedy: nil)
        exit(withError: ExitCode.validationFailure)
      }
      exit(withError: error)
    }
  }

  func run() throws {
    let environment = ProcessEnvironment.process
    let output = LogOutput(environment: environment)
    let load = { () throws(ConfigurationError) in
      try DaemonConfiguration(file: config, environment: environment, flags: applyFlags)
    }
    let configuration: DaemonConfiguration
    do throws(ConfigurationError) {
      configuration = try load()
    } catch {
      output.writeFatal("\(error)")
      FailedStart(environment: environment).report(
        "\(error)", code: .misconfigured, remedy: "correct it, then: systemctl restart handlebard")
      throw ExitCode(EX_CONFIG)
    }
    let threshold = LogThreshold(configuration.logLevel)
    LoggingSystem.bootstrap { _ in JournalLogHandler(threshold: threshold, output: output) }
    if checkConfig { return }
    do {
      try Daemon.run(
        configuration, environment: environment, threshold: threshold, log: Logger(label: "handlebard"),
        endsWithInput: endsWithInput, load: load)
    } catch {
      output.writeFatal("\(error)")
      FailedStart(environment: environment).report("\(error)", code: .unavailable, remedy: nil)
      throw ExitCode(error is ListeningError ? EX_OSERR : EX_SOFTWARE)
    }
  }

  private func applyFlags(_ configuration: inout DaemonConfiguration) throws(ConfigurationError) {
    if !source.isEmpty {
      configuration.setSources(try source.map { text throws(ConfigurationError) in try SourceURI(text) })
    }
    if let socket { configuration.socketPath = socket }
    if let nmeaSocket { configuration.nmeaSocketPath = DaemonConfiguration.nonEmpty(nmeaSocket) }
    if !tcp.isEmpty {
      configuration.tcpAddresses = try tcp.map { text throws(ConfigurationError) in
        try DaemonConfiguration.tcpAddress(text, key: "--tcp")
      }
    }
    if let distanceFilter { configuration.distanceFilter = distanceFilter }
    if let driftLimit { configuration.driftLimit = driftLimit }
    if let state { configuration.stateDirectory = DaemonConfiguration.nonEmpty(state) }
    if let record { configuration.recordDirectory = DaemonConfiguration.nonEmpty(record) }
    if let logLevel { configuration.logLevel = logLevel }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

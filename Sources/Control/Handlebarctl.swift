import ArgumentParser
import GPSDProtocol
import Glibc

/// The command-line tool: requests to the daemon, and recordings without it.
package struct Handlebarctl: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "handlebarctl",
    abstract: "Shows and controls the location daemon; reads, plays and simulates recordings.",
    discussion: """
      Example: handlebarctl watch --filter 10

      Exit codes: 0 success, 1 failure, 3 no daemon, 4 no fix in time, 5 permission denied, 6 source disabled, 64 usage, 65 input without data, 66 input \
      cannot be opened, 69 handlebard or a library not installed, 70 internal error, 71 system error, 73 output cannot be created, 74 input or output error, \
      78 wrong file of zones.
      """,
    version: VersionReport.currentRelease,
    subcommands: [
      Watch.self, Status.self, Locate.self, Follow.self, View.self, Target.self, Trip.self, Course.self,
      Sensor.self, Decode.self, Simulate.self, Record.self, Rides.self, Replay.self, Map.self, Receiver.self,
      Doctor.self, Export.self, Plot.self, Forward.self,
    ])

  @OptionGroup var connection: ConnectionOptions

  package init() {}

  package static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.first == "help", let message = MistypedCommand.message(arguments, root: Self.self) {
        throw CommandError.exit(message, code: EX_USAGE)
      }
      var command = try await asyncParseAsRoot(NegativeNumbers.protected(arguments))
      StandardOutput.prepare()
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
    } catch {
      // A command that has printed its error throws nothing but the code.
      guard exitCode(for: error) == .validationFailure, !(error is ExitCode) else { exit(withError: error) }
      StandardError.say(
        MistypedCommand.message(arguments, root: Self.self) ?? usage(message(for: error), arguments))
      exit(withError: ExitCode.validationFailure)
    }
  }

  /// A usage error in one line, with the help that explains it.
  private static func usage(_ message: String, _ arguments: [String]) -> String {
    let names = configuration.subcommands.map { $0._commandName }
    let command = arguments.first { names.contains($0) }
    let help = (["handlebarctl"] + (command.map { [$0] } ?? []) + ["--help"]).joined(separator: " ")
    var line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    while line.last == "." { line.removeLast() }
    return NegativeNumbers.restored(in: line) + (line.last == "?" ? " See: " : "; see: ") + help
  }
}

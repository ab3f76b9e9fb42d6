import ArgumentParser
import LocationClient

/// The person's tool: asks and steers the daemon, and reads recordings without it.
@main
struct Handlebarctl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handlebarctl",
    abstract: "Shows and steers the location daemon.",
    discussion: """
      Example: handlebarctl watch --filter 10

      Exit codes: 0 done, 1 failed, 3 no daemon, 4 no fix in time, 5 denied, 6 disabled, 64 usage.
      """,
    subcommands: [
      Watch.self, Status.self, Locate.self, Follow.self, View.self, Target.self, Decode.self, Simulate.self,
      Record.self, Rides.self,
      Replay.self, Doctor.self,
      Export.self, Plot.self,
    ])

  @OptionGroup var connection: ConnectionOptions

  static func main() async {
    do {
      var command = try parseAsRoot(NegativeNumbers.protected(CommandLine.arguments.dropFirst()))
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      // A command that says why it ends throws nothing but the code.
      guard exitCode(for: error) == .validationFailure, !(error is ExitCode) else { exit(withError: error) }
      StandardError.say(usage(message(for: error)))
      exit(withError: ExitCode.validationFailure)
    }
  }

  /// A misuse in one line, with what to do about it.
  private static func usage(_ message: String) -> String {
    let names = configuration.subcommands.map { "\($0)".lowercased() }
    let command = CommandLine.arguments.dropFirst().first { names.contains($0) }
    let help = (["handlebarctl"] + (command.map { [$0] } ?? []) + ["--help"]).joined(separator: " ")
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    return "\(NegativeNumbers.restored(in: line)); see: \(help)"
  }
}

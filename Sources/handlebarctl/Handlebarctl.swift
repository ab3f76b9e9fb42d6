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
    await main(NegativeNumbers.protected(CommandLine.arguments.dropFirst()))
  }
}

import ArgumentParser
import Glibc
import LocationCore
import Recordings

struct Rides: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the recorded rides and their figures, shows one ride, or removes rides.",
    discussion: """
      Example: handlebarctl rides --dir /var/lib/handlebar/rides

      handlebarctl(1) defines the figures.
      """,
    subcommands: [List.self, Show.self, Remove.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the rides, oldest first.", discussion: "Example: handlebarctl rides --json")

    @Flag(help: "Print one JSON object per ride: metres, seconds, m/s.") var json = false
    @OptionGroup var units: UnitOptions
    @OptionGroup var rides: RecordedRides

    func run() async throws {
      let directory = try await rides.directory()
      let progress = WaitNotice("reading the rides")
      var rows: [RideText.Row] = []
      var isComplete = true
      for ride in try RecordedRides.all(in: directory) {
        do throws(RecordingError) {
          let row = try RideText.Row(ride, in: directory)
          if json { StandardOutput.write(RideText.json(row)) } else { rows.append(row) }
        } catch {
          isComplete = false
          StandardError.say("\(error)")
        }
      }
      progress.end()
      if !rows.isEmpty { StandardOutput.lines(RideText(units: units.units).table(rows)) }
      if !isComplete { throw ExitCode(EX_IOERR) }
      if rows.isEmpty, !json { StandardError.say("no rides in \(directory.path)") }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows a ride: all its figures and its files.",
      discussion: """
        Example: handlebarctl rides show last
                 handlebarctl rides show tour.fit
        """)

    @Argument(
      help: .value("RIDE", "Name of the ride, last, or a recording, log, GPX, TCX or FIT file."),
      completion: Completions.ride)
    var ride: String
    @Flag(help: "Print one JSON object: metres, seconds, m/s.") var json = false
    @OptionGroup var units: UnitOptions
    @OptionGroup var rides: RecordedRides

    func run() async throws {
      let row = try await row()
      if json {
        StandardOutput.write(RideText.json(row))
      } else {
        StandardOutput.lines(RideText(units: units.units).lines(row))
      }
    }

    private func row() async throws -> RideText.Row {
      if let file = try RideInput(file: ride) {
        var sums = RideAccumulator()
        let damages = try file.read { sums.add($0) }
        guard sums.figures.fixes > 0 else { throw file.withoutFix(named: ride) }
        return RideText.Row(file, RideSummary(sums, boot: nil, lastInstant: nil, damages: damages))
      }
      let directory = try await rides.directory()
      let found = try RecordedRides.ride(ride, of: RecordedRides.all(in: directory), in: directory)
      return try CommandError.exiting(EX_IOERR) { try RideText.Row(found, in: directory) }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rm", abstract: "Removes rides permanently.",
      discussion: "Example: handlebarctl rides rm 20260319T123519Z")

    @Argument(help: .value("RIDE", "Names of the rides."), completion: Completions.recordedRide) var names: [String]
    @Flag(help: "Remove even a ride that is being recorded.") var force = false
    @OptionGroup var rides: RecordedRides

    func run() async throws {
      let directory = try await rides.directory()
      let all = try RecordedRides.all(in: directory)
      let found = try names.map { try RecordedRides.ride($0, of: all, in: directory) }
      for ride in found where !force && directory.isInProgress(ride) {
        throw CommandError.exit(
          "the ride \(ride.name.stem) is being recorded; stop it first: handlebarctl record stop, or add --force")
      }
      try CommandError.exiting(EX_IOERR) {
        for ride in found { try directory.remove(ride) }
      }
    }
  }

  @OptionGroup var connection: ConnectionOptions
}

import ArgumentParser
import Glibc
import LocationClient
import Recordings

/// `rides`: the recorded rides and their figures.
struct Rides: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the recorded rides and their figures, shows one ride, or removes rides.",
    discussion: """
      Example: handlebarctl rides --dir /var/lib/handlebar/rides

      handlebarctl(1) defines the figures.
      """,
    subcommands: [List.self, Show.self, Remove.self], defaultSubcommand: List.self)

  /// `rides list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the rides, oldest first.", discussion: "Example: handlebarctl rides --json")

    @Flag(help: "Print one JSON object per ride: metres, seconds, m/s.")
    var json = false

    @OptionGroup var units: UnitOptions
    @OptionGroup var rides: RecordedRides
    @OptionGroup var connection: ConnectionOptions
    @ParentCommand var parent: Rides

    func run() async throws {
      let directory = try await rides.directory(asking: connection.client(after: parent.parent.connection))
      let progress = Progress.start("reading the rides")
      var rows: [RideText.Row] = []
      for ride in try RecordedRides.all(in: directory) {
        do throws(RecordingError) {
          let isInProgress = directory.isInProgress(ride)
          let row = RideText.Row(ride: ride, summary: try directory.summary(of: ride), isInProgress: isInProgress)
          if json { StandardOutput.write(RideText.json(row)) } else { rows.append(row) }
        } catch {
          StandardError.say("\(error)")
        }
      }
      progress.end()
      guard !json else { return }
      guard !rows.isEmpty else { return StandardError.say("no rides in \(directory.path)") }
      for line in RideText(units: units.units).table(rows) { StandardOutput.line(line) }
    }
  }

  /// `rides show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows a ride: all its figures and its files.", discussion: "Example: handlebarctl rides show last")

    @Argument(help: ArgumentHelp("Name of the ride, or last.", valueName: "RIDE"), completion: Completions.recordedRide)
    var ride: String

    @Flag(help: "Print one JSON object: metres, seconds, m/s.")
    var json = false

    @OptionGroup var units: UnitOptions
    @OptionGroup var rides: RecordedRides
    @OptionGroup var connection: ConnectionOptions
    @ParentCommand var parent: Rides

    func run() async throws {
      let directory = try await rides.directory(asking: connection.client(after: parent.parent.connection))
      let found = try RecordedRides.ride(ride, in: directory)
      do throws(RecordingError) {
        let row = RideText.Row(
          ride: found, summary: try directory.summary(of: found), isInProgress: directory.isInProgress(found))
        if json {
          StandardOutput.write(RideText.json(row))
        } else {
          for line in RideText(units: units.units).lines(row, files: directory.files(of: found)) {
            StandardOutput.line(line)
          }
        }
      } catch {
        throw CommandError.exit("\(error)", code: EX_IOERR)
      }
    }
  }

  /// `rides rm`
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rm", abstract: "Removes rides permanently.",
      discussion: "Example: handlebarctl rides rm 20260319T123519Z")

    @Argument(help: ArgumentHelp("Names of the rides.", valueName: "RIDE"), completion: Completions.recordedRide)
    var names: [String]

    @Flag(help: "Remove even a ride that is being recorded.")
    var force = false

    @OptionGroup var rides: RecordedRides
    @OptionGroup var connection: ConnectionOptions
    @ParentCommand var parent: Rides

    func run() async throws {
      let directory = try await rides.directory(asking: connection.client(after: parent.parent.connection))
      let all = try RecordedRides.all(in: directory)
      let found = try names.map { try RecordedRides.ride($0, of: all, in: directory) }
      for ride in found where !force && directory.isInProgress(ride) {
        throw CommandError.exit(
          "the ride \(ride.name.stem) is being recorded; stop it first: handlebarctl record stop, or add --force")
      }
      do throws(RecordingError) {
        for ride in found { try directory.remove(ride) }
      } catch {
        throw CommandError.exit("\(error)", code: EX_IOERR)
      }
    }
  }

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var parent: Handlebarctl
}

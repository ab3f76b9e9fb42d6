import ArgumentParser
import Glibc
import LocationClient
import Recordings

/// `rides`: the recorded rides and their figures.
struct Rides: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists recorded rides with their figures, shows one, or removes some.",
    discussion: """
      Example: handlebarctl rides --dir /var/lib/handlebar/rides

      Figures are those of the unfiltered fixes. A stop is a speed below 0.5 m/s for 2 s, dated to where the speed reaches 0; distance is the integral \
      of the receiver's speed over the moving time, average is distance by moving time; climbs of 10 m and more count; a gap is longer than 3 s.
      """,
    subcommands: [List.self, Show.self, Remove.self], defaultSubcommand: List.self)

  /// `rides list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the rides, oldest first.", discussion: "Example: handlebarctl rides --json")

    @Flag(help: "One JSON object per ride: metres, seconds, m/s.")
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
      guard !rows.isEmpty else { return StandardError.say("there is no ride in \(directory.path)") }
      for line in RideText(units: units.units).table(rows) { StandardOutput.line(line) }
    }
  }

  /// `rides show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows all figures and files of a ride.", discussion: "Example: handlebarctl rides show last")

    @Argument(help: ArgumentHelp("Name of the ride, or last.", valueName: "RIDE"))
    var ride: String

    @Flag(help: "One JSON object: metres, seconds, m/s.")
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

    @Argument(help: ArgumentHelp("Names of the rides.", valueName: "RIDE"))
    var names: [String]

    @Flag(help: "Remove even a ride that is being recorded.")
    var force = false

    @OptionGroup var rides: RecordedRides
    @OptionGroup var connection: ConnectionOptions
    @ParentCommand var parent: Rides

    func run() async throws {
      let directory = try await rides.directory(asking: connection.client(after: parent.parent.connection))
      var found: [Ride] = []
      for name in names { found.append(try RecordedRides.ride(name, in: directory)) }
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

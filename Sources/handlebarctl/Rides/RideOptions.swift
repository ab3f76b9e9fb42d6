import ArgumentParser
import Glibc
import LocationCore
import LocationClient
import Recordings

/// Which ride a command reads.
struct RideOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A recording or log, the name of a recorded ride or last, or - for standard input.", valueName: "RIDE"))
  var ride: String

  @OptionGroup var rides: RecordedRides
  @OptionGroup var connection: ConnectionOptions

  /// Finds it: a file goes before a ride of that name. The daemon is asked only for where rides are.
  func input(after parent: ConnectionOptions) async throws -> RideInput {
    if let file = try RideInput(file: ride) { return file }
    guard ride == "last" || RideName.parse(file: ride + ".nmea")?.part == 1 else {
      throw CommandError.exit(
        "there is no file \(ride.printable), and it is no ride's name; see which there are: handlebarctl rides",
        code: EX_NOINPUT)
    }
    let directory = try await rides.directory(asking: connection.client(after: parent))
    return RideInput(try RecordedRides.ride(ride, in: directory), in: directory)
  }

  /// Reads it from the beginning to the end. What was damaged is told once, by whoever reads it last.
  func read(_ input: borrowing RideInput, tellsDamage: Bool = true, _ body: (RideMoment) throws -> Void) throws {
    var reader = try input.reader()
    var progress = RideProgress()
    defer { progress.end() }
    while try advance(&reader) {
      for index in reader.moments.indices { try body(reader.moments[index]) }
      progress.advance(reader.moments.count)
    }
    guard tellsDamage, reader.damage.total > 0 else { return }
    progress.end()
    let count = reader.damage.total
    StandardError.say("\(count) damaged \(count == 1 ? "place" : "places") of the recording skipped; the rest is whole")
  }

  /// What a ride without a position ends the command with.
  func withoutFix(_ input: borrowing RideInput) -> ExitCode {
    CommandError.exit(
      "\(input.title.printable) has no fix; 'handlebarctl decode \(ride.printable)' shows what is in it",
      code: EX_DATAERR)
  }

  private func advance(_ reader: inout RideReader) throws(ExitCode) -> Bool {
    do throws(RecordingError) {
      return try reader.advance()
    } catch {
      throw RideInput.exit(error)
    }
  }
}

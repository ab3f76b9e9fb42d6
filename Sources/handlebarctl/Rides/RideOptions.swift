import ArgumentParser
import Glibc
import LocationCore
import Recordings

/// Which ride a command reads.
struct RideOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("A recording or log, the name of a ride in the record directory, or - for standard input.", valueName: "RIDE"))
  var ride: String

  @Option(help: ArgumentHelp("The record directory (default: $HANDLEBAR_RECORD).", valueName: "DIR"))
  var rides: String?

  /// Finds it.
  func input() throws -> RideInput {
    try RideInput(ride, directory: rides)
  }

  /// Reads it from the beginning to the end. What was damaged is told once, by whoever reads it last.
  func read(_ input: borrowing RideInput, tellsDamage: Bool = true, _ body: (RideMoment) throws -> Void) throws {
    var reader = try input.reader()
    var progress = RideProgress()
    defer { progress.end() }
    while let moment = try next(&reader) {
      try body(moment)
      progress.advance()
    }
    guard tellsDamage, reader.damage.total > 0 else { return }
    progress.end()
    let count = reader.damage.total
    StandardError.say("\(count) damaged \(count == 1 ? "place" : "places") of the recording skipped; the rest is whole")
  }

  /// What a ride without a position ends the command with.
  func withoutFix(_ input: borrowing RideInput) -> ExitCode {
    CommandError.exit(
      "\(input.title.printable) has no fix; 'handlebarctl decode \(ride.printable)' shows what is in it", code: EX_DATAERR)
  }

  private func next(_ reader: inout RideReader) throws(ExitCode) -> RideMoment? {
    do throws(RecordingError) {
      return try reader.next()
    } catch {
      throw RideInput.exit(error)
    }
  }
}

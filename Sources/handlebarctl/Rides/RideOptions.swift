import ArgumentParser
import Glibc
import LocationClient
import LocationCore
import Recordings

struct RideOptions: ParsableArguments {
  @Argument(
    help: .value("RIDE", "A recording or log, the name of a ride, last for the newest ride, or - for standard input."),
    completion: Completions.ride)
  var ride: String

  @OptionGroup var rides: RecordedRides

  /// Opens it: a file takes precedence over a ride of that name. Only the directory of rides may need the daemon.
  func input() async throws -> RideInput {
    if let file = try RideInput(file: ride) { return file }
    guard ride == "last" || RideName.parse(file: ride + ".nmea")?.part == 1 else {
      throw CommandError.exit(
        "\(ride.printable) is neither a file nor a ride; list the rides: handlebarctl rides", code: EX_NOINPUT)
    }
    let directory = try await rides.directory()
    return RideInput(try RecordedRides.ride(ride, of: RecordedRides.all(in: directory), in: directory), in: directory)
  }

  /// Reads it from start to end. A command that reads it twice reports damage once.
  func read(_ input: borrowing RideInput, reportsDamage: Bool = true, _ body: (RideMoment) throws -> Void) throws {
    var reader = try input.reader()
    var progress = ReadingProgress()
    var moments = 0
    defer { progress.end() }
    while try CommandError.exiting({ () throws(RecordingError) in try reader.advance() }) {
      for index in reader.moments.indices { try body(reader.moments[index]) }
      moments += reader.moments.count
      progress.report("\(moments) fixes")
    }
    guard reportsDamage, reader.damage.total > 0 else { return }
    progress.end()
    let places = reader.damage.total == 1 ? "place" : "places"
    StandardError.say("\(reader.damage.total) damaged \(places) of the recording skipped")
  }

  func withoutFix(_ input: borrowing RideInput) -> ExitCode {
    CommandError.exit(
      "\(input.title.printable) has no fix; show its contents: handlebarctl decode \(ride.printable)", code: EX_DATAERR)
  }
}

struct RecordedRides: ParsableArguments {
  @Option(
    help: .value("DIR", "Directory of the rides (default: $HANDLEBAR_RECORD, else the daemon's)."),
    completion: .directory)
  var dir: String?

  @OptionGroup var connection: ConnectionOptions

  /// The directory, which must exist.
  func directory() async throws(ExitCode) -> RideDirectory {
    try await Self.directory(dir, asking: connection.client)
  }

  /// That directory, or the default of the option of that name.
  static func directory(
    _ dir: String?, option: String = "--dir", asking client: LocationClient
  ) async throws(ExitCode) -> RideDirectory {
    var path = dir ?? Environment["HANDLEBAR_RECORD"]
    if path == nil {
      do throws(LocationClientError) {
        path = try await client.recording().directory
      } catch {
        throw CommandError.exit(
          "the directory of the rides is unknown (\(error)); name it: \(option) DIR", code: EX_USAGE)
      }
    }
    guard let path else {
      throw CommandError.exit("the daemon has no directory for rides; name one: \(option) DIR", code: EX_USAGE)
    }
    return try CommandError.exiting(EX_NOINPUT) { () throws(RecordingError) in try RideDirectory(existing: path) }
  }

  static func all(in directory: RideDirectory) throws(ExitCode) -> [Ride] {
    try CommandError.exiting(EX_NOINPUT) { () throws(RecordingError) in try directory.ridesInOrder() }
  }

  /// The ride of that name; `last` is the newest.
  static func ride(_ name: String, of rides: [Ride], in directory: RideDirectory) throws(ExitCode) -> Ride {
    let ride = name == "last" ? rides.last : rides.first { $0.name.stem == name }
    if let ride { return ride }
    throw CommandError.exit(
      "there is no ride \(name.printable) in \(directory.path); list the rides: handlebarctl rides --dir \(directory.path)",
      code: EX_NOINPUT)
  }
}

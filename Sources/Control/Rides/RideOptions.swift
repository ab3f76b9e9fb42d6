import ArgumentParser
import Glibc
import LocationClient
import LocationCore
import Recordings
import RideTools

struct RideOptions: ParsableArguments {
  @Argument(
    help: .value("RIDE", "A recording, log, GPX, TCX or FIT file, the name of a ride, last for the newest, or -."),
    completion: Completions.ride)
  var ride: String

  @Option(help: .value("M", "Leave out everything within this many metres of the ride's start and end."))
  var trim: DecimalArgument?
  @OptionGroup var rides: RecordedRides

  func validate() throws {
    if let trim, !(1...100_000).contains(trim.value) { throw ValidationError("--trim must be 1 to 100000 metres") }
  }

  /// What leaves out the surroundings of both ends and the zones of this person; `nil` if there are none.
  func privacy(_ input: borrowing RideInput) throws -> PrivacyFilter? {
    var zones = try ZoneFile.zones()
    if let trim {
      var ends = RideEnds()
      try input.read(reportsDamage: false) { ends.add($0) }
      zones += ends.zones(radius: trim.value)
    }
    return zones.isEmpty ? nil : PrivacyFilter(zones)
  }

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

  /// Why nothing of the ride is left: it has no fix, none with a date where that is needed, or all are trimmed away.
  func withoutFix(_ input: borrowing RideInput, needsDate: Bool = false) -> ExitCode {
    var (fixes, dated) = (0, 0)
    _ = try? input.read(reportsDamage: false) { moment in
      guard case .fix(let fix) = moment else { return }
      fixes += 1
      if fix.fix.measured != nil { dated += 1 }
    }
    if fixes == 0 { return input.withoutFix(named: ride) }
    if needsDate, dated == 0 {
      return CommandError.exit(
        "no fix of \(input.title.printable) has a date, which this format needs; use --gpx or --csv", code: EX_DATAERR)
    }
    return CommandError.exit(
      "all fixes of \(input.title.printable) are in a zone or trimmed away; use a smaller --trim", code: EX_DATAERR)
  }
}

struct RecordedRides: ParsableArguments {
  @Option(
    help: .value("DIR", "Directory of the rides (default: $HANDLEBAR_RECORD, else the daemon's)."),
    completion: .directory)
  var dir: String?

  @OptionGroup var connection: ConnectionOptions

  func directory() async throws(ExitCode) -> RideDirectory {
    try await Self.directory(dir, asking: connection.client)
  }

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
    return try CommandError.exiting(EX_NOINPUT) { try RideDirectory(existing: path) }
  }

  static func all(in directory: RideDirectory) throws(ExitCode) -> [Ride] {
    try CommandError.exiting(EX_NOINPUT) { try directory.ridesInOrder() }
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

/// The zones of this person, in which no ride is exported or drawn: a line for each with latitude, longitude, and
/// radius in metres, in `$HANDLEBAR_ZONES`, else in `handlebar/zones` of the user's configuration directory.
enum ZoneFile {
  private static let largest = 65_536

  static func zones() throws(ExitCode) -> [PrivacyZone] {
    let named = Environment["HANDLEBAR_ZONES"]
    let folder = Environment["XDG_CONFIG_HOME"] ?? Environment["HOME"].map { $0 + "/.config" }
    guard let path = named ?? folder.map({ $0 + "/handlebar/zones" }) else { return [] }
    let bytes = try CommandError.exiting { () throws(RecordingError) in
      try RecordingFile.contents(of: path, limit: largest, followsLinks: true)
    }
    guard let bytes else {
      guard named != nil else { return [] }
      throw CommandError.exit(RecordingError(.open, path, code: ENOENT))
    }
    var zones: [PrivacyZone] = []
    let lines = String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
      guard !words.isEmpty else { continue }
      let numbers = words.compactMap { DecimalArgument(argument: $0)?.value }
      guard words.count == 3, numbers.count == 3, numbers[2] > 0,
        let centre = Coordinate(latitude: numbers[0], longitude: numbers[1])
      else {
        throw CommandError.exit(
          "\(path.printable):\(index + 1): a zone is latitude, longitude and radius in metres, for example: 48.137 11.575 300",
          code: EX_CONFIG)
      }
      zones.append(PrivacyZone(centre: centre, radius: numbers[2]))
    }
    return zones
  }
}

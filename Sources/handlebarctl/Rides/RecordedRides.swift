import ArgumentParser
import Glibc
import LocationClient
import Recordings

/// Where recorded rides are.
struct RecordedRides: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Directory of the rides (default: $HANDLEBAR_RECORD, else the one that the daemon records into).",
      valueName: "DIR"))
  var dir: String?

  /// The directory, which must be there.
  func directory(asking client: LocationClient) async throws(ExitCode) -> RideDirectory {
    StandardOutput.prepare()
    var path = dir ?? Environment.record
    if path == nil {
      do throws(LocationClientError) {
        path = try await client.recording().directory
      } catch {
        throw CommandError.exit("no directory of rides is known (\(error)); name it: --dir DIR", code: EX_USAGE)
      }
    }
    guard let path else {
      throw CommandError.exit("the daemon records no rides; name their directory: --dir DIR", code: EX_USAGE)
    }
    do throws(RecordingError) {
      return try RideDirectory(existing: path)
    } catch {
      throw CommandError.exit("\(error)", code: EX_NOINPUT)
    }
  }

  /// The rides, the oldest first.
  static func all(in directory: RideDirectory) throws(ExitCode) -> [Ride] {
    do throws(RecordingError) {
      return try directory.ridesInOrder()
    } catch {
      throw CommandError.exit("\(error)", code: EX_NOINPUT)
    }
  }

  /// The ride of that name; `last` is the newest.
  static func ride(_ name: String, in directory: RideDirectory) throws(ExitCode) -> Ride {
    do throws(RecordingError) {
      let ride = name == "last" ? try directory.ridesInOrder().last : try directory.ride(named: name)
      if let ride { return ride }
    } catch {
      throw CommandError.exit("\(error)", code: EX_NOINPUT)
    }
    throw CommandError.exit(
      "there is no ride \(name.printable) in \(directory.path); see which there are: handlebarctl rides",
      code: EX_NOINPUT)
  }

  private enum Environment {
    static var record: String? {
      guard let value = getenv("HANDLEBAR_RECORD"), value.pointee != 0 else { return nil }
      return String(cString: value)
    }
  }
}

import ArgumentParser
import Glibc
import LocationClient
import Recordings

/// `replay`: plays recordings through a daemon of its own.
struct Replay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays recordings, NMEA logs, gpsd logs or GPX files like a live receiver.",
    discussion: """
      Example: handlebarctl replay --speed 10 recordings/city.nmea

      Starts a handlebard that plays the files in order and stops after the last one. With --socket, every program that connects to that path \
      receives the ride. On a terminal, space pauses, left and right seek 10 s, + and - change the speed, and q quits. Otherwise the output is one TPV \
      line per fix.
      """)

  @Argument(help: ArgumentHelp("Files to play, in this order.", valueName: "FILE"), completion: .file())
  var files: [String]

  @Option(help: ArgumentHelp("Times real time, 0.1 to 1000, or max.", valueName: "N"))
  var speed = "1"

  @Flag(help: "Start again at the end.")
  var loop = false

  @OptionGroup var units: UnitOptions
  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var parent: Handlebarctl

  func validate() throws {
    switch ReplaySpeed(text: speed) {
    case .times(let multiple)? where multiple >= 0.1: break
    case .max?:
      if loop { throw ValidationError("--loop at full speed would never end; use --speed up to 1000") }
    default: throw ValidationError("--speed must be 0.1 to 1000, or max")
    }
  }

  func run() async throws {
    StandardOutput.prepare()
    for file in files {
      do throws(RecordingError) {
        _ = try RecordingReader.format(ofFileAt: file)
      } catch {
        throw CommandError.exit("\(error)", code: error.reason == .unknownFormat ? EX_DATAERR : EX_NOINPUT)
      }
    }
    let uri = ReplayURI.text(files: files, speed: speed, loops: loop)
    let code: Int32
    do throws(ReplayDaemon.Failure) {
      let daemon = try ReplayDaemon(source: uri, socket: connection.socket ?? parent.connection.socket)
      code = try await ReplaySession(daemon: daemon, units: units.units).run()
    } catch {
      throw CommandError.exit(error.message, code: error.code)
    }
    if code != 0 { throw ExitCode(code) }
  }
}

import ArgumentParser
import Glibc
import LocationClient
import Recordings

/// `replay`: plays recordings as if the receiver spoke now, with a daemon of its own.
struct Replay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays recordings, NMEA logs, gpsd dumps or GPX files as if the receiver spoke now.",
    discussion: """
      Example: handlebarctl replay --speed 10 recordings/city.nmea

      A handlebard of its own plays the files in their order and ends with them. With --socket every program that connects there \
      sees the ride. On a terminal: space pauses, left and right seek 10 s, + and - change the speed, q quits. Where the output is no terminal it is \
      one TPV line a fix.
      """)

  @Argument(help: ArgumentHelp("What to play, in this order.", valueName: "FILE"))
  var files: [String]

  @Option(help: ArgumentHelp("Times real time, 0.1 to 1000, or max: as fast as it goes.", valueName: "N"))
  var speed = "1"

  @Flag(help: "Begin again at the end.")
  var loop = false

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var parent: Handlebarctl

  func validate() throws {
    switch ReplaySpeed(text: speed) {
    case .times(let multiple)? where multiple >= 0.1: break
    case .max?:
      if loop { throw ValidationError("--loop at full speed would never end; use --speed up to 1000") }
    default: throw ValidationError("--speed is 0.1 to 1000, or max")
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
    let daemon: ReplayDaemon
    do throws(ReplayDaemon.Failure) {
      daemon = try ReplayDaemon(source: uri, socket: connection.socket ?? parent.connection.socket)
    } catch {
      throw CommandError.exit(error.message, code: error.code)
    }
    defer { daemon.stop() }
    let code = await ReplaySession(daemon: daemon).run()
    daemon.stop()
    if code != 0 { throw ExitCode(code) }
  }
}

import ArgumentParser
import GPSDProtocol

struct Replay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays recordings, NMEA logs, gpsd logs, GPX, TCX or FIT files like a live receiver.",
    discussion: """
      Example: handlebarctl replay --speed 10 recordings/city.nmea

      Starts a handlebard that plays the files in order and stops after the last one. With --socket, every program that connects to that path \
      receives the ride. On a terminal, space pauses, left and right seek 10 s, + and - change the speed, and q quits. Otherwise the output is one TPV \
      line per fix.
      """)

  @Argument(help: .value("FILE", "Files to play, in this order."), completion: .file()) var files: [String]
  @Option(help: .value("N", "Times real time, 0.1 to 1000, or max.")) var speed = "1"
  @Flag(help: "Start again at the end.") var loop = false
  @OptionGroup var options: ReportOptions

  func validate() throws {
    switch PlaybackSpeed(text: speed) {
    case .times?: break
    case .max?:
      if loop { throw ValidationError("--loop at full speed would never end; use --speed up to 1000") }
    case nil: throw ValidationError("--speed must be 0.1 to 1000, or max")
    }
  }

  func run() async throws {
    let uri = try ReplayURI.text(ofReadable: files, speed: speed, loops: loop)
    let daemon = try ReplayDaemon(source: uri, socket: options.connection.socket)
    let code = try await ReplaySession(daemon: daemon, units: options.units).run()
    if code != 0 { throw ExitCode(code) }
  }
}

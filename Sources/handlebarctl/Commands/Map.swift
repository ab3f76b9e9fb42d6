import ArgumentParser
import Glibc
import LocationClient
import MapServer
import Recordings
import Subprocess

struct Map: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the ride on a map in a browser, without the internet.",
    discussion: """
      Example: handlebarctl map --tiles bavaria.mbtiles --open

      Prints the address of the page and serves it until Ctrl-C. The page shows the rider, the trail, speed, altitude, satellites, source and targets, \
      and follows the rider until the map is dragged away; it controls a recording that plays. At most 16 pages are served at a time.

      Only this machine can open the page, any of its users. With --listen and another address, other machines can as well; the printed address then has \
      a token that they need, new at every start. The connection is not encrypted. The page requires libjs-leaflet, and MBTiles files libsqlite3-0.

      Prometheus reads the daemon's status and counters at /metrics, with the token as a parameter if there is one.
      """)

  @Option(help: .value("HOST:PORT", "Address and port of the page; port 0 is any free one."))
  var listen = "127.0.0.1:8480"

  @Option(
    help: .value(
      "PATH", "Map images: an MBTiles file, or a directory with files zoom/x/y.png. Without them the page shows a grid."
    ),
    completion: .file())
  var tiles: String?

  @Option(
    help: .value("FILE", "Play this recording instead, in a handlebard of its own, as replay does."),
    completion: .file())
  var ride: String?

  @Flag(help: "Open the page in the browser.") var open = false
  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard HostAddress(listen) != nil else {
      throw ValidationError("--listen must be HOST:PORT, such as 192.168.1.7:8480 or [::1]:8480")
    }
  }

  func run() async throws {
    let code: Int32
    do {
      // A signal ends the program while a file is examined.
      let tiles = try tiles.map { path throws(MapTiles.Failure) in try MapTiles(path: path) }
      let input = TerminalInput(hasKeys: false, signals: [SIGINT, SIGTERM, SIGHUP])
      if let ride {
        let uri = try ReplayURI.text(ofReadable: [ride], speed: "1", loops: false)
        let daemon = try ReplayDaemon(source: uri, socket: connection.socket)
        let server = try await start(.unix(path: daemon.socket), tiles)
        code = try await daemon.run { child, log in
          guard await daemon.waitUntilListening(child) else { return .daemonEnded }
          return await announcing(server) { await wait(input, log: log) }
        }
      } else {
        let server = try await start(connection.client.endpoint, tiles)
        code = await announcing(server) { await input.nextSignal() + 128 }
      }
    } catch let error as MapTiles.Failure {
      throw CommandError.exit("\(error)", code: error == .noLibrary ? EX_UNAVAILABLE : EX_NOINPUT)
    } catch let error as MapServer.Failure {
      let isInstalled = if case .noLeaflet = error { false } else { true }
      throw CommandError.exit("\(error)", code: isInstalled ? EX_OSERR : EX_UNAVAILABLE)
    }
    throw ExitCode(code)
  }

  private func start(_ endpoint: Endpoint, _ tiles: MapTiles?) async throws -> MapServer {
    guard let address = HostAddress(listen) else { throw ExitCode.validationFailure }
    return try await MapServer.start(on: address, daemon: endpoint, tiles: tiles)
  }

  /// Prints the address of the page, and opens it until `body` returns.
  private func announcing<Value>(_ server: MapServer, _ body: () async -> Value) async -> Value {
    StandardOutput.line(server.url)
    guard open else { return await body() }
    // Every user can read the arguments of a process.
    let file = server.hasToken ? Self.makeRedirection(to: server.url) : nil
    defer { if let file { unlink(file) } }
    Task {
      let page = server.hasToken ? file : server.url
      if let page,
        (try? await Subprocess.run(
          .name("xdg-open"), arguments: [page], input: .none, output: .discarded, error: .discarded)) != nil
      {
        return
      }
      StandardError.say("cannot start a browser with xdg-open; open \(server.url)")
    }
    return await body()
  }

  /// Makes a page that only this user can read and that leads to an address; `nil` where none can be made.
  private static func makeRedirection(to url: String) -> String? {
    let path = "\(Environment.temporaryDirectory)/handlebar-map-\(UInt64.random(in: .min ... .max)).html"
    let page = """
      <!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
      <meta http-equiv="refresh" content="0; url=\(url)"><title>Ride</title>

      """
    guard (try? RecordingFile.replace(path, with: Array(page.utf8), mode: 0o600, isDurable: false)) != nil else {
      return nil
    }
    return path
  }

  /// Passes on the daemon's log until it ends or a signal arrives.
  private func wait(
    _ input: TerminalInput, log: SubprocessOutputSequence.StringSequence<UTF8>
  ) async -> ReplayDaemon.Outcome {
    await withTaskGroup(of: ReplayDaemon.Outcome.self) { group in
      group.addTask {
        do {
          for try await line in log { StandardError.write(line.printable + "\n") }
        } catch {}
        return .daemonEnded
      }
      group.addTask { .code(await input.nextSignal() + 128) }
      defer { group.cancelAll() }
      return await group.next() ?? .daemonEnded
    }
  }
}

import ArgumentParser
import Glibc
import Libc
import LocationClient
import LocationCore
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
      a token that they need, and pages control the recording, trips, courses and targets. The token is kept in the state directory, so that a bookmark works after a \
      restart. On a terminal the address is also shown as a QR code if qrencode is installed. The connection is not encrypted. The page requires \
      libjs-leaflet, and MBTiles files libsqlite3-0.

      With --kiosk the page fills the screen, in chromium or firefox, which is started again when it crashes. It has an address of its own, so that the \
      service or another map can run beside it, and begins in the size for riding. A size that is chosen on the page is kept in the browser, and comes \
      before --riding and --reading. If the tiles cannot be read, the page says so.

      Prometheus reads the daemon's status and counters at /metrics, with the token as a parameter if there is one.
      """)

  @Option(
    help: .value(
      "HOST:PORT",
      "Address and port of the page; port 0 is any free one (default: 127.0.0.1:8480, with --kiosk 127.0.0.1:8481)."))
  var listen: String?

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
  @Flag(help: "Open the page in a browser that fills the screen, until it is closed.") var kiosk = false
  @Flag(help: "Begin with figures and buttons for riding; with --kiosk the default.") var riding = false
  @Flag(help: "Begin with figures and buttons for reading; otherwise the default.") var reading = false
  @Flag(help: "Replace the token: addresses and bookmarks with the old one no longer work.") var newToken = false
  @Flag(help: "Print the address of handlebar-map.service and exit.") var address = false
  @OptionGroup var connection: ConnectionOptions

  private var listeningAddress: String { listen ?? (kiosk ? "127.0.0.1:8481" : "127.0.0.1:8480") }

  func validate() throws {
    guard NetworkAddress(inURL: listeningAddress) != nil else {
      throw ValidationError("--listen must be HOST:PORT, such as 192.168.1.7:8480 or [::1]:8480")
    }
    if kiosk, open { throw ValidationError("--kiosk and --open exclude each other") }
    if riding, reading { throw ValidationError("--riding and --reading exclude each other") }
    if address, kiosk || open || riding || reading || ride != nil || tiles != nil {
      throw ValidationError("--address goes with --listen and --new-token only")
    }
  }

  func run() async throws {
    if address { return try await printServiceAddress() }
    let code: Int32
    do {
      // A signal ends the program while a file is examined.
      let tiles = tiles.map { path in Result { () throws(MapFailure) in try MapTiles(path: path) } }
      // Who stands before a kiosk sees the page alone: it says what is wrong.
      if !kiosk { _ = try tiles?.get() }
      let input = TerminalInput(hasKeys: false, signals: [SIGINT, SIGTERM, SIGHUP])
      if let ride {
        let uri = try ReplayURI.text(ofReadable: [ride], speed: "1", loops: false)
        let daemon = try ReplayDaemon(source: uri, socket: connection.socket)
        let server = try await start(.unix(path: daemon.socket), tiles)
        code = try await daemon.run { child, log in
          guard await daemon.waitUntilListening(child) else { return .daemonEnded }
          return await show(server, input, log: log)
        }
      } else {
        let server = try await start(connection.client.endpoint, tiles)
        let outcome = await show(server, input)
        code = if case .code(let code) = outcome { code } else { EX_SOFTWARE }
      }
    } catch let error as MapFailure {
      let code =
        switch error {
        case .notInstalled: EX_UNAVAILABLE
        case .tiles: EX_NOINPUT
        case .listener: EX_OSERR
        }
      throw CommandError.exit("\(error)", code: code)
    }
    throw ExitCode(code)
  }

  private func start(_ endpoint: Endpoint, _ tiles: Result<MapTiles, MapFailure>?) async throws -> MapServer {
    guard let address = NetworkAddress(inURL: listeningAddress) else { throw ExitCode.validationFailure }
    if kiosk, Browser.kiosk == nil {
      throw CommandError.exit(
        "there is no chromium or firefox; install one: sudo apt-get install chromium", code: EX_UNAVAILABLE)
    }
    let passed = PassedSockets.take { Environment[$0] }.first
    return try await MapServer.start(
      on: passed.map { .socket($0.descriptor) } ?? .address(address), daemon: endpoint, tiles: tiles,
      alwaysNeedsToken: kiosk, startsRiding: riding || kiosk && !reading,
      secrets: { MapToken.last(isNew: newToken, port: $0) },
      keep: { MapToken.own?.keepSessions($0, port: $1) })
  }

  /// Prints the address of the page, and shows it in a browser, until a signal arrives, a kiosk's browser is closed, or
  /// the daemon's log ends, which is passed on.
  private func show(
    _ server: MapServer, _ input: TerminalInput, log: SubprocessOutputSequence.StringSequence<UTF8>? = nil
  ) async -> ReplayDaemon.Outcome {
    StandardOutput.line(server.url)
    if server.hasToken, !kiosk { await QRCode.print(server.url) }
    let (program, options) = kiosk ? Browser.kiosk ?? ("chromium", []) : ("xdg-open", [])
    let browser = open || kiosk ? Browser(program: program, options: options, showing: server) : nil
    defer { browser?.removeFile() }
    return await withTaskGroup(of: ReplayDaemon.Outcome?.self) { group in
      group.addTask { .code(await input.nextSignal() + 128) }
      if let log {
        group.addTask {
          do {
            for try await line in log { StandardError.write(line.printable + "\n") }
          } catch {}
          return .daemonEnded
        }
      }
      if open || kiosk {
        group.addTask {
          guard await Self.run(browser, isKiosk: kiosk) else {
            StandardError.say("cannot start a browser with \(program); open \(server.url)")
            return nil
          }
          return kiosk ? .code(EXIT_SUCCESS) : nil
        }
      }
      defer { group.cancelAll() }
      while let outcome = await group.next() {
        if let outcome { return outcome }
      }
      return .daemonEnded
    }
  }

  /// Runs a browser, again after each crash of a kiosk's; returns whether it could be started.
  private static func run(_ browser: Browser?, isKiosk: Bool) async -> Bool {
    while let hasSucceeded = await browser?.run() {
      if hasSucceeded || !isKiosk { return true }
      guard (try? await Task.sleep(for: .seconds(1))) != nil else { return true }
    }
    return false
  }

  private func printServiceAddress() async throws {
    let service = MapToken(directory: MapToken.serviceDirectory)
    let port = listen.flatMap { NetworkAddress(inURL: $0)?.port } ?? 8480
    let token: String?
    do throws(RecordingError) {
      token = try await newToken ? service.renew() : service.awaited()
    } catch {
      let remedy = [EACCES, EPERM].contains(error.code) ? "; run as root: sudo handlebarctl map --address" : ""
      throw CommandError.exit("\(error)\(remedy)", code: EX_NOINPUT)
    }
    guard let token else {
      throw CommandError.exit(
        "the map service has no token yet; start it: sudo systemctl enable --now handlebar-map", code: EX_NOINPUT)
    }
    let url = MapServer.url(port: port, token: token)
    StandardOutput.line(url)
    if newToken { StandardError.say("the token is used after: systemctl restart handlebar-map") }
    await QRCode.print(url)
  }
}

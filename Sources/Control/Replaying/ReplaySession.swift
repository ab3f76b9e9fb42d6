import ArgumentParser
import Glibc
import GPSDProtocol
import LocationClient
import RideTools

/// A replay from start to end: its fixes as lines, or its state as a bar with keys.
struct ReplaySession: Sendable {
  private enum Event: Sendable {
    case input(TerminalInput.Event)
    /// The daemon accepts connections; false when it did not in time.
    case listening(Bool)
    case log(String)
    /// The end of its standard error, and so of the daemon.
    case logEnded
    case update(LocationClient.Update)
  }

  private struct Watching {
    var bar: ReplayBar
    var ticks = 0
    var updates: LocationUpdates?
  }

  /// How far the arrows seek, seconds.
  private static let stride = 10.0
  private static let ticksPerRequest = 10

  let daemon: ReplayDaemon
  let units: Units
  private let client: LocationClient
  private let begin = ContinuousClock.now
  private let showsBar = StandardError.isTerminal
  private let printsFixes = !(StandardOutput.isTerminal && StandardError.isTerminal)
  private let input: TerminalInput

  init(daemon: ReplayDaemon, units: Units) {
    self.daemon = daemon
    self.units = units
    client = LocationClient(endpoint: .unix(path: daemon.socket))
    input = TerminalInput(
      hasKeys: StandardError.isTerminal && Terminal.hasKeys, signals: [SIGINT, SIGTERM, SIGHUP, SIGTSTP])
  }

  func run() async throws(ExitCode) -> Int32 {
    try await daemon.run { child, log in
      let (events, inbox) = AsyncStream.makeStream(of: Event.self)
      input.start { inbox.yield(.input($0)) }
      let reading = Task {
        do {
          for try await line in log { inbox.yield(.log(line)) }
        } catch {}
        inbox.yield(.logEnded)
      }
      let waiting = Task { inbox.yield(.listening(await daemon.waitUntilListening(child))) }
      var watching = Watching(bar: ReplayBar(units: units))
      var outcome = ReplayDaemon.Outcome.code(0)
      for await event in events {
        if let end = await handle(event, &watching, inbox) {
          outcome = end
          break
        }
      }
      reading.cancel()
      waiting.cancel()
      watching.updates?.cancel()
      if showsBar, watching.updates != nil {
        show(watching)
        StandardError.write("\n")
      }
      Terminal.restore()
      return outcome
    }
  }

  private var now: Double { (.now - begin) / .seconds(1) }

  /// Handles an event; returns why the replay ends, if it does.
  private func handle(
    _ event: Event, _ watching: inout Watching, _ inbox: AsyncStream<Event>.Continuation
  ) async -> ReplayDaemon.Outcome? {
    switch event {
    case .input(.key(.quit)): return .code(0)
    case .input(.key(let key)): await press(key, &watching)
    case .input(.signal(SIGTSTP)): await suspend(&watching)
    case .input(.signal(let number)): return .code(128 + number)
    case .input(.tick):
      watching.ticks += 1
      if showsBar, watching.updates != nil, watching.ticks % Self.ticksPerRequest == 1 {
        await request(PlaybackRequest(), &watching)
      }
    case .listening(true): start(&watching, inbox)
    case .listening(false):
      StandardError.say("handlebard does not listen on \(daemon.socket); try another path: --socket PATH")
      return .daemonEnded
    case .log(let line): StandardError.write(lineStart + line.printable + "\n")
    case .logEnded: if watching.updates == nil { return .daemonEnded }
    case .update(let update): return handle(update, &watching)
    }
    if watching.updates != nil { show(watching) }
    return nil
  }

  private func start(_ watching: inout Watching, _ inbox: AsyncStream<Event>.Continuation) {
    if input.hasKeys { Terminal.readKeys() }
    if showsBar {
      StandardError.write("listening on \(daemon.socket)\n")
      if input.hasKeys { StandardError.write("space pause, left/right 10 s, +/- speed, q quit\n") }
    }
    let printing: @Sendable (Reply) -> Void = { reply in
      if case .tpv = reply.report { StandardOutput.line(reply.line) }
    }
    let updates = client.updates(Subscription(distanceFilter: 0), eachReply: printsFixes ? printing : nil)
    watching.updates = updates
    Task { for await update in updates { inbox.yield(.update(update)) } }
  }

  private func handle(_ update: LocationClient.Update, _ watching: inout Watching) -> ReplayDaemon.Outcome? {
    switch update {
    case .position(let position): watching.bar.show(position)
    case .playback(let playback):
      watching.bar.show(playback, at: now)
      if playback.isEnded { return .code(0) }
    case .state(let state) where state.error != nil:
      StandardError.say([state.message, state.remedy].compactMap { $0?.printable }.joined(separator: "; "))
      return .code(EX_DATAERR)
    case .disconnected:
      StandardError.say("handlebard ended before the recording did")
      return .daemonEnded
    default: break
    }
    show(watching)
    return nil
  }

  private func press(_ key: TerminalKey, _ watching: inout Watching) async {
    let place = watching.bar.place(at: now)
    switch key {
    case .space: await request(PlaybackRequest(pause: watching.bar.playback?.isPaused != true), &watching)
    case .left: await request(PlaybackRequest(seek: max(0, place - Self.stride)), &watching)
    case .right: await request(PlaybackRequest(seek: place + Self.stride), &watching)
    case .plus, .minus:
      guard let speed = watching.bar.speed(faster: key == .plus) else { return }
      await request(PlaybackRequest(speed: speed), &watching)
    case .quit, .lap: break
    }
  }

  private func request(_ change: PlaybackRequest, _ watching: inout Watching) async {
    do throws(LocationClientError) {
      let report = try await client.playback(
        pause: change.pause, speed: change.speed, seek: change.seek.flatMap { Duration(finiteSeconds: $0) })
      // Subscribers receive the end after the last fix.
      if !report.isEnded { watching.bar.show(report, at: now) }
    } catch {
      guard case .remote(let report) = error else { return }
      StandardError.write("\(lineStart)\(report.message.printable)\n")
    }
  }

  /// ^Z: the replay pauses as long as this program is stopped.
  private func suspend(_ watching: inout Watching) async {
    let wasPaused = watching.bar.playback?.isPaused == true
    await request(PlaybackRequest(pause: true), &watching)
    StandardError.write(lineStart)
    Terminal.restore()
    raise(SIGSTOP)
    if input.hasKeys, Terminal.hasKeys { Terminal.readKeys() }
    if !wasPaused { await request(PlaybackRequest(pause: false), &watching) }
  }

  private var lineStart: String { showsBar ? "\r\u{1B}[K" : "" }

  private func show(_ watching: Watching) {
    guard showsBar else { return }
    StandardError.write(lineStart + watching.bar.line(at: now, width: Terminal.width - 1))
  }
}

import Glibc
import GPSDProtocol
import LocationClient

/// Watches a replay to its end: shows where it stands, and does what the keys say.
struct ReplaySession {
  /// How far the arrows seek, seconds.
  private static let stride = 10.0
  /// Ticks from one look at where it stands to the next.
  private static let ticksPerLook = 10
  /// How long the daemon may take to listen.
  private static let patience = Duration.seconds(10)

  let daemon: ReplayDaemon
  private let client: LocationClient
  private let clock = ContinuousClock()
  private let begin = ContinuousClock.now
  private let showsBar = StandardError.isTerminal
  private let printsFixes = !(StandardOutput.isTerminal && StandardError.isTerminal)
  private let hasKeys = StandardError.isTerminal && RawTerminal.isAvailable

  init(daemon: ReplayDaemon) {
    self.daemon = daemon
    client = LocationClient(endpoint: .unix(path: daemon.socket))
  }

  /// Plays to the end; returns the exit code.
  func run() async -> Int32 {
    let (events, inbox) = AsyncStream.makeStream(of: ReplayEvent.self)
    let signals = SignalInbox.open([SIGINT, SIGTERM, SIGHUP, SIGTSTP])
    ReplayInput(keys: hasKeys, signals: signals, errors: daemon.errors).start { inbox.yield($0) }
    guard await isListening() else {
      if daemon.exitCode == nil { StandardError.say("handlebard does not listen; see what it says with --socket PATH") }
      return await complain(from: events)
    }
    if hasKeys { RawTerminal.begin() }
    if showsBar {
      StandardError.write("listening on \(daemon.socket)\n")
      if hasKeys { StandardError.write("space pause, left/right 10 s, +/- speed, q quit\n") }
    }
    let updates = subscribe()
    let reading = Task { for await update in updates { inbox.yield(.update(update)) } }
    var watching = Watching()
    for await event in events {
      if let code = await take(event, &watching) {
        watching.code = code
        break
      }
    }
    reading.cancel()
    updates.cancel()
    if showsBar { StandardError.write("\r\u{1B}[K" + watching.bar.line(at: now, width: RawTerminal.width - 1) + "\n") }
    RawTerminal.restore()
    return watching.code
  }

  /// What is known of the replay.
  private struct Watching {
    var bar = ReplayBar()
    var ticks = 0
    var code: Int32 = 0
  }

  private var now: Double {
    let (seconds, attoseconds) = (clock.now - begin).components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }

  private func subscribe() -> LocationUpdates {
    let subscription = Subscription(distanceFilter: 0)
    guard printsFixes else { return client.updates(subscription) }
    let opening = Array(#"{"class":"TPV","#.utf8)
    return client.updates(subscription) { line in
      if line.starts(with: opening) { StandardOutput.write(line + [UInt8(ascii: "\n")]) }
    }
  }

  /// Waits until the daemon answers; false when it ends instead.
  private func isListening() async -> Bool {
    let limit = clock.now + Self.patience
    while clock.now < limit {
      if daemon.exitCode != nil { return false }
      if daemon.isListening { return true }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  /// The daemon ended before it played: its own words say why.
  private func complain(from events: AsyncStream<ReplayEvent>) async -> Int32 {
    let limit = clock.now + .seconds(1)
    for await event in events {
      if case .complaint(let line) = event { StandardError.write(line.printable + "\n") }
      if case .silence = event { break }
      if clock.now >= limit { break }
    }
    let code = daemon.exitCode ?? EX_SOFTWARE
    return code == 0 ? EX_SOFTWARE : code
  }

  /// Does what an event asks; returns the exit code at the end.
  private func take(_ event: ReplayEvent, _ watching: inout Watching) async -> Int32? {
    switch event {
    case .key(.quit): return 0
    case .key(let key): await press(key, &watching)
    case .signal(SIGTSTP): await suspend(&watching)
    case .signal(let number): return 128 + number
    case .complaint(let line):
      StandardError.write((showsBar ? "\r\u{1B}[K" : "") + line.printable + "\n")
    case .silence: break
    case .update(let update): return take(update, &watching)
    case .tick:
      watching.ticks += 1
      if showsBar, watching.ticks % Self.ticksPerLook == 1 { await ask(PlaybackRequest(), &watching) }
    }
    show(watching)
    return nil
  }

  private func take(_ update: LocationClient.Update, _ watching: inout Watching) -> Int32? {
    switch update {
    case .position(let position): watching.bar.take(position)
    case .playback(let playback):
      watching.bar.take(playback, at: now)
      if playback.ended { return 0 }
    case .state(let state) where state.error != nil:
      StandardError.say([state.message, state.remedy].compactMap { $0?.printable }.joined(separator: "; "))
      return EX_DATAERR
    case .disconnected:
      StandardError.say("handlebard ended before the recording did")
      return daemon.exitCode.flatMap { $0 == 0 ? nil : $0 } ?? EX_SOFTWARE
    case .connected, .sky, .state, .follow, .arrival, .error: break
    }
    return nil
  }

  private func press(_ key: ReplayKey, _ watching: inout Watching) async {
    let place = watching.bar.place(at: now)
    switch key {
    case .pause: await ask(PlaybackRequest(pause: watching.bar.playback?.paused != true), &watching)
    case .back: await ask(PlaybackRequest(seek: max(0, place - Self.stride)), &watching)
    case .forward: await ask(PlaybackRequest(seek: place + Self.stride), &watching)
    case .faster, .slower:
      guard let speed = watching.bar.speed(faster: key == .faster) else { return }
      await ask(PlaybackRequest(speed: speed), &watching)
    case .quit: break
    }
  }

  private func ask(_ change: PlaybackRequest, _ watching: inout Watching) async {
    do throws(LocationClientError) {
      let report = try await client.playback(pause: change.pause, speed: change.speed, seek: change.seek)
      // The end is told to subscribers, behind the last fix.
      if !report.ended { watching.bar.take(report, at: now) }
    } catch {
      guard case .remote(let report) = error else { return }
      StandardError.write("\r\u{1B}[K\(report.message.printable)\n")
    }
  }

  /// ^Z: the replay waits as long as this program does.
  private func suspend(_ watching: inout Watching) async {
    let wasPaused = watching.bar.playback?.paused == true
    await ask(PlaybackRequest(pause: true), &watching)
    if showsBar { StandardError.write("\r\u{1B}[K") }
    RawTerminal.restore()
    raise(SIGSTOP)
    if hasKeys, RawTerminal.isAvailable { RawTerminal.begin() }
    if !wasPaused { await ask(PlaybackRequest(pause: false), &watching) }
  }

  private func show(_ watching: Watching) {
    guard showsBar else { return }
    StandardError.write("\r\u{1B}[K" + watching.bar.line(at: now, width: RawTerminal.width - 1))
  }
}

import ArgumentParser
import Glibc
import LocationClient
import RideTools

/// `watch` on a terminal: a screen that follows the updates until a key, a signal or the limit ends it.
struct WatchSession {
  private enum Event: Sendable {
    case input(TerminalInput.Event)
    case update(LocationClient.Update)
  }

  let client: LocationClient
  let units: Units
  let limit: Int?
  let note: String?
  private let begin = ContinuousClock.now

  /// Runs to the end; throws the exit code of an error or a signal.
  func run(_ subscription: Subscription) async throws {
    let (events, inbox) = AsyncStream.makeStream(of: Event.self)
    let input = TerminalInput(hasKeys: Terminal.hasKeys, signals: [SIGINT, SIGTERM, SIGHUP, SIGTSTP])
    input.start { inbox.yield(.input($0)) }
    let updates = try client.updates(subscription)
    Task { for await update in updates { inbox.yield(.update(update)) } }
    defer {
      updates.cancel()
      Terminal.restore()
    }
    var screen = WatchScreen(units: units, endpoint: "\(client.endpoint)", note: note?.printable)
    var shown = Shown()
    var positions = 0
    for await event in events {
      switch event {
      case .input(.key(.quit)): return finish(screen)
      case .input(.key(.lap)): beginLap()
      case .input(.key): break
      case .input(.signal(SIGTSTP)):
        Terminal.restore()
        raise(SIGSTOP)
        open(input)
        shown = Shown()
      case .input(.signal(let number)):
        finish(screen)
        throw ExitCode(128 + number)
      case .input(.tick):
        if screen.wasConnected { draw(screen, &shown) }
      case .update(let update):
        if case .connected = update {
          open(input)
          requestStates(inbox)
        }
        if case .disconnected(let error) = update, !screen.wasConnected { throw CommandError.exit(error) }
        screen.show(update, at: now)
        if case .position = update { positions += 1 }
        if positions == limit { return finish(screen) }
      }
    }
  }

  private var now: Double { (.now - begin) / .seconds(1) }

  private func open(_ input: TerminalInput) {
    Terminal.openScreen()
    if input.hasKeys, Terminal.hasKeys { Terminal.readKeys() }
  }

  /// The subscription sends changes only; what holds at its start is requested.
  private func requestStates(_ inbox: AsyncStream<Event>.Continuation) {
    Task {
      if let follow = try? await client.follow(view: "main") { inbox.yield(.update(.follow(follow))) }
      if let playback = try? await client.playback() { inbox.yield(.update(.playback(playback))) }
    }
  }

  /// Begins the next lap of every trip of this user; the screen shows them by their reports.
  private func beginLap() {
    Task { for trip in (try? await client.trips()) ?? [] { _ = try? await client.beginLap(ofTrip: trip.name) } }
  }

  private struct Shown: Equatable {
    var size = TerminalSize()
    var lines: [String] = []
  }

  private func draw(_ screen: WatchScreen, _ shown: inout Shown) {
    let size = TerminalSize.standardOutput
    let next = Shown(size: size, lines: screen.lines(size: size, style: .standardOutput, at: now))
    guard next != shown else { return }
    shown = next
    var text = ""
    for (row, line) in next.lines.enumerated() { text += "\u{1B}[\(row + 1);1H\u{1B}[K\(line)" }
    if next.lines.count < size.rows { text += "\u{1B}[\(next.lines.count + 1);1H\u{1B}[J" }
    StandardOutput.write(Array(text.utf8))
  }

  /// Restores the terminal; the last position remains on it.
  private func finish(_ screen: WatchScreen) {
    Terminal.restore()
    guard let position = screen.position else { return }
    let time = position.time.map { ", \($0.seconds)" } ?? ""
    StandardOutput.line(
      "last position: \(PositionText.text(position.coordinate, position.horizontalAccuracy, units))\(time)")
  }
}

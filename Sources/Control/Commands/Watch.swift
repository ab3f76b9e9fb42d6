import ArgumentParser
import LocationClient
import RideTools
import Synchronization

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows position, speed, heading, accuracy, satellites, source and follow state live.",
    discussion: """
      Example: handlebarctl watch --filter 0 --count 10

      On a terminal it shows a screen that is updated in place; l begins the next lap of the trips, q or Ctrl-C quits. Otherwise it prints a line of at most 80 columns for each fix: UTC, \
      latitude and longitude in degrees, speed, heading in degrees, altitude above mean sea level, 95 % accuracy, 2D or 3D, satellites used/in view, and \
      the reason of the delivery. Events are printed on lines of their own.
      """)

  @Flag(help: "Print the daemon's lines as they are, one JSON object per line.") var json = false

  @Option(
    help: .value("M", "Distance filter in metres; 0 delivers every fix (default: the daemon's; 0 on a terminal)."))
  var filter: DecimalArgument?

  @Option(help: .value("HZ", "With --json: print poses between the fixes, 1 to 60 per second.")) var poses: Int?
  @Option(help: .value("N", "Stop after this many fixes.")) var count: Int?

  /// A line for the foot of the screen, of the program that has started this one.
  @Option(help: .hidden) var note: String?
  @OptionGroup var options: ReportOptions

  func validate() throws {
    if let filter, !WatchRequest.distanceFilters.contains(filter.value) {
      throw ValidationError("--filter must be 0 to 1000000 metres")
    }
    if let poses {
      if !json { throw ValidationError("--poses needs --json") }
      if !(1...60).contains(poses) { throw ValidationError("--poses must be a number from 1 to 60") }
    }
    if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
  }

  func run() async throws {
    let client = options.connection.client
    var subscription = Subscription(distanceFilter: filter?.value)
    subscription.poses = poses
    subscription.includesCourse = true
    if json {
      try await printJSON(client, subscription)
    } else if Terminal.hasScreen {
      subscription.distanceFilter = filter?.value ?? 0
      try await WatchSession(client: client, units: options.units, limit: count, note: note).run(subscription)
    } else {
      try await printLines(try client.updates(subscription))
    }
  }

  private func printLines(_ updates: LocationUpdates) async throws {
    var lines = WatchLines(units: options.units)
    var shown = 0
    for await update in updates {
      if case .disconnected(let error) = update { try Self.checkConnection(error, wasConnected: lines.wasConnected) }
      StandardOutput.lines(lines.lines(update))
      guard case .position = update else { continue }
      shown += 1
      if shown == count { return }
    }
  }

  private func printJSON(_ client: LocationClient, _ subscription: Subscription) async throws {
    let lines = LineCount(limit: count)
    // Written on the connection's thread: no line is dropped, however slow the reader of this output is.
    let updates = client.updates(subscription) { reply in
      if lines.admits(reply.report) { StandardOutput.line(reply.line) }
    }
    var wasConnected = false
    for await update in updates {
      if lines.isFull { return }
      switch update {
      case .connected: wasConnected = true
      case .disconnected(let error): try Self.checkConnection(error, wasConnected: wasConnected)
      default: break
      }
    }
  }

  /// Ends the command if no daemon was ever connected; otherwise reports that it waits for the daemon to return.
  private static func checkConnection(_ error: LocationClientError, wasConnected: Bool) throws {
    guard wasConnected else { throw CommandError.exit(error) }
    StandardError.say("\(error); waiting for it to return")
  }
}

/// `watch` without a terminal: a header, then a line for each position and each event.
struct WatchLines {
  let units: Units
  private(set) var wasConnected = false
  private(set) var sky: SkyReport?
  private(set) var trips: [String: TripReport.State] = [:]
  private(set) var course: CourseReport?
  /// The newest state; one in which only the numbers of signals differ has no line.
  private(set) var state: StateReport?

  mutating func lines(_ update: LocationClient.Update) -> [String] {
    let table = PositionTable(units: units)
    switch update {
    case .connected:
      defer { wasConnected = true }
      return wasConnected ? [] : [table.header]
    case .position(let position): return [table.row(position, sky: sky)]
    case .sky(let sky):
      self.sky = sky
      return []
    case .trip(let trip): if trips.updateValue(trip.state, forKey: trip.name) == trip.state { return [] }
    case .course(let new):
      let old = exchange(&course, with: new)
      if old?.name == new.name, old?.state == new.state { return [] }
    case .state(let new):
      let old = exchange(&state, with: new)
      if new.reason == .searching, old?.reason == .searching, old?.phase == new.phase, new.leadReason == nil,
        old?.isEstimating == new.isEstimating,
        old.map({ ReportText.interference($0) == ReportText.interference(new) }) == true
      {
        return []
      }
    case .disconnected:
      (sky, state) = (nil, nil)
      return []
    default: break
    }
    return ReportText(units: units).line(update)?.wrapped(80) ?? []
  }
}

/// Counts positions among a daemon's lines, on the connection's thread.
private final class LineCount: Sendable {
  private let remaining: Mutex<Int>

  init(limit: Int?) { remaining = Mutex(limit ?? .max) }
  var isFull: Bool { remaining.withLock { $0 == 0 } }

  func admits(_ report: Report) -> Bool {
    remaining.withLock { remaining in
      guard remaining > 0 else { return false }
      if case .tpv(let tpv) = report, tpv.mode != 1 { remaining -= 1 }
      return true
    }
  }
}

import ArgumentParser
import LocationClient
import Synchronization

/// `watch`: what a subscriber hears, live.
struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows positions, satellites, source and follow state as they come.",
    discussion: """
      Example: handlebarctl watch --filter 0 --count 10

      Columns: UTC, latitude, longitude, altitude, speed, course, 95 % accuracy, mode, satellites used/in view, source, reason, number.
      """)

  @Flag(help: "Print the daemon's lines as they are, one JSON object a line.")
  var json = false

  @Option(help: ArgumentHelp("Metres between positions; 0 = every fix.", valueName: "M"))
  var filter: DecimalArgument?

  @Option(help: ArgumentHelp("Stop after this many positions.", valueName: "N"))
  var count: Int?

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var parent: Handlebarctl

  func validate() throws {
    if let filter, filter.value < 0 { throw ValidationError("--filter is metres from 0 upwards") }
    if let count, count < 1 { throw ValidationError("--count is 1 or more") }
  }

  func run() async throws {
    StandardOutput.prepare()
    let client = connection.client(after: parent.connection)
    let subscription = Subscription(distanceFilter: filter?.value)
    if json { try await showLines(client, subscription) } else { try await show(client.updates(subscription)) }
  }

  private func show(_ updates: LocationUpdates) async throws {
    var watch = WatchText(style: .standardOutput)
    var shown = 0
    for await update in updates {
      if case .disconnected(let error) = update { try Self.lost(error, wasConnected: watch.wasConnected) }
      if let line = watch.line(update) { StandardOutput.line(line) }
      guard case .position = update else { continue }
      shown += 1
      if shown == count { return }
    }
  }

  private func showLines(_ client: LocationClient, _ subscription: Subscription) async throws {
    let lines = LineCount(limit: count)
    // Written where it is read: nothing is left out, however slow the reader of this output is.
    let updates = client.updates(subscription) { line in
      if lines.take(line) { StandardOutput.write(line + [UInt8(ascii: "\n")]) }
    }
    var wasConnected = false
    for await update in updates {
      if lines.isFull { return }
      switch update {
      case .connected: wasConnected = true
      case .disconnected(let error): try Self.lost(error, wasConnected: wasConnected)
      default: break
      }
    }
  }

  /// A daemon that was never there is an error; one that went away is waited for.
  private static func lost(_ error: LocationClientError, wasConnected: Bool) throws {
    guard wasConnected else { throw CommandError.exit(error) }
    StandardError.say("\(error); waiting for it to come back")
  }
}

/// Counts positions among lines, from the connection's thread.
final class LineCount: Sendable {
  private let remaining: Mutex<Int?>
  private static let position = Array(#"{"class":"TPV","#.utf8)
  private static let noFix = Array(#""mode":1,"#.utf8)

  init(limit: Int?) {
    remaining = Mutex(limit)
  }

  var isFull: Bool { remaining.withLock { $0 == 0 } }

  /// Whether the line is to be shown.
  func take(_ line: [UInt8]) -> Bool {
    remaining.withLock { remaining in
      guard let left = remaining else { return true }
      guard left > 0 else { return false }
      if line.starts(with: Self.position), !line.contains(sequence: Self.noFix) { remaining = left - 1 }
      return true
    }
  }
}

extension [UInt8] {
  fileprivate func contains(sequence: [UInt8]) -> Bool {
    guard count >= sequence.count else { return false }
    return (0...count - sequence.count).contains { self[$0..<$0 + sequence.count].elementsEqual(sequence) }
  }
}

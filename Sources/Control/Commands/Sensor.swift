import ArgumentParser
import Dispatch
import GPSDProtocol
import LocationClient
import LocationCore

struct Sensor: AsyncParsableCommand {
  private enum Event: Sendable {
    case report(Report)
    case update(LocationClient.Update)
    /// Standard input has ended; whether each of its lines was a reading that was sent.
    case end(isComplete: Bool)
  }

  static let configuration = CommandConfiguration(
    abstract: "Shows the sensors, or sends the readings of one from standard input.",
    discussion: """
      Example: handlebarctl sensor
               echo 72 | handlebarctl sensor heartRate

      Each line is a reading: of a wheel or a crank the count of its revolutions and, if it is known, the time of the last one in seconds; of the others \
      a value in Pa (pressure), beats a minute (heartRate), W (power) or degrees Celsius (temperature). Send 20 a second at most.
      """)

  @Argument(help: .value("KIND", SensorKind.allCases.map(\.rawValue).joined(separator: ", ") + ".")) var kind:
    SensorKind?
  @Option(help: .value("NAME", "Name of the unit, if there are several of a kind.")) var source: String?
  @Option(help: .value("N", "Counts begin again with 0 after N - 1 (default: 2^32 of a wheel, 2^16 of a crank)."))
  var wrap: UInt64?

  @Option(help: .value("N", "Times are ticks of 1/N s and begin again with 0 after 65535, as of Bluetooth (N: 1024)."))
  var ticks: DecimalArgument?

  @OptionGroup var options: ReportOptions

  func validate() throws {
    guard let kind else {
      if source != nil || wrap != nil || ticks != nil {
        throw ValidationError("--source, --wrap and --ticks need a KIND")
      }
      return
    }
    if !kind.isCounter, wrap != nil || ticks != nil {
      throw ValidationError("--wrap and --ticks apply to wheel and crank only")
    }
    do throws(RequestError) {
      try Request.engine(.sensor(reading(of: kind, kind.isCounter ? [0, 0] : [0]))).validate()
    } catch {
      throw ValidationError(error.message)
    }
  }

  func run() async throws {
    if let kind { return try await send(kind) }
    let sensors = try await options.connection.ask { try await $0.sensors() }
    if sensors.isEmpty { StandardError.say("no sensor has sent a reading; send one: handlebarctl sensor KIND") }
    StandardOutput.lines(sensors.map(ReportText(units: options.units).line))
  }

  private func send(_ kind: SensorKind) async throws {
    let (events, inbox) = AsyncStream.makeStream(of: Event.self)
    let subscription = Subscription(distanceFilter: 1_000_000, includesSatellites: false, includesTrips: false)
    // Errors come by these, not by the updates: behind the answer to the last request they would be too late.
    let updates = options.connection.client.updates(subscription) { inbox.yield(.report($0.report)) }
    Task { for await update in updates { inbox.yield(.update(update)) } }
    defer { updates.cancel() }
    var (hasBegun, hasEnded, isComplete) = (false, false, true)
    for await event in events {
      switch event {
      case .report(.watch) where !hasBegun:
        hasBegun = true
        // Sent from there, so that readings never wait here.
        DispatchQueue(label: "handlebarctl.sensor").async {
          var isComplete = true
          while let line = readLine() { isComplete = send(line, of: kind, by: updates) && isComplete }
          inbox.yield(.end(isComplete: isComplete))
        }
      case .report(.error(let error)):
        isComplete = false
        StandardError.say(error.message)
      case .update(.disconnected(let error)):
        guard hasBegun, !hasEnded else { throw CommandError.exit(error) }
        StandardError.say("\(error); waiting for it to return")
      case .end(let wasComplete):
        (hasEnded, isComplete) = (true, isComplete && wasComplete)
        // Its answer comes behind those to the readings.
        guard try updates.send(.version) else {
          throw CommandError.exit("the daemon is gone, perhaps before it took the last readings")
        }
      case .report(.version) where hasEnded:
        if !isComplete { throw ExitCode.failure }
        return
      case .report, .update: break
      }
    }
  }

  /// Sends a line; returns whether it was a reading that was sent, or blank.
  func send(_ line: String, of kind: SensorKind, by updates: LocationUpdates) -> Bool {
    let words = line.split(whereSeparator: \.isWhitespace)
    let numbers = words.compactMap { DecimalArgument(argument: String($0))?.value }
    guard !words.isEmpty else { return true }
    guard numbers.count == words.count, numbers.count <= (kind.isCounter ? 2 : 1) else {
      StandardError.say("no reading: \(line); a line is \(kind.isCounter ? "COUNT or COUNT SECONDS" : "a number")")
      return false
    }
    do throws(LocationClientError) {
      // What cannot be sent is too old when it could be.
      return try updates.send(.engine(.sensor(reading(of: kind, numbers))))
    } catch {
      StandardError.say("\(error)")
      return false
    }
  }

  private func reading(of kind: SensorKind, _ numbers: [Double]) -> SensorRequest {
    var reading = SensorRequest(kind: kind, source: source)
    guard kind.isCounter else {
      reading.value = numbers[0]
      return reading
    }
    // What is no count is refused as one that is too large.
    reading.count = UInt64(exactly: numbers[0]) ?? .max
    reading.wrap = wrap
    guard numbers.count > 1 else { return reading }
    reading.time = numbers[1]
    reading.ticksPerSecond = ticks?.value ?? 1
    reading.timeWrap = ticks.map { _ in 65_536 }
    return reading
  }
}

extension SensorKind: ExpressibleByArgument {}

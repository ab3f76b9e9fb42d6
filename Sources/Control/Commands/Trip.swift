import ArgumentParser
import LocationClient

struct Trip: AsyncParsableCommand {
  enum Change: String, ExpressibleByArgument, CaseIterable {
    case lap, reset, end

    /// Earlier releases called the end off.
    init?(argument: String) { self.init(rawValue: argument == "off" ? "end" : argument) }
  }

  static let configuration = CommandConfiguration(
    abstract: "Starts or shows a trip, whose figures the daemon counts, or changes it.",
    discussion: """
      Example: handlebarctl trip day
               handlebarctl trip day lap

      Without a name it shows every trip. A trip goes on until it is ended, also over restarts of the daemon.
      """)

  @Argument(help: "Name of the trip.", completion: Completions.trip) var name: String?
  @Argument(help: "lap: begin the next lap; reset: begin again; end: end the trip.") var change: Change?
  @OptionGroup var options: ReportOptions

  func validate() throws { if let name { try ViewName.validate(name, "the trip's name") } }

  func run() async throws {
    let trips = try await options.connection.ask { client in
      guard let name else { return try await client.trips() }
      return switch change {
      case nil: [try await client.startTrip(name)]
      case .lap: [try await client.beginLap(ofTrip: name)]
      case .reset: [try await client.resetTrip(name)]
      case .end: [try await client.endTrip(name)]
      }
    }
    if trips.isEmpty { StandardError.say("no trip has been started; start one: handlebarctl trip NAME") }
    for trip in trips { StandardOutput.lines(RideText(units: options.units).lines(trip)) }
  }
}

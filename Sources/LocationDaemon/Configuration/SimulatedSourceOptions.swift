import LocationCore
import Recordings
import RideTools

/// A ride that is simulated live: `simulate:route.gpx?speed=12`, `simulate:city`, `simulate:tour?seed=7&rate=10`.
package struct SimulatedSourceOptions: Hashable, Sendable {
  /// The ride.
  package var ride: SimulationOptions
  /// How many simulated seconds pass in a second, 0.1 to 1000.
  package var rate: Double
  /// Whether another ride begins when one is over.
  package var loops: Bool

  package init(ride: SimulationOptions, rate: Double = 1, loops: Bool = false) {
    self.ride = ride
    self.rate = rate
    self.loops = loops
  }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    let path = query.path
    var ride: SimulationOptions
    if SimulationOptions.rideNames.contains(path) || path.isEmpty {
      do throws(SimulationError) {
        ride = try SimulationOptions(named: path.isEmpty ? "tour" : path)
      } catch {
        throw query.error("\(error)")
      }
    } else {
      ride = SimulationOptions(.file(path))
    }
    for key in SimulationKey.allCases {
      do throws(SimulationError) {
        if key.isFlag {
          if try query.takeFlag(of: key) { try ride.set(key, to: "true") }
        } else if let text = query.take(key.rawValue) {
          try ride.set(key, to: text)
        }
      } catch {
        throw query.error("\(error)")
      }
    }
    var rate = 1.0
    if let text = query.take("rate") {
      guard case .times(let value) = ReplaySpeed(text: text), value >= 0.1 else {
        throw query.error("rate=\(text) is no rate of time; use 0.1 to 1000")
      }
      rate = value
    }
    self.init(ride: ride, rate: rate, loops: try query.takeFlag("loop") ?? false)
  }

  /// What the bytes come from, for reports.
  var device: String {
    switch ride.road {
    case .file(let path): path
    case .bundled, .tour: "simulate:\(ride.roadName)"
    }
  }
}

extension URIQuery {
  fileprivate mutating func takeFlag(of key: SimulationKey) throws(SimulationError) -> Bool {
    do throws(ConfigurationError) {
      return try takeFlag(key.rawValue) ?? false
    } catch {
      throw SimulationError(error.message)
    }
  }
}

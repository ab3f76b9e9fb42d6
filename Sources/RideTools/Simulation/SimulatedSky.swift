import LocationCore

struct SimulatedSky: Sendable {
  struct Satellite: Sendable {
    let prn: Int
    let elevation: Int
    let azimuth: Int
    /// Signal-to-noise ratio, dB-Hz; `nil` if not received.
    let strength: Int?
    let isUsed: Bool
  }

  private struct Orbit {
    let prn: Int
    var elevation: Double
    var azimuth: Double
    let elevationRate: Double
    let azimuthRate: Double
  }

  private var random: SeededRandom
  private let orbits: [[Orbit]]

  init(seed: UInt64, constellations: [ReceiverProfile.Constellation]) {
    var random = SeededRandom(seed: seed, stream: 2)
    orbits = constellations.map { constellation in
      var numbers = Array(constellation.numbers)
      return (0..<constellation.visible).map { _ in
        let pick = min(Int(random.uniform() * Double(numbers.count)), numbers.count - 1)
        let height = random.uniform()
        return Orbit(
          prn: numbers.remove(at: pick), elevation: 6 + 78 * height * height.squareRoot(),
          azimuth: random.uniform(0...359), elevationRate: random.uniform(-0.006...0.006),
          azimuthRate: random.uniform(-0.008...0.008))
      }.sorted { $0.prn < $1.prn }
    }
    self.random = random
  }

  /// The satellites of each constellation so many seconds after the start.
  mutating func satellites(at seconds: Double, in surroundings: Route.Surroundings, hasFix: Bool) -> [[Satellite]] {
    orbits.map { constellation in
      constellation.map { orbit in
        let elevation = min(max(orbit.elevation + orbit.elevationRate * seconds, 2), 88)
        let noise = random.normal()
        let strength: Double =
          switch surroundings {
          case .open: 27 + elevation / 4 + noise
          case .canyon: elevation > 35 ? 20 + elevation / 4 + 3 * noise : 14 + elevation / 4 + 4 * noise
          case .tunnel: 0
          }
        let azimuth = orbit.azimuth + orbit.azimuthRate * seconds
        return Satellite(
          prn: orbit.prn, elevation: Int(elevation.rounded()),
          azimuth: Int(ExactMath.fullTurn(azimuth).rounded(.down)),
          strength: strength > 15 ? Int(strength.rounded()) : nil, isUsed: hasFix && strength > 20 && elevation > 8)
      }
    }
  }
}

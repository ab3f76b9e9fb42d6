import LocationCore

/// The satellites of one system, over all the skies that were told.
struct SystemTally {
  /// The system; `nil` for satellites of which it cannot be told.
  let gnss: GNSS?
  private var seen = 0
  private var used = 0
  /// Most in view at once.
  private(set) var mostSeen = 0
  /// Most in use at once.
  private(set) var mostUsed = 0
  /// Strongest carrier to noise density, dBHz.
  private(set) var strongest: Double?

  init(_ gnss: GNSS?) {
    self.gnss = gnss
  }

  /// Takes the satellites of one sky that are of this system.
  mutating func add(_ satellites: [Satellite]) {
    let using = satellites.count(where: \.used)
    seen += satellites.count
    used += using
    mostSeen = max(mostSeen, satellites.count)
    mostUsed = max(mostUsed, using)
    for signal in satellites.compactMap(\.signal) { strongest = max(strongest ?? signal, signal) }
  }

  /// In view and in use on average over so many skies.
  func means(over skies: Int) -> (seen: Double, used: Double) {
    skies > 0 ? (Double(seen) / Double(skies), Double(used) / Double(skies)) : (0, 0)
  }

  /// What people call it.
  var name: String {
    switch gnss {
    case .gps: "GPS"
    case .sbas: "SBAS"
    case .galileo: "Galileo"
    case .beidou: "BeiDou"
    case .imes: "IMES"
    case .qzss: "QZSS"
    case .glonass: "GLONASS"
    case .navic: "NavIC"
    case nil: "unknown"
    }
  }
}

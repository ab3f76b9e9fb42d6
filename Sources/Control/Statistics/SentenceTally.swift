import LocationCore

struct KindTally {
  let kind: MessageKind
  let isDecoded: Bool
  private(set) var count = 0
  /// Bytes on the wire, line ends included.
  private(set) var bytes = 0
  var epochs = 0
  private(set) var fields: ClosedRange<Int>?
  private(set) var malformed: [String: Int] = [:]

  /// Fields whose values were present and malformed or out of range, most first.
  var malformedFields: [(name: String, count: Int)] {
    malformed.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }

  /// Adds a sentence, or a UBX message, which has no fields.
  mutating func add(bytes: Int, fields count: Int?, problems: [String]) {
    self.count += 1
    self.bytes += bytes
    if let count { fields = min(fields?.lowerBound ?? count, count)...max(fields?.upperBound ?? count, count) }
    for name in problems { malformed[name, default: 0] += 1 }
  }
}

enum MessageKind: Hashable {
  case sentence(Talker, SentenceType)
  /// Class and id.
  case ubx(UInt16)

  /// `nil` of a proprietary sentence and of UBX.
  var talker: Talker? {
    if case .sentence(let talker, _) = self, talker.code != 0 { talker } else { nil }
  }

  /// `RMC`, `PGRME`; numbered messages with their number: `PUBX,00`; `UBX-NAV-PVT`.
  var type: String {
    switch self {
    case .sentence(_, let type): type.description
    case .ubx(let code): UBXFrame.name(of: code)
    }
  }

  /// Talker and type: `GNRMC`.
  var name: String { (talker?.description ?? "") + type }
}

/// Counts of one system's satellites, over all reports of satellites in view.
struct SystemTally {
  let gnss: GNSS?
  private var seen = 0
  private var used = 0
  private(set) var mostSeen = 0
  private(set) var mostUsed = 0
  /// Strongest carrier to noise density, dBHz.
  private(set) var strongest: Double?

  init(_ gnss: GNSS?) { self.gnss = gnss }

  mutating func add(_ satellites: [Satellite]) {
    let using = satellites.count(where: \.used)
    seen += satellites.count
    used += using
    mostSeen = max(mostSeen, satellites.count)
    mostUsed = max(mostUsed, using)
    for signal in satellites.compactMap(\.signal) { strongest = max(strongest ?? signal, signal) }
  }

  /// In view and in use, on average over so many reports.
  func means(over skies: Int) -> (seen: Double, used: Double) {
    skies > 0 ? (Double(seen) / Double(skies), Double(used) / Double(skies)) : (0, 0)
  }

  var name: String { gnss?.names.full ?? "unknown" }
}

/// The keys of a configuration file. Each is named like its flag, and like its variable without `HANDLEBAR_`.
package enum ConfigurationKey: String, CaseIterable, Sendable {
  case sources
  case socket
  case socketMode = "socket-mode"
  case socketGroup = "socket-group"
  case nmeaSocket = "nmea-socket"
  case tcp
  case maxClients = "max-clients"
  case distanceFilter = "distance-filter"
  case driftLimit = "drift-limit"
  case record
  case recordFromStart = "record-from-start"
  case recordRides = "record-rides"
  case recordBytes = "record-bytes"
  case rideStop = "ride-stop"
  case logLevel = "log-level"

  /// The known name that a misspelled one was probably meant to be.
  static func nearest(to name: String) -> ConfigurationKey? {
    let wanted = Array(name.lowercased())
    let candidates = allCases.map { ($0, distance(wanted, Array($0.rawValue))) }
    guard let best = candidates.min(by: { $0.1 < $1.1 }), best.1 <= max(1, wanted.count / 3) else { return nil }
    return best.0
  }

  /// Letters to insert, delete, replace, or exchange with their neighbour (Damerau and Levenshtein's distance).
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var before: [Int] = []
    var row = Array(0...other.count)
    for (i, left) in one.enumerated() {
      var next = [i + 1]
      for (j, right) in other.enumerated() {
        var best = min(row[j] + (left == right ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, left == other[j - 1], one[i - 1] == right { best = min(best, before[j - 1] + 1) }
        next.append(best)
      }
      before = row
      row = next
    }
    return row[other.count]
  }
}

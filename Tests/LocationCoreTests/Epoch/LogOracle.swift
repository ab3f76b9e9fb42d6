/// The epochs of a log, determined independently of the product's code: lines are split at commas, and sentences of one
/// time of day and of different types form an epoch.
enum LogOracle {
  /// One measurement instant.
  struct Epoch {
    /// Seconds of the day; `nil` when no sentence carried a time.
    var time: Double?
    /// Offset of the first byte of its first timed sentence.
    var start: Int
    var types: Set<String> = []
    /// All positions, degrees.
    var positions: [(latitude: Double, longitude: Double)] = []
    var isVoid = false
    var isValid = false

    var hasFix: Bool { isValid && !isVoid && !positions.isEmpty }
  }

  /// Every epoch, in the order of the log.
  static func epochs(_ log: [UInt8]) -> [Epoch] {
    var epochs: [Epoch] = []
    for (start, fields) in sentences(log) {
      guard let address = fields.first, address.count == 5, !address.hasPrefix("P") else { continue }
      let type = String(address.suffix(3))
      guard ["RMC", "GGA", "GLL", "GNS"].contains(type), fields.count > 6 else { continue }
      let time = seconds(fields[type == "GLL" ? 5 : 1])
      if startsEpoch(epochs.last, address, time) { epochs.append(Epoch(time: time, start: start)) }
      var epoch = epochs.removeLast()
      epoch.types.insert(address)
      if let isValid = isValid(type, fields) {
        epoch.isValid = epoch.isValid || isValid
        epoch.isVoid = epoch.isVoid || !isValid
      }
      let at = type == "RMC" ? 3 : type == "GLL" ? 1 : 2
      if let latitude = degrees(fields[at], fields[at + 1], "NS", 90),
        let longitude = degrees(fields[at + 2], fields[at + 3], "EW", 180)
      {
        epoch.positions.append((latitude, longitude))
      }
      epochs.append(epoch)
    }
    return epochs
  }

  private static func startsEpoch(_ last: Epoch?, _ address: String, _ time: Double?) -> Bool {
    guard let last, !last.types.contains(address) else { return true }
    guard let time else { return false }
    guard let key = last.time else { return true }
    return abs(time - key) > 0.010_001
  }

  private static func isValid(_ type: String, _ fields: [String]) -> Bool? {
    switch type {
    case "GGA": return fields[6].isEmpty ? nil : fields[6] != "0"
    case "GNS": return fields[6].isEmpty ? nil : fields[6].contains { $0 != "N" }
    default:
      let status = fields[type == "RMC" ? 2 : 6]
      let modeIndex = type == "RMC" ? 12 : 7
      let mode = fields.count > modeIndex ? fields[modeIndex] : ""
      return mode != "N" && (status == "A" || status == "D" || mode == "E")
    }
  }

  /// The text between `$` and a valid checksum, split at commas.
  private static func sentences(_ log: [UInt8]) -> [(Int, [String])] {
    var found: [(Int, [String])] = []
    var start: Int?
    for index in log.indices {
      switch log[index] {
      case UInt8(ascii: "$"): start = index
      case UInt8(ascii: "*"):
        guard let first = start, index + 2 < log.count else { continue }
        start = nil
        let sum = log[first + 1..<index].reduce(0, ^)
        let digits = String(decoding: log[index + 1...index + 2], as: UTF8.self)
        guard UInt8(digits, radix: 16) == sum else { continue }
        let text = String(decoding: log[first + 1..<index], as: UTF8.self)
        found.append((first, text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)))
      case 0x20...0x7E: break
      default: start = nil
      }
    }
    return found
  }

  private static func seconds(_ text: String) -> Double? {
    guard text.count >= 6, let number = Double(text), number >= 0 else { return nil }
    let whole = Int(number)
    return Double(whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100) + number - number.rounded(.down)
  }

  private static func degrees(_ text: String, _ half: String, _ halves: String, _ bound: Double) -> Double? {
    guard half.count == 1, halves.contains(half), let number = Double(text) else { return nil }
    let whole = (number / 100).rounded(.down)
    let minutes = number - whole * 100
    guard minutes < 60, whole + minutes / 60 <= bound else { return nil }
    return (whole + minutes / 60) * (half == "S" || half == "W" ? -1 : 1)
  }
}

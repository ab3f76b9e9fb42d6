import ArgumentParser
import GPSDProtocol
import LocationCore
import RideTools

extension String {
  func right(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
  func left(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
  var withoutEndingSpaces: String { String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)]) }

  var ascii: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "·": text += ","
      case "–", "─": text += "-"
      case "↑": text += "+"
      case "±": text += "+-"
      case "°": text += " deg"
      case "×": text += "x"
      case "…": text += "..."
      default: text += scalar.isASCII ? String(scalar) : "?"
      }
    }
  }

  /// Broken between words into lines of at most `width` characters, all but the first indented.
  func wrapped(_ width: Int) -> [String] {
    var lines = [""]
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append("    \(word)")
      }
    }
    return lines
  }
}

extension UTCInstant {
  /// `2026-03-19T12:35:19.500Z`
  var text: String { jsonText { $0.field("t", self) } }
  /// In local time: `2026-03-19 13:35:19+01:00`.
  var seconds: String { LocalTime(self).text }
}

extension TimeOfDay {
  /// `12:35:19.500`
  var text: String { jsonText { $0.field("t", self) } }
}

extension CalendarDate {
  /// `2026-03-19`
  var text: String { jsonText { $0.field("t", self) } }
}

extension GNSS {
  var names: (letter: String, full: String) {
    switch self {
    case .gps: ("G", "GPS")
    case .sbas: ("S", "SBAS")
    case .galileo: ("E", "Galileo")
    case .beidou: ("C", "BeiDou")
    case .imes: ("I", "IMES")
    case .qzss: ("J", "QZSS")
    case .glonass: ("R", "GLONASS")
    case .navic: ("I", "NavIC")
    }
  }
}

func jsonObject(_ fields: (inout JSONLine) -> Void) -> [UInt8] {
  var line = JSONLine(capacity: 512, lineEnd: .lf)
  line.beginObject()
  fields(&line)
  line.endObject()
  line.endLine()
  return Array(line.bytes)
}

private func jsonText(_ field: (inout JSONLine) -> Void) -> String {
  var line = JSONLine(capacity: 40)
  field(&line)
  return String(decoding: line.bytes.dropFirst(5).dropLast(), as: UTF8.self)
}

enum Text {
  static func row(_ name: String, _ value: String) -> String { "\(name.left(14)) \(value)" }

  /// Rows, without those that have no value.
  static func rows(_ rows: KeyValuePairs<String, String?>) -> [String] {
    rows.compactMap { name, value in value.map { row(name, $0) } }
  }

  /// Hours, minutes, seconds in words: `1 h 1 min`, `12 min 5 s`, `4.5 s`.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "?" }
    let whole = Int(seconds)
    guard whole >= 60 else { return "\(seconds.decimals(1)) s" }
    let minutes = whole / 60
    guard minutes >= 60 else { return "\(minutes) min \(whole % 60) s" }
    return "\(minutes / 60) h \(minutes % 60) min"
  }

  /// Hours, minutes and seconds, rounded: `1:02:03`.
  static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "?" }
    let whole = Int(seconds.rounded())
    return "\(whole / 3600):\(minutes(whole))"
  }

  /// Minutes and seconds, rounded down, with hours only if there are any: `12:34`, `1:02:34`.
  static func place(_ seconds: Double) -> String {
    guard seconds.isFinite, (0..<1e9).contains(seconds) else { return "?" }
    return seconds < 3600 ? minutes(Int(seconds)) : "\(Int(seconds) / 3600):\(minutes(Int(seconds)))"
  }

  static func size(_ bytes: Int) -> String {
    bytes < 1_000_000 ? "\((Double(bytes) / 1e3).decimals(1)) kB" : "\((Double(bytes) / 1e6).decimals(1)) MB"
  }

  private static func minutes(_ seconds: Int) -> String {
    [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}

extension Units: ExpressibleByArgument {}

struct UnitOptions: ParsableArguments {
  @Option(
    help: .value("UNITS", "Units of speed and length: metric (km/h, km, m), imperial (mph, mi, ft) or si (m/s, m)."))
  var units = Units.metric
}

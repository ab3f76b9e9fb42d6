import GPSDProtocol
import LocationCore
import RideTools

/// The signal of each satellite as a bar: solid when the solution uses it.
struct SatelliteBars {
  /// The strongest signal that a bar shows, dBHz.
  private static let fullScale = 50.0
  private static let width = 4

  let satellites: [SkyReport.Satellite]

  /// A title, the bars from top to bottom, names, and signals on a high terminal.
  func lines(rows: Int, columns: Int, isUnicode: Bool, isHigh: Bool) -> [ScreenLine] {
    let room = max(1, (columns + 1) / Self.width)
    // The best ones if there is no room for all, in a stable order.
    let best = satellites.enumerated().sorted { Self.rank($0.element) > Self.rank($1.element) }.prefix(room)
    let shown = best.map(\.element).sorted {
      ($0.systemID ?? 99, $0.numberInSystem ?? $0.number) < ($1.systemID ?? 99, $1.numberInSystem ?? $1.number)
    }
    var title: [(String, Style.Colour?)] = [
      ("Satellites".left(12), .dim), ("\(satellites.count) in view, ", nil), (isUnicode ? "█" : "#", .green),
      (" \(satellites.count { $0.isUsed }) used", .bold),
    ]
    if shown.count < satellites.count { title.append((", \(satellites.count - shown.count) not shown", .dim)) }
    var lines = [ScreenLine(title)]
    for row in (0..<rows).reversed() {
      let bars = shown.map { bar($0, row: row, of: rows, isUnicode).left(Self.width) }
      lines.append(ScreenLine(zip(bars, shown).map { ($0, $1.isUsed ? .green : .dim) }))
    }
    lines.append(ScreenLine(shown.map { (Self.name($0).left(Self.width), $0.isUsed ? nil : .dim) }))
    if isHigh {
      let signals = shown.map { ($0.signal?.decimals(0) ?? "-").right(3).left(Self.width) }
      lines.append(ScreenLine(signals.map { ($0, .dim) }))
    }
    return lines
  }

  private func bar(_ satellite: SkyReport.Satellite, row: Int, of rows: Int, _ isUnicode: Bool) -> String {
    guard let signal = satellite.signal, signal > 0 else { return "" }
    let eighths = max(1, Int((min(signal / Self.fullScale, 1) * Double(rows * 8)).rounded())) - row * 8
    guard eighths > 0 else { return "" }
    guard isUnicode else { return eighths >= 4 || row == 0 ? (satellite.isUsed ? "###" : ":::") : "" }
    if !satellite.isUsed { return eighths >= 4 || row == 0 ? "░░░" : "" }
    return String(repeating: SpeedLine.blocks[min(eighths, 8) - 1], count: 3)
  }

  private static func rank(_ satellite: SkyReport.Satellite) -> Double {
    (satellite.isUsed ? 1000 : 0) + (satellite.signal ?? 0)
  }

  /// The system's letter and the satellite's number as in RINEX: `G05`; gpsd's number when the system is unknown.
  private static func name(_ satellite: SkyReport.Satellite) -> String {
    guard let system = satellite.systemID.flatMap({ GNSS(rawValue: $0) }), let number = satellite.numberInSystem else {
      return "\(satellite.number)"
    }
    return "\(system.names.letter)\(number < 10 ? "0" : "")\(number)"
  }
}

struct ScreenLine {
  private var parts: [(String, Style.Colour?)]

  init(_ parts: [(String, Style.Colour?)] = []) { self.parts = parts }

  /// The line, no wider than the terminal, in its character set.
  func text(_ size: TerminalSize, _ style: Style) -> String {
    var room = size.columns
    var line = ""
    for (text, colour) in parts {
      var shown = size.isUnicode ? text : text.ascii
      // A column stays as wide as it was.
      while shown.count > text.count, shown.last == " " { shown.removeLast() }
      let cut = String(shown.prefix(room))
      room -= cut.count
      line += colour.map { style.text(cut, $0) } ?? cut
    }
    return line
  }
}

import LocationCore
import RideTools

/// A ride on a terminal: its figures, a map of characters, its speed as a row of blocks.
struct MapText {
  let lines: [String]

  /// Fits a ride into a terminal; the map takes at most 30 rows.
  init(_ plot: RidePlot, title: String, size: TerminalSize, style: Style) {
    let columns = min(max(size.columns, 1), 200)
    let isASCII = !size.isUnicode
    var lines = [Self.cut(title.printable, columns)]
    lines += RideCaption.lines(plot).map { Self.cut(isASCII ? $0.ascii : $0, columns) }
    let rows = min(max(size.rows - 8, 5), 30)
    if let map = CharacterMap(plot, columns: columns, rows: rows, isASCII: isASCII) {
      lines += map.rows.map { Self.line($0, style) }
      let marks = "S start  E end  o stop  x loss  \(isASCII ? "-" : "─") \(Self.length(map.width)) wide"
      lines.append(style.text(Self.cut(marks, columns), .dim))
    }
    if let speed = SpeedLine.text(plot, columns: columns, isASCII: isASCII) { lines.append(speed) }
    self.lines = lines
  }

  private static func line(_ cells: [CharacterMap.Cell], _ style: Style) -> String {
    var line = ""
    for cell in cells {
      let character = String(cell.character)
      switch cell.kind {
      case .blank, .track, .end: line += character
      case .start: line += style.text(character, .green)
      case .stop: line += style.text(character, .yellow)
      case .loss: line += style.text(character, .red)
      }
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  private static func length(_ metres: Double) -> String {
    metres < 1000 ? "\(metres.decimals(0)) m" : "\((metres / 1000).decimals(1)) km"
  }

  private static func cut(_ text: String, _ columns: Int) -> String {
    text.count <= columns ? text : String(text.prefix(columns))
  }
}

import LocationCore
import RideTools

/// A ride for a terminal: its map in characters, its speed in a row of blocks, what it came to in words.
struct MapText {
  let lines: [String]

  /// The ride in as much room as the terminal has; the map takes at most 30 rows.
  init(_ plot: RidePlot, title: String, size: TerminalSize, style: Style) {
    let columns = min(max(size.columns, 1), 200)
    let isASCII = !size.isUnicode
    var lines = [Self.cut(title.printable, columns)]
    lines += RideCaption.lines(plot).map { Self.cut(Self.shown($0, isASCII), columns) }
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
    // Blanks at a line's end are nothing to be seen.
    while line.last == " " { line.removeLast() }
    return line
  }

  private static func length(_ metres: Double) -> String {
    metres < 1000 ? "\(metres.decimals(0)) m" : "\((metres / 1000).decimals(1)) km"
  }

  private static func shown(_ text: String, _ isASCII: Bool) -> String {
    guard isASCII else { return text }
    return String(
      text.unicodeScalars.map { scalar -> Character in
        switch scalar {
        case "·": ","
        case "–": "-"
        case "↑": "+"
        default: scalar.isASCII ? Character(scalar) : "?"
        }
      })
  }

  private static func cut(_ text: String, _ columns: Int) -> String {
    text.count <= columns ? text : String(text.prefix(columns))
  }
}

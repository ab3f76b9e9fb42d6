import RideTools

/// A course on a terminal: its profile in block characters, and lists of its climbs and cues.
enum CourseText {
  /// Fits it into a terminal's width; the profile takes at most 12 rows.
  static func lines(_ course: CourseFile, units: Units, size: TerminalSize, style: Style) -> [String] {
    let isASCII = !size.isUnicode
    // Room for elevations to the left.
    let columns = min(max(size.columns, 20), 200) - margin
    var lines = [course.course.name.printable]
    guard let plot = CoursePlot(course.course, columns: columns, units: units) else { return lines }
    lines.append(plot.caption)
    let rows = min(max(size.rows - 7 - plot.climbs.count, 4), 12)
    let profile = CharacterProfile(plot, rows: rows, isASCII: isASCII)
    for (index, row) in profile.rows.enumerated() {
      let edge = index == 0 ? profile.edges.top : index == rows - 1 ? profile.edges.bottom : nil
      let label = edge.map { units.length($0, decimals: 0) } ?? ""
      lines.append(label.right(margin - 1) + " " + style.line(row.map { ($0.character, colours[$0.kind]) }))
    }
    if !plot.climbs.isEmpty {
      lines.append("CLIMB".right(margin - 1) + CoursePlot.heads.map { $0.uppercased().right(10) }.joined())
    }
    for (index, climb) in plot.climbs.enumerated() {
      lines.append("\(index + 1)".right(margin - 1) + plot.texts(climb).map { $0.right(10) }.joined())
    }
    if !plot.cues.isEmpty { lines.append("AT".right(margin + 9) + "  CUE") }
    for cue in plot.cues {
      lines.append(String("\(plot.text(cue).right(margin + 9))  \(cue.text.printable)".prefix(columns + margin)))
    }
    return isASCII ? lines.map(\.ascii) : lines
  }

  private static let margin = 8
  private static let colours: [CharacterProfile.Kind: Style.Colour] = [.climb: .yellow, .steepClimb: .red]
}

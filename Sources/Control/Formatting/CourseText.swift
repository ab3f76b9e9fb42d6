import RideTools

/// A course on a terminal: its profile in block characters, and a list of its climbs.
enum CourseText {
  /// Fits it into a terminal's width; the profile takes at most 12 rows.
  static func lines(_ course: CourseFile, units: Units, size: TerminalSize, style: Style) -> [String] {
    let isASCII = !size.isUnicode
    // Room for elevations to the left.
    let columns = min(max(size.columns, 20), 200) - margin
    var lines = [course.course.name.printable]
    guard let plot = CoursePlot(course.course, columns: columns, units: units) else { return lines }
    lines.append(plot.caption)
    let profile = CharacterProfile(plot, rows: min(max(size.rows - 6 - plot.climbs.count, 4), 12), isASCII: isASCII)
    let last = profile.rows.count - 2
    for (index, row) in profile.rows.enumerated() {
      let edge = index == 0 ? profile.edges.top : index == last ? profile.edges.bottom : nil
      let label = edge.map { units.length($0, decimals: 0) } ?? ""
      lines.append(label.right(margin - 1) + " " + style.line(row.map { ($0.character, colours[$0.kind]) }))
    }
    for (index, climb) in plot.climbs.enumerated() {
      lines.append("\(index + 1)".right(margin - 1) + plot.texts(climb).map { $0.right(10) }.joined())
    }
    return isASCII ? lines.map(\.ascii) : lines
  }

  private static let margin = 8
  private static let colours: [CharacterProfile.Kind: Style.Colour] = [.climb: .yellow, .steepClimb: .red]
}

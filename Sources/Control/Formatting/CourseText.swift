import RideTools

/// A course on a terminal: its profile in block characters, and a list of its climbs.
struct CourseText {
  let lines: [String]

  /// Fits it into a terminal's width; the profile takes at most 12 rows.
  init(_ course: CourseFile, units: Units, size: TerminalSize, style: Style) {
    let isASCII = !size.isUnicode
    // Room for elevations to the left.
    let columns = min(max(size.columns, 20), 200) - Self.margin
    var lines = [course.course.name.printable]
    guard let plot = CoursePlot(course.course, columns: columns, units: units) else {
      self.lines = lines
      return
    }
    lines.append(plot.caption)
    let profile = CharacterProfile(plot, rows: min(max(size.rows - 6 - plot.climbs.count, 4), 12), isASCII: isASCII)
    let last = profile.rows.count - 2
    for (index, row) in profile.rows.enumerated() {
      let edge = index == 0 ? profile.edges.top : index == last ? profile.edges.bottom : nil
      let label = edge.map { units.length($0, decimals: 0) } ?? ""
      lines.append(label.right(Self.margin - 1) + " " + style.line(row.map { ($0.character, Self.colours[$0.kind]) }))
    }
    let texts = plot.climbs.map(plot.texts)
    for (index, texts) in texts.enumerated() {
      lines.append("\(index + 1)".right(Self.margin - 1) + texts.map { $0.right(10) }.joined())
    }
    self.lines = isASCII ? lines.map(\.ascii) : lines
  }

  private static let margin = 8
  private static let colours: [CharacterProfile.Kind: Style.Colour] = [.climb: .yellow, .steepClimb: .red]
}

import LocationCore

/// The heights along a course and its climbs, as ``Course/profile`` defines them, for a picture of so many columns.
package struct CoursePlot: Sendable {
  /// Places in a column whose highest counts.
  private static let samples = 8

  /// Of each column, metres above mean sea level.
  let heights: [Double]
  /// Of the whole line.
  let range: ClosedRange<Double>
  /// Metres.
  let length: Double
  package let climbs: [Climb]
  package let cues: [CourseCue]
  /// The heads of the columns of ``texts(_:)``.
  package static let heads = ["From", "Length", "Ascent", "Grade"]
  package let units: Units
  package let caption: String

  /// A climb, in metres.
  package struct Climb: Hashable, Sendable {
    package let begin: Double
    package let end: Double
    package let ascent: Double
    /// Metres per metre.
    package var grade: Double { ascent / (end - begin) }
    package var isSteep: Bool { grade >= 0.06 }
  }

  /// `nil` for a course without elevations, or without columns.
  package init?(_ course: Course, columns: Int, units: Units = .metric) {
    guard let profile = course.profile, columns > 0 else { return nil }
    let (line, length) = (course.line, course.line.length)
    self.length = length
    self.units = units
    cues = course.cues
    func height(_ sample: Int) -> Double {
      profile.elevation(at: length * Double(sample) / Double(columns * Self.samples), of: line)
    }
    var lowest = height(0)
    heights = (0..<columns).map { column in
      let samples = (column * Self.samples...(column + 1) * Self.samples).map(height)
      lowest = min(lowest, samples.min() ?? lowest)
      return samples.max() ?? lowest
    }
    range = lowest...(heights.max() ?? lowest)
    climbs = profile.climbs.forward.map { climb in
      Climb(begin: climb.begin, end: climb.end, ascent: climb.summit - profile.elevation(at: climb.begin, of: line))
    }
    let bottom = String(fixed: units.lengthValue(range.lowerBound), decimals: 0)
    var parts = [RideCaption.distance(length, units), "\(bottom)–\(units.length(range.upperBound, decimals: 0))"]
    let ascent = profile.ascentLeft(from: 0, of: line, isReverse: false)
    parts.append("↑ \(units.length(ascent, decimals: 0))")
    if !climbs.isEmpty { parts.append("\(climbs.count) \(climbs.count == 1 ? "climb" : "climbs")") }
    if !course.cues.isEmpty { parts.append("\(course.cues.count) \(course.cues.count == 1 ? "cue" : "cues")") }
    caption = parts.joined(separator: " · ")
  }

  package func text(_ cue: CourseCue) -> String { "\(units.wayUnit) \(way(cue.along))" }

  private func way(_ metres: Double) -> String {
    String(fixed: units.wayValue(metres), decimals: units == .si ? 0 : 1, trimmed: false)
  }

  /// A climb for people: where it begins, its length, its ascent and its mean grade.
  package func texts(_ climb: Climb) -> [String] {
    [
      "\(units.wayUnit) \(way(climb.begin))", "\(way(climb.end - climb.begin)) \(units.wayUnit)",
      "↑ \(units.length(climb.ascent, decimals: 0))",
      "\(String(fixed: climb.grade * 100, decimals: 1, trimmed: false)) %",
    ]
  }
}

/// The profile of a course in characters, filled up to its heights, with a row of its climbs below, and one of its cues.
package struct CharacterProfile: Sendable {
  package enum Kind: Hashable, Sendable { case plain, climb, steepClimb }

  package typealias Cell = (character: Character, kind: Kind)

  /// The rows from top to bottom, then that of climbs, with the number of each at its beginning, and any cues.
  package let rows: [[Cell]]
  /// Metres above mean sea level of the upper and the lower edge.
  package let edges: (top: Double, bottom: Double)

  /// The profile of a plot in so many rows, one column for each of the plot's.
  package init(_ plot: CoursePlot, rows count: Int, isASCII: Bool = false) {
    let range = ChartFrame.heights(plot.range)
    edges = (range.upperBound, range.lowerBound)
    let unit = plot.length / Double(plot.heights.count)
    let climbs = plot.heights.indices.map { column in
      plot.climbs.firstIndex { $0.end > Double(column) * unit && $0.begin < Double(column + 1) * unit }
    }
    func kind(_ column: Int) -> Kind {
      climbs[column].map { plot.climbs[$0].isSteep ? .steepClimb : .climb } ?? .plain
    }
    let eighths = plot.heights.map { height in
      max(1, Int((height - range.lowerBound) / (range.upperBound - range.lowerBound) * Double(count * 8)))
    }
    var rows = (0..<count).reversed().map { row in
      eighths.enumerated().map { column, height in
        let part = min(max(height - row * 8, 0), 8)
        let block: Character =
          part == 0 ? " " : isASCII ? (part > 4 ? "#" : part > 1 || row == 0 ? "." : " ") : SpeedLine.blocks[part - 1]
        return (character: block, kind: kind(column))
      }
    }
    var marks: [Cell] = climbs.map { ($0 == nil ? " " : isASCII ? "-" : "─", .plain) }
    for (number, climb) in plot.climbs.enumerated() {
      let column = min(Int(climb.begin / unit), marks.count - 1)
      for (offset, digit) in String(number + 1).enumerated() where column + offset < marks.count {
        marks[column + offset].character = digit
      }
    }
    for column in marks.indices { marks[column].kind = kind(column) }
    rows.append(marks)
    if !plot.cues.isEmpty {
      var cues: [Cell] = plot.heights.map { _ in (" ", .plain) }
      for cue in plot.cues { cues[min(Int(cue.along / unit), cues.count - 1)].character = isASCII ? "^" : "▴" }
      rows.append(cues)
    }
    self.rows = rows
  }
}

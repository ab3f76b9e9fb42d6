import LocationCore

/// Something to be pointed at in the picture of a ride.
package struct PlotMark: Hashable, Sendable {
  /// When it began, seconds on the picture's time axis.
  package var begin: Double
  /// When it was over.
  package var end: Double
  /// Where.
  package var place: Coordinate
  /// Where it was over: of a loss.
  package var otherPlace: Coordinate?

  /// How long it was, seconds.
  package var duration: Double { end - begin }
}

/// The longest marks of a kind, as many as a picture has room for.
struct PlotMarks: Sendable {
  /// The most marks.
  static let room = 200

  private(set) var marks: [PlotMark] = []
  /// How many there were.
  private(set) var count = 0

  mutating func append(_ mark: PlotMark) {
    count += 1
    marks.append(mark)
    guard marks.count > Self.room else { return }
    if let shortest = marks.indices.min(by: { marks[$0].duration < marks[$1].duration }) { marks.remove(at: shortest) }
  }
}

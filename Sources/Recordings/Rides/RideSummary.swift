import LocationCore

/// What is worth knowing of a ride without reading it again: its figures, and how it ended.
package struct RideSummary: Hashable, Sendable {
  /// The figures.
  package var figures: RideFigures
  /// UTC of the last fix, a stop at the end included.
  package var lastFix: UTCInstant?
  /// How long it had stood at the end, seconds.
  package var standing: Double
  /// Whether it ever moved.
  package var hasMoved: Bool
  /// The kernel's boot id of the last run, and the last instant on that boot's monotonic clock.
  package var boot: String?
  /// See `boot`.
  package var lastInstant: MonotonicInstant?
  /// Damaged places that were passed by.
  package var damages: Int

  /// The summary of what was added up.
  package init(_ sums: RideAccumulator, boot: String?, lastInstant: MonotonicInstant?, damages: Int) {
    figures = sums.figures
    lastFix = sums.lastMeasured
    standing = sums.standing
    hasMoved = sums.firstMove != nil
    self.boot = boot
    self.lastInstant = lastInstant
    self.damages = damages
  }

  /// Reads a ride's files.
  package init(reading files: [String], splitStop: Double) throws(RecordingError) {
    var sums = RideAccumulator(splitStop: splitStop)
    self = try Self(adding: files, to: &sums)
  }

  /// Reads a ride's files and adds them up in `sums`.
  init(adding files: [String], to sums: inout RideAccumulator) throws(RecordingError) {
    var reader = try RideReader(files: files)
    while try reader.advance() {
      for index in reader.moments.indices { sums.take(reader.moments[index]) }
    }
    self.init(sums, boot: reader.boot, lastInstant: reader.lastInstant, damages: reader.damage.total)
  }
}

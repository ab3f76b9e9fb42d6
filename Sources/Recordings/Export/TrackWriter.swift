import LocationCore

/// Writes a track in one format, fix by fix, in bounded memory.
package protocol TrackWriter: Sendable {
  /// What has been written; the owner takes it away now and then.
  var bytes: [UInt8] { get set }

  /// Writes the next fix.
  mutating func take(_ fix: Fix)

  /// Ends the segment; one without a fix is none.
  mutating func endSegment()

  /// Ends the file. `route` is for a format that has it behind the track.
  mutating func finish(route: [Fix])
}

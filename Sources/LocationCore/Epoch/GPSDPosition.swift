/// One `TPV` report of a gpsd: what is known of an epoch so far. gpsd sends two or three of them for each.
package struct GPSDPosition: Hashable, Sendable {
  /// The device that it comes from, as gpsd names it.
  package var device: String
  /// UTC of the epoch; `nil` when gpsd does not tell.
  package var time: UTCInstant?
  /// The fix as far as it is known; `nil` when gpsd says that there is none.
  package var fix: Fix?

  package init(device: String, time: UTCInstant?, fix: Fix?) {
    self.device = device
    self.time = time
    self.fix = fix
  }
}

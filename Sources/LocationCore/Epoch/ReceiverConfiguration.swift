/// How a receiver's bytes become fixes.
package struct ReceiverConfiguration: Hashable, Sendable {
  /// What happens to sentences without checksum.
  package var checksums: ChecksumPolicy
  /// The largest 95 % radius that is published, metres; `nil` publishes any.
  package var maxAccuracy: Double?
  /// Dates before this one are suspected to be 1024 weeks (or a multiple) behind.
  package var floorDate: CalendarDate
  /// Whether a suspected date is moved forward by 1024 weeks until it is no longer before the floor.
  package var snapRollover: Bool
  /// 1 σ of a range measurement, metres. Multiplied by a dilution of precision it gives an accuracy when
  /// the receiver estimates none.
  package var rangeError: Double
  /// Whether epochs tell the satellites in view; who wants fixes only is served faster without.
  package var readsSatellites: Bool

  package init(
    checksums: ChecksumPolicy = .require, maxAccuracy: Double? = nil,
    floorDate: CalendarDate = Self.floorDate, snapRollover: Bool = false, rangeError: Double = 4,
    readsSatellites: Bool = true
  ) {
    self.checksums = checksums
    self.maxAccuracy = maxAccuracy
    self.floorDate = floorDate
    self.snapRollover = snapRollover
    self.rangeError = rangeError
    self.readsSatellites = readsSatellites
  }

  /// 2026-01-01. What runs live cannot have measured before it; a recording can, and is flagged.
  package static let floorDate = CalendarDate(daysSince1970: 20_454)
}

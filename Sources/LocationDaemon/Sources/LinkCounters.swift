/// What a source counted on its way in, before anything became an epoch; every count only grows.
package struct LinkCounters: Hashable, Sendable {
  /// Connections made.
  package var connections: UInt64 = 0
  /// Reports of a gpsd that were understood, of every class.
  package var reports: UInt64 = 0
  /// Lines that libgps did not understand, or that are none of gpsd's.
  package var malformed: UInt64 = 0
  /// Lines that were too long and were dropped whole.
  package var overlong: UInt64 = 0
  /// Reports of a class that is not read.
  package var unknown: UInt64 = 0
  /// Members of reports that were left out because they are objects where none belong.
  package var nested: UInt64 = 0
  /// Errors that gpsd told.
  package var errors: UInt64 = 0

  package init() {}

  static func + (left: LinkCounters, right: LinkCounters) -> LinkCounters {
    var sum = left
    sum.connections &+= right.connections
    sum.reports &+= right.reports
    sum.malformed &+= right.malformed
    sum.overlong &+= right.overlong
    sum.unknown &+= right.unknown
    sum.nested &+= right.nested
    sum.errors &+= right.errors
    return sum
  }
}

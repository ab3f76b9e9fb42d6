import LocationCore

/// A ride on the disk: its files, of one or several runs of the recorder.
package struct Ride: Hashable, Sendable {
  /// Its name.
  package let name: RideName
  /// The numbers of its files, ascending.
  package var parts: [Int]
  /// The size of its files together.
  package var bytes: Int
  /// When the newest of its files was last written, by the system clock.
  package var modified: UTCInstant

  /// A ride.
  package init(name: RideName, parts: [Int], bytes: Int, modified: UTCInstant) {
    self.name = name
    self.parts = parts
    self.bytes = bytes
    self.modified = modified
  }

  /// Its time lies ahead of what the time is, and no fix in it told the date: a clock that was wrong named it.
  package var isMisdated = false

  /// When it was: the start that its name tells, or when it was last written if its name tells none. One that was
  /// written while the clock was not set, and in which no fix ever told the date, is older than all others, and so is
  /// one that is misdated.
  package var age: UTCInstant { isMisdated ? UTCInstant(nanosecondsSince1970: .min) : name.start ?? modified }
}

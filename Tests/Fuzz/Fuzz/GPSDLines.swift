import GPSDProtocol
import LocationCore

@testable import LocationDaemon

/// The decoder of a gpsd's lines on arbitrary lines, and a receiver on the reports.
///
/// No line crashes libgps, every value of a fix lies in its range, and time does not go back.
enum GPSDTarget {
  /// The longest line that a gpsd source accepts.
  private static let longestLine = 16_384

  static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
    let reader = GPSDLineReader()
    precondition(reader.usesLibgps, "libgps is not installed, or not in the version of its header")
    var receiver = GPSDReceiver()
    var witness = EpochWitness()
    var instant = MonotonicInstant.zero
    var positions: UInt64 = 0
    for line in Array(input).split(separator: UInt8(ascii: "\n")) where line.count <= longestLine {
      instant = instant + .milliseconds(100)
      guard let report = reader.read(line).flatMap({ GPSDReport($0, at: instant) }) else { continue }
      if case .position = report { positions += 1 }
      receiver.receive(report, at: instant) { witness.check($0) }
    }
    receiver.endOfInput { witness.check($0) }
    // An epoch that was held back is reported when it is released.
    precondition(witness.epochs <= 2 * positions)
    precondition(witness.stepsBack <= receiver.counters.judge.clockSteps, "time went back")
    return 0
  }
}

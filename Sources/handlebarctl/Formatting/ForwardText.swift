import Forwarding
import LocationCore
import Recordings

/// The progress of forwarding, for people.
enum ForwardText {
  /// Rides that wait, the last acknowledgement and losses, without reading a ride.
  static func summary(_ state: ForwardState) -> String {
    let (text, acknowledged) = (waiting(state), acknowledged(state))
    return ([text, "last acknowledgement \(acknowledged)"] + (losses(state).map { ["\($0) lost"] } ?? []))
      .joined(separator: ", ")
  }

  /// The backlog in fixes, read from the rides.
  static func lines(_ state: ForwardState, backlog: (fixes: Int, oldest: UTCInstant?)) -> [String] {
    var lines = [Text.row("rides", state.rideDirectory.printable), Text.row("waiting", waiting(state))]
    lines.append(Text.row("backlog", "\(backlog.fixes) fixes"))
    if let oldest = backlog.oldest { lines.append(Text.row("oldest", time(oldest))) }
    lines.append(Text.row("last acknowledgement", acknowledged(state)))
    if let losses = losses(state) { lines.append(Text.row("lost", losses)) }
    return lines
  }

  private static func waiting(_ state: ForwardState) -> String {
    let rides: [Ride]
    do throws(RecordingError) {
      let directory = try RideDirectory(existing: state.rideDirectory)
      rides = try directory.ridesInOrder().filter { !directory.isInProgress($0) }
    } catch {
      return "\(state.rideDirectory.printable) cannot be read"
    }
    let waiting = rides.filter { state.rides[$0.name.stem]?.completeBytes != $0.bytes }
    guard let oldest = waiting.first else { return "all finished rides acknowledged" }
    return "\(waiting.count) of \(rides.count) finished rides wait, from \(oldest.name.stem) on"
  }

  private static func acknowledged(_ state: ForwardState) -> String {
    state.lastAcknowledgement.map { time($0) } ?? "never"
  }

  private static func losses(_ state: ForwardState) -> String? {
    state.lastLostRide.map { "\(state.lostRides) rides, the last \($0.printable)" }
  }

  private static func time(_ instant: UTCInstant) -> String {
    var text: [UInt8] = []
    UTCInstant(nanosecondsSince1970: instant.nanosecondsSince1970 / 1_000_000_000 * 1_000_000_000).write(into: &text)
    return String(decoding: text, as: UTF8.self)
  }
}

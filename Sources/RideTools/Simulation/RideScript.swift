import LocationCore
import Recordings

/// What happens during a simulated ride besides riding: becomes the event lines of its recording.
package struct RideScript: Sendable {
  /// One happening.
  enum Action: Sendable {
    /// The renderer says where its view stands: at the fix that it showed `lag` seconds ago (by its `seq`),
    /// moved by some metres back along the way and to its right.
    case view(lag: Double, behind: Double, aside: Double, cause: String?)
    /// A client engages or releases the follow mode.
    case follow(Bool)
    /// A client wants to hear of the arrival at the route's end.
    case target(String, radius: Int)
    /// The receiver is unplugged: nothing is received until it is plugged in again.
    case unplug
    /// The receiver is plugged in.
    case plug
  }

  /// A fix as a client has received it.
  struct Shown {
    /// Counts the published fixes, from 1.
    var sequence: Int
    /// When it was received, seconds from the start.
    var received: Double
    var position: Coordinate
    var course: Double
  }

  /// The happenings in the order of their times, seconds from the start.
  private(set) var steps: [(seconds: Double, action: Action)] = []

  /// Nothing happens.
  package init() {}

  /// Adds a happening; to be called in the order of time.
  mutating func at(_ seconds: Double, _ action: Action) {
    steps.append((seconds, action))
  }

  /// The request or the source's event as JSON; `nil` for a view that has no fix to show yet.
  static func json(of action: Action, at seconds: Double, shown: [Shown], goal: Route.Point) -> [UInt8]? {
    switch action {
    case .unplug: return RecordedEvent.sourceLost
    case .plug: return RecordedEvent.sourceFound
    case .follow(let isOn):
      return Array(#"{"request":"FOLLOW","view":"main","enable":\#(isOn)}"#.utf8)
    case .target(let name, let radius):
      var json = Array(#"{"request":"TARGET","name":"\#(name)""#.utf8)
      write(latitude: goal.latitude, longitude: goal.longitude, into: &json)
      json += Array(#","radius":\#(radius)}"#.utf8)
      return json
    case .view(let lag, let behind, let aside, let cause):
      guard let fix = shown.last(where: { $0.received <= seconds - lag }) else { return nil }
      let (sine, cosine) = ExactMath.sineCosine(degrees: fix.course)
      let scale = LocalScale(latitude: fix.position.latitude)
      let north = -behind * cosine - aside * sine
      let east = -behind * sine + aside * cosine
      var json = Array(#"{"request":"VIEW","view":"main""#.utf8)
      write(
        latitude: fix.position.latitude + north / scale.metresPerDegreeNorth,
        longitude: fix.position.longitude + east / scale.metresPerDegreeEast, into: &json)
      json += Array(#","seq":\#(fix.sequence)"#.utf8)
      if let cause { json += Array(#","cause":"\#(cause)""#.utf8) }
      json.append(UInt8(ascii: "}"))
      return json
    }
  }

  private static func write(latitude: Double, longitude: Double, into json: inout [UInt8]) {
    json += Array(#","lat":"#.utf8)
    json.append(latitude, decimals: 7)
    json += Array(#","lon":"#.utf8)
    json.append(longitude, decimals: 7)
  }
}

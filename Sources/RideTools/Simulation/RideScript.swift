import LocationCore
import Recordings

/// The events of a simulated ride, which become the event lines of its recording.
package struct RideScript: Sendable {
  /// One event.
  enum Action: Sendable {
    /// The renderer reports its view: centred on the fix that it showed `lag` seconds ago (by its `seq`), moved by metres
    /// backwards along the course and to its right.
    case view(lag: Double, behind: Double, aside: Double, cause: String?)
    /// A client engages or disengages follow mode.
    case follow(Bool)
    /// A client watches for the arrival at the end of the route.
    case target(String, radius: Int)
    /// The receiver is unplugged: nothing is received until it is plugged in again.
    case unplug
    /// The receiver is plugged in.
    case plug
  }

  /// A fix as received by a client.
  struct Shown {
    /// Counts the published fixes, from 1.
    var sequence: Int
    /// Seconds from the start.
    var received: Double
    var position: Coordinate
    var course: Double
  }

  /// The events in order of time, seconds from the start.
  private(set) var steps: [(seconds: Double, action: Action)] = []

  /// An empty script.
  package init() {}

  /// Adds an event; to be called in order of time.
  mutating func at(_ seconds: Double, _ action: Action) {
    steps.append((seconds, action))
  }

  /// The request or event of the source as JSON; `nil` for a view before the first fix.
  static func json(of action: Action, at seconds: Double, shown: [Shown], destination: Route.Point) -> [UInt8]? {
    switch action {
    case .unplug: return RecordedEvent.sourceLost
    case .plug: return RecordedEvent.sourceFound
    case .follow(let isOn):
      return Array(#"{"request":"FOLLOW","view":"main","enable":\#(isOn)}"#.utf8)
    case .target(let name, let radius):
      var json = Array(#"{"request":"TARGET","name":"\#(name)""#.utf8)
      write(latitude: destination.latitude, longitude: destination.longitude, into: &json)
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

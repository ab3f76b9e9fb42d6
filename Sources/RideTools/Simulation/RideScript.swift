import GPSDProtocol
import LocationCore
import Recordings

/// The events of a simulated ride, which become the event lines of its recording.
package struct RideScript: Sendable {
  enum Action: Sendable {
    /// The renderer reports its view: the fix shown `lag` seconds ago, moved by metres backwards and to the right.
    case view(lag: Double, behind: Double, aside: Double, cause: String?)
    case follow(Bool)
    /// A client watches for the arrival at the end of the route.
    case target(String, radius: Int)
    /// The receiver is plugged in, or unplugged: nothing is received until it is plugged in again.
    case plug(Bool)
  }

  /// The events in order of time, seconds from the start.
  private(set) var steps: [(seconds: Double, action: Action)] = []

  /// Adds an event; to be called in order of time.
  mutating func at(_ seconds: Double, _ action: Action) { steps.append((seconds, action)) }

  /// The request or event of the source as JSON; `nil` for a view before the first fix. `shown` are the published fixes,
  /// each with the seconds at which it was received.
  static func json(
    of action: Action, at seconds: Double, shown: [(fix: SimulatedEpoch, received: Double)], destination: Route.Point
  ) -> [UInt8]? {
    var json = JSONLine(capacity: 256)
    json.beginObject()
    switch action {
    case .plug(let isIn): return isIn ? RecordedEvent.sourceFound : RecordedEvent.sourceLost
    case .follow(let isOn): return Request.engine(.setFollow(view: "main", enable: isOn)).recorded
    case .target(let name, let radius):
      json.field("request", "TARGET")
      json.field("name", name)
      json.field("lat", destination.latitude, decimals: 7, trimmed: false)
      json.field("lon", destination.longitude, decimals: 7, trimmed: false)
      json.field("radius", radius)
    case .view(let lag, let behind, let aside, let cause):
      guard let index = shown.lastIndex(where: { $0.received <= seconds - lag }),
        let position = shown[index].fix.reported
      else { return nil }
      let (sine, cosine) = ExactMath.sineCosine(degrees: shown[index].fix.course)
      let scale = LocalScale(latitude: position.latitude)
      let north = -behind * cosine - aside * sine
      let east = -behind * sine + aside * cosine
      json.field("request", "VIEW")
      json.field("view", "main")
      json.field("lat", position.latitude + north / scale.metresPerDegreeNorth, decimals: 7, trimmed: false)
      json.field("lon", position.longitude + east / scale.metresPerDegreeEast, decimals: 7, trimmed: false)
      json.field("seq", index + 1)
      json.field("cause", cause)
    }
    json.endObject()
    return Array(json.bytes)
  }
}

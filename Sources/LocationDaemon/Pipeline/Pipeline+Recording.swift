import GPSDProtocol
import LocationCore
import NIOCore
import Recordings

/// What a recording keeps besides the fixes that it leads to.
extension Pipeline {
  func record(_ bytes: ByteBuffer, from lane: Lane, at instant: MonotonicInstant) {
    recorder?.read(bytes, from: lane.index, at: instant)
  }

  /// Records what a client asked and was granted, in the form in which a replay repeats it.
  func recordEvent(at instant: MonotonicInstant, _ write: (inout EventLine) -> Void) {
    guard let recorder, eventBudget.take(at: instant) else { return }
    var line = EventLine()
    write(&line)
    recorder.event(Array(line.json.bytes), from: nil, at: instant)
  }

  /// A replay loses the source at the same moment, not after the silence that follows.
  func recordLoss(of lane: Lane, at instant: MonotonicInstant) {
    recorder?.event(RecordedEvent.sourceLost, from: lane.index, at: instant)
  }

  /// Records that a source is open again, if it was away.
  func recordReturn(of lane: Lane, at instant: MonotonicInstant) {
    switch supervisor.states[lane.index].phase {
    case .lost, .failed: recorder?.event(RecordedEvent.sourceFound, from: lane.index, at: instant)
    case .idle, .opening, .acquiring, .tracking: break
    }
  }
}

/// One recorded event: a client's request in its wire form with its name in front.
struct EventLine {
  private(set) var json = JSONLine(capacity: 256)

  mutating func write(_ view: ViewRequest) {
    json.beginObject()
    json.field("request", "VIEW")
    json.field("view", view.view)
    json.field("lat", view.position.latitude, decimals: 9)
    json.field("lon", view.position.longitude, decimals: 9)
    json.field("seq", view.seq)
    json.field("cause", view.cause?.rawValue)
    json.endObject()
  }

  mutating func writeFollow(view: String, enable: Bool) {
    json.beginObject()
    json.field("request", "FOLLOW")
    json.field("view", view)
    json.field("enable", enable)
    json.endObject()
  }

  mutating func write(_ target: TargetRequest) {
    json.beginObject()
    json.field("request", "TARGET")
    json.field("name", target.name)
    json.field("lat", target.position.latitude, decimals: 9)
    json.field("lon", target.position.longitude, decimals: 9)
    json.field("radius", target.radius, decimals: 3)
    json.endObject()
  }

  mutating func writeTargetOff(name: String) {
    json.beginObject()
    json.field("request", "TARGET")
    json.field("name", name)
    json.field("enable", false)
    json.endObject()
  }
}

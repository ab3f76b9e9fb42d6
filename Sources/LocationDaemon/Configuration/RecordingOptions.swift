import LocationCore
import Recordings

/// How to replay: `recording:ride.nmea?speed=10&loop=true`, several files separated by commas.
package struct RecordingOptions: Hashable, Sendable {
  /// How fast recorded time runs.
  package enum Speed: Hashable, Sendable {
    /// So many recorded seconds in a second, 0.1 to 1000.
    case times(Double)
    /// As fast as the machine can, on virtual time.
    case max
  }

  /// When the replay starts.
  package enum Start: String, Hashable, Sendable {
    /// With the daemon.
    case now
    /// When the first client subscribes: nothing is missed.
    case watch
  }

  /// The speed as the replay's schedule knows it.
  var replaySpeed: ReplaySpeed {
    switch speed {
    case .times(let rate): ReplaySpeed(rate) ?? .times(1)
    case .max: .max
    }
  }

  /// The files, in order.
  package var paths: [String]
  /// How fast.
  package var speed: Speed
  /// Whether to start over at the end.
  package var loops: Bool
  /// When to start; at full speed the default is `watch`, since the ride would be over before anyone connects.
  package var start: Start
  /// What to do with sentences that carry no checksum.
  package var checksums: ChecksumPolicy
  /// Whether dates of a receiver that lost count of 1024 weeks are moved forward.
  package var snapsRollover = false

  package init(
    paths: [String], speed: Speed = .times(1), loops: Bool = false, start: Start? = nil,
    checksums: ChecksumPolicy = .require
  ) {
    self.paths = paths
    self.speed = speed
    self.loops = loops
    self.start = start ?? (speed == .max ? .watch : .now)
    self.checksums = checksums
  }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    let paths = query.path.split(separator: ",").map(String.init)
    guard !paths.isEmpty else {
      throw query.error("a recording source needs a file, for example recording:recordings/city.nmea")
    }
    let speed: Speed
    switch query.take("speed") {
    case nil: speed = .times(1)
    case "max": speed = .max
    case .some(let text):
      guard case .times(let value) = ReplaySpeed(text: text), value >= 0.1 else {
        throw query.error("speed=\(text) is not a replay speed; use 0.1 to 1000, or max")
      }
      speed = .times(value)
    }
    let loops = try query.takeFlag("loop") ?? false
    var start: Start?
    if let text = query.take("start") {
      start = Start(rawValue: text)
      if start == nil { throw query.error("start=\(text) is not known; use now or watch") }
    }
    if loops, speed == .max { throw query.error("loop and speed=max together would never end; use a speed up to 1000") }
    self.init(paths: paths, speed: speed, loops: loops, start: start, checksums: try query.takeChecksumPolicy())
    snapsRollover = try query.takeRollover()
  }
}

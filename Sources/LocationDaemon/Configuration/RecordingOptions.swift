import LocationCore
import Recordings

/// How to replay: `recording:ride.nmea?speed=10&loop=true`, more files by `&then=FILE` each; a character that means
/// something in a URI is written as its percent code.
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
  /// Which of several recorded sources is played, counted from 0; `nil` = the first that the recording tells of.
  package var recordedSource: Int?

  package init(
    paths: [String], speed: Speed = .times(1), loops: Bool = false, start: Start? = nil,
    checksums: ChecksumPolicy = .require, recordedSource: Int? = nil
  ) {
    self.paths = paths
    self.speed = speed
    self.loops = loops
    self.start = start ?? (speed == .max ? .watch : .now)
    self.checksums = checksums
    self.recordedSource = recordedSource
  }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    let paths = [query.path] + query.takeAll("then")
    guard paths.allSatisfy({ !$0.isEmpty }) else {
      throw query.error("a recording source needs a file, for example recording:recordings/city.nmea")
    }
    if paths.contains(where: { $0.utf8.contains(0) }) {
      throw query.error("%00 cannot be part of a file's name; leave it out")
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
    var recordedSource: Int?
    if let text = query.take("src") {
      guard (1...5).contains(text.utf8.count), let number = Int64(digits: text.utf8), let place = Int(exactly: number)
      else { throw query.error("src=\(text) is not the number of a recorded source; the first is 0") }
      recordedSource = place
    }
    if loops, speed == .max { throw query.error("loop and speed=max together would never end; use a speed up to 1000") }
    self.init(
      paths: paths, speed: speed, loops: loops, start: start, checksums: try query.takeChecksumPolicy(),
      recordedSource: recordedSource)
    snapsRollover = try query.takeRollover()
  }
}

import GPSDProtocol
import LocationCore
import RideTools

/// Options of a replay: `recording:ride.nmea?speed=10&loop=true`; `&then=FILE` adds a (percent-encoded) file.
package struct RecordingOptions: Hashable, Sendable {
  package enum Start: String, Hashable, Sendable {
    case now
    /// With the first subscriber, so that it misses nothing.
    case watch
  }

  package var paths: [String]
  package var speed = PlaybackSpeed.times(1)
  package var loops = false
  /// Start of the replay. At full speed the default of a URI is `watch`: otherwise it ends before a client connects.
  package var start = Start.now
  /// Policy for sentences without a checksum; `nil` for the recording's own.
  package var statedChecksums: ChecksumPolicy?
  package var snapsRollover = false
  /// Index of the one recorded source to replay, from 0; `nil` for all of them.
  package var recordedSource: Int?
}

extension RecordingOptions: SourceKind {
  package var scheme: String { "recording" }
  package var device: String { paths.first ?? "" }
  package var form: SourceSetup.Form { .either }
  package var isLive: Bool { false }
  package var pace: PlaybackSpeed? { speed }
  package var checksums: ChecksumPolicy { statedChecksums ?? .require }
  package var startsWithSubscriber: Bool { start == .watch }

  package func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    RecordingSource(self, into: inlet)
  }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    paths = [query.path] + query.takeAll("then")
    guard paths.allSatisfy({ !$0.isEmpty }) else {
      throw query.error("a recording source needs a file, for example recording:recordings/city.nmea")
    }
    if let text = query.take("speed") {
      guard let stated = PlaybackSpeed(text: text) else {
        throw query.error("speed=\(text) is out of range; use 0.1 to 1000, or max")
      }
      speed = stated
    }
    loops = try query.takeFlag("loop") ?? false
    start =
      try query.takeCase("start", orElse: "is not valid; use now or watch") ?? (speed == .max ? .watch : .now)
    if let text = query.take("src") {
      guard (1...5).contains(text.utf8.count), let number = Int64(digits: text.utf8), let index = Int(exactly: number)
      else { throw query.error("src=\(text) is not the number of a recorded source; the first is 0") }
      recordedSource = index
    }
    if loops, speed == .max { throw query.error("loop and speed=max together would never end; use a speed up to 1000") }
    statedChecksums = try query.takeChecksumPolicy()
    snapsRollover = try query.takeRollover()
  }
}

/// Options of a live simulation: `simulate:route.gpx?speed=12`, `simulate:city`, `simulate:tour?seed=7&rate=10`.
package struct SimulatedSourceOptions: Hashable, Sendable {
  package var ride: SimulationOptions
  /// Simulated seconds per second, 0.1 to 1000.
  package var rate = 1.0
  package var loops = false
}

extension SimulatedSourceOptions: SourceKind {
  package var scheme: String { "simulate" }
  package var isLive: Bool { false }
  package var pace: PlaybackSpeed? { .times(rate) }

  package func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    RecordingSource(
      RecordingOptions(paths: [], speed: .times(rate), loops: loops), simulating: self, into: inlet)
  }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    let path = query.path
    do throws(SimulationError) {
      ride =
        if SimulationOptions.rideNames.contains(path) || path.isEmpty {
          try SimulationOptions(named: path.isEmpty ? "tour" : path)
        } else {
          SimulationOptions(.file(path))
        }
    } catch {
      throw query.error("\(error)")
    }
    for key in SimulationKey.allCases {
      let value: String?
      if key.isFlag {
        value = try query.takeFlag(key.rawValue) == true ? "true" : nil
      } else {
        value = query.take(key.rawValue)
      }
      guard let value else { continue }
      do throws(SimulationError) {
        try ride.set(key, to: value)
      } catch {
        throw query.error("\(error)")
      }
    }
    if let text = query.take("rate") {
      guard case .times(let stated) = PlaybackSpeed(text: text) else {
        throw query.error("rate=\(text) is out of range; use 0.1 to 1000")
      }
      rate = stated
    }
    loops = try query.takeFlag("loop") ?? false
  }

  package var device: String {
    switch ride.road {
    case .file(let path): path
    case .bundled, .tour: "simulate:\(ride.roadName)"
    }
  }
}

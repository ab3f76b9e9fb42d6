import LocationCore
import Recordings
import RideTools

/// The files of a recording. Positions in them can be sought.
final class RecordedReplay {
  var replay: RecordingReplay

  init(_ options: RecordingOptions) throws(RecordingError) {
    // All of them before anything is played: a missing file is reported now, not after the first one.
    for path in options.paths { _ = try RecordingReader.format(ofFileAt: path) }
    replay = try RecordingReplay(
      files: options.paths, loop: options.loops, observes: options.loops || options.speed != .max)
  }
}

/// A simulated ride: a recording made on the fly. The same options give the same items.
final class SimulatedReplay {
  private let loops: Bool
  private var hasBegun = false
  private var ride: SimulatedRide
  private var feed: RideFeed
  private var start = Duration.zero
  private var offset = Duration.zero
  private var pass = 0

  /// A ride from its start; reads the route's file if there is one.
  init(_ options: SimulatedSourceOptions) throws(SimulationError) {
    ride = try options.ride.ride()
    feed = RideFeed(ride)
    loops = options.loops
  }

  func next() -> RecordingReplay.Item? {
    guard hasBegun else {
      hasBegun = true
      return item(.begin(RecordedSetup(devices: [""])), at: .zero)
    }
    while true {
      switch feed.next() {
      case .read(let bytes, let time): return item(.bytes(bytes), at: time)
      case .event(let json, let time, _): return item(RecordedInput.Content(event: json), at: time)
      case .epoch: continue
      case nil:
        guard loops else { return nil }
        beginNextPass()
      }
    }
  }

  private func item(_ content: RecordedInput.Content, at time: Duration) -> RecordingReplay.Item {
    offset = max(offset, start + time)
    return RecordingReplay.Item(RecordedInput(content, at: .zero + offset), position: time, pass: pass)
  }

  /// The same road with the next seed, two seconds later, by a receiver that stayed on.
  private func beginNextPass() {
    let length = Duration.seconds(Int64(ride.motion.duration) + 2)
    ride.start = ride.time(after: length).utc
    ride.seed &+= 1
    ride.receiver.coldStart = 0
    ride.conditions.hasLeapSecond = false
    feed = RideFeed(ride)
    start += length
    pass += 1
  }
}

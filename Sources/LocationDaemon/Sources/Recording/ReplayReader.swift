import LocationCore
import Recordings
import RideTools

/// What a replay plays, item by item: recorded files, or a ride that is simulated while it is played.
protocol ReplayReader: AnyObject {
  /// The next item; `nil` at the end.
  func next() throws(RecordingError) -> ReplayItem?
}

/// The files of a recording. Positions in them can be sought.
final class RecordedReplay: ReplayReader {
  var schedule: ReplaySchedule
  /// The policy with which the receiver was read, if the header states it.
  let checksums: ChecksumPolicy?

  /// Opens the files.
  init(_ options: RecordingOptions) throws(RecordingError) {
    // All of them before anything is played: a missing file is reported now, not after the first one.
    for path in options.paths { _ = try RecordingReader.format(ofFileAt: path) }
    checksums = try RecordedSetup(ofFileAt: options.paths[0])?.checksums
    schedule = try ReplaySchedule(files: options.paths, speed: options.replaySpeed, loop: options.loops)
  }

  func next() throws(RecordingError) -> ReplayItem? { try schedule.next() }
}

/// A simulated ride: a recording made on the fly. The same options give the same items.
final class SimulatedReplay: ReplayReader {
  private let loops: Bool
  private var ride: SimulatedRide
  private var feed: RideFeed
  /// Offset of the ride's start.
  private var start = Duration.zero
  /// Offset of the newest item.
  private var offset = Duration.zero
  private var pass = 0

  /// A ride from its start; reads the route's file if there is one.
  init(_ options: SimulatedSourceOptions) throws(SimulationError) {
    ride = try options.ride.ride()
    feed = RideFeed(ride)
    loops = options.loops
  }

  func next() -> ReplayItem? {
    while true {
      switch feed.next() {
      case .read(let bytes, let time): return item(.burst(RecordedBurst(stamp: nil, bytes: bytes)), at: time)
      case .event(let json, let time, _): return item(.event(RecordedEvent(stamp: nil, json: json)), at: time)
      case .epoch: continue
      case nil:
        guard loops else { return nil }
        beginNextPass()
      }
    }
  }

  private func item(_ content: ReplayItem.Content, at time: Duration) -> ReplayItem {
    offset = max(offset, start + time)
    return ReplayItem(offset: offset, position: time, pass: pass, measurement: pass, content: content)
  }

  /// The same road with the next seed, two seconds later, by a receiver that stayed on.
  private func beginNextPass() {
    let length = Duration.seconds(Int64(ride.motion.duration) + 2)
    ride.start = ride.clock.time(after: length).utc
    ride.seed &+= 1
    ride.receiver.coldStart = 0
    ride.conditions.hasLeapSecond = false
    feed = RideFeed(ride)
    start += length
    pass += 1
  }
}

import GPSDProtocol
import NIOCore
import Recordings
import Synchronization

/// The way of the ride that is recorded, for pages that are opened in the middle of it, also while the daemon is away.
/// It is read from the ride's files, where this process may read them, each time only what was added.
final class RideTrail: Sendable {
  private let ride = Mutex<RecordedRide?>(nil)
  /// Used by the reading thread alone.
  private let reading = Mutex<RideReading?>(nil)

  /// Takes whole lines of the daemon; a `RECORD` among them names the ride.
  func note(_ lines: ByteBuffer) {
    for line in lines.readableBytesView.split(separator: UInt8(ascii: "\n"))
    where line.starts(with: #"{"class":"RECORD""#.utf8) {
      guard case .record(let report)? = try? Report(line: ArraySlice(line)), report.state != .starting else { continue }
      ride.withLock { $0 = RecordedRide(report) }
    }
  }

  /// The answer to a page; `nil` without a ride that is recorded and can be read. Memory cards are slow: off the loop.
  func read(on loop: any EventLoop) -> EventLoopFuture<ByteBuffer?> {
    guard let ride = ride.withLock({ $0 }) else { return loop.makeSucceededFuture(nil) }
    return TileReader.reader.runIfActive(eventLoop: loop) { [self] in
      reading.withLock { reading in
        if reading?.ride != ride { reading = try? RideReading(ride) }
        reading?.readOn()
        return reading?.line.json
      }
    }.recover { _ in nil }
  }
}

private struct RecordedRide: Hashable, Sendable {
  let directory: String
  let name: RideName

  init?(_ report: RecordReport) {
    guard report.state == .recording, let directory = report.directory, let ride = report.ride,
      let name = RideName.parse(file: "\(ride).nmea")?.name
    else { return nil }
    (self.directory, self.name) = (directory, name)
  }
}

/// A recorded ride that is read on while it grows.
private struct RideReading: ~Copyable, Sendable {
  let ride: RecordedRide
  private(set) var line = RideLine()
  private var reader: RideReader

  init(_ ride: RecordedRide) throws(RecordingError) {
    self.init(ride, try RideReader(files: ["\(ride.directory)/\(ride.name.file(part: 1))"], followsLinks: false))
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(_ ride: RecordedRide, _ reader: consuming RideReader) {
    self.ride = ride
    self.reader = reader
    self.reader.mayGrow = true
  }

  mutating func readOn() {
    while true {
      // What cannot be read ends the line; what was read before stays.
      while (try? reader.advance()) ?? false {
        for index in reader.moments.indices {
          if case .fix(let fix) = reader.moments[index] { line.add(fix.fix, isApart: fix.beginsSegment) }
        }
      }
      // The recorder goes on in another file after an hour, and when it has been started again.
      guard reader.addNextFile(of: ride.name, in: ride.directory) else { return }
    }
  }
}

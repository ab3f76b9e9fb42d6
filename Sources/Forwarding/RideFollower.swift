import Glibc
import LocationCore
import Recordings

/// A reader of the fixes of a ride that are to be forwarded, also while the ride is recorded.
/// A fix without a date has no time to send and is left out. The recorder may rename a ride in progress or join it to
/// the previous one until the first date, and as long as its name has no date; a burst is read only once the next one
/// is recorded, and by then the recorder has given the ride its final name.
final class RideFollower {
  enum Step {
    /// A fix that passes the filter. The range ends with its number and covers all left out before it.
    case fix(Fix, numbers: ClosedRange<UInt64>)
    case pause
    /// No more; the ride had this size.
    case end(bytes: Int)
    case gone
  }

  let ride: RideName
  let listedBytes: Int
  /// All numbers up to this one have been read.
  private(set) var position: UInt64 = 0
  private let directory: RideDirectory
  private var reader: RideReader
  private var index = 0
  private var filter: DistanceFilter
  private var hasFinalName = false
  private var bytes = 0

  init(_ ride: Ride, in directory: RideDirectory, filter: FilterConfiguration) throws(RecordingError) {
    self.ride = ride.name
    listedBytes = ride.bytes
    self.directory = directory
    reader = try RideReader(files: directory.files(of: ride), followsLinks: false)
    reader.mayGrow = true
    self.filter = DistanceFilter(filter)
  }

  func next() throws(RecordingError) -> Step {
    while true {
      while index < reader.moments.count {
        index += 1
        guard case .fix(let trackFix) = reader.moments[index - 1] else { continue }
        guard let measured = trackFix.fix.measured, measured >= ReceiverConfiguration.floor else { continue }
        if !hasFinalName {
          if ride.start == nil, RecordingFile.isBeingWritten(reader.paths.last ?? "") {
            index -= 1
            return .pause
          }
          hasFinalName = exists(reader.paths[0])
          guard hasFinalName else { return .gone }
        }
        var published = PublishedFix(
          fix: trackFix.fix, seq: trackFix.number, source: trackFix.source, changes: trackFix.changes)
        published.sensed = trackFix.sensed
        guard trackFix.number > position, filter.evaluate(published, at: trackFix.fix.received) != nil else { continue }
        defer { position = trackFix.number }
        return .fix(trackFix.fix, numbers: (position + 1)...trackFix.number)
      }
      let hasMoments = try reader.advance()
      index = 0
      if hasMoments { continue }
      guard reader.mayGrow else { return .end(bytes: bytes) }
      guard exists(reader.paths[0]) else { return .gone }
      if reader.addNextFile(of: ride, in: directory.path) { continue }
      // The recorder creates the next file before it closes the last one.
      if RecordingFile.isBeingWritten(reader.paths.last ?? "") { return .pause }
      if reader.addNextFile(of: ride, in: directory.path) { continue }
      bytes = reader.paths.reduce(0) { bytes, file in
        let (sum, overflow) = bytes.addingReportingOverflow(RideDirectory.status(file)?.size ?? 0)
        return overflow ? .max : sum
      }
      reader.mayGrow = false
    }
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

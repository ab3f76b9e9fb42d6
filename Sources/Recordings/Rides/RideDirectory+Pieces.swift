import Libc
import LocationCore

extension RideDirectory {
  /// Joins rides that a power cut or a failure left in two pieces while their files were renamed, and returns their
  /// names. Files are renamed in order, so the new name has the first parts and the old name the rest; one file may
  /// have both. Two pieces belong together if they share it, or if the same run of a recorder wrote the last part of
  /// the one and the first of the other. Of the latter only the newest and rides that were written at about the same
  /// time are considered, so that many rides delay nothing.
  func joinPieces(of rides: [Ride]) -> [RideName] {
    var joined: [RideName] = []
    var rides = rides
    let tails = rides.filter { $0.parts.first ?? 1 > 1 }.sorted { $0.modified > $1.modified }.prefix(Self.maximumTails)
    func join(_ tail: Ride, to head: Ride) throws(RecordingError) {
      try append(tail, to: head)
      joined.append(head.name)
      rides.removeAll { $0.name == head.name || $0.name == tail.name }
    }
    do throws(RecordingError) {
      for (old, new) in twins(among: rides) { try join(old, to: new) }
      for tail in tails {
        if let head = head(of: tail, among: rides) { try join(tail, to: head) }
      }
    } catch {
      // They remain two undamaged rides.
    }
    if !joined.isEmpty { synchronize() }
    return joined
  }

  private static let maximumTails = 8
  private static let maximumHeads = 64

  /// Rides whose first file is the last one of another ride, too, and those: its old and its new name.
  private func twins(among rides: [Ride]) -> [(old: Ride, new: Ride)] {
    let ends = Dictionary(grouping: rides) { ride in ride.parts.last.flatMap { linkedFile(ride, $0) } }
    func start(_ ride: Ride) -> Int64 { ride.name.start?.nanosecondsSince1970 ?? .min }
    return rides.compactMap { old in
      guard old.parts.first == 1, let file = linkedFile(old, 1), !isInProgress(old) else { return nil }
      // If no other file was renamed, the old name has no date, or that of a clock that was behind.
      let new = ends[file]?.first { $0.parts.last != 1 || old.parts.count > 1 || start(old) < start($0) }
      return new.map { (old, $0) }
    }
  }

  /// The number of a file that has several names.
  private func linkedFile(_ ride: Ride, _ part: Int) -> ino_t? {
    var status = stat()
    guard lstat(location(of: ride.name.file(part: part)), &status) == 0, status.st_nlink > 1 else { return nil }
    return status.st_ino
  }

  private func head(of tail: Ride, among rides: [Ride]) -> Ride? {
    guard let first = tail.parts.first, let run = run(of: tail, first), !isInProgress(tail) else { return nil }
    func distance(_ ride: Ride) -> Duration { max(ride.modified - tail.modified, tail.modified - ride.modified) }
    return rides.filter { $0.name != tail.name && $0.parts.last ?? 0 >= first - 1 }
      .sorted { distance($0) < distance($1) }.prefix(Self.maximumHeads)
      .first { ride in
        ride.parts.last.flatMap { self.run(of: ride, $0) } == run && !isInProgress(ride)
      }
  }

  private func append(_ tail: Ride, to head: Ride) throws(RecordingError) {
    var next = (head.parts.last ?? 0) + 1
    for part in tail.parts {
      let file = location(of: tail.name.file(part: part))
      if part == tail.parts.first, isSame(file, location(of: head.name.file(part: next - 1))) {
        // The file has both names: a power cut before the old one was removed.
        RecordingFile.remove(file)
        continue
      }
      try RecordingFile.rename(file, to: location(of: head.name.file(part: next)))
      next += 1
    }
    RecordingFile.remove(location(of: Self.indexFile(of: tail.name)))
  }

  /// The run of the recorder that wrote a part; `nil` if its header does not name it.
  private func run(of ride: Ride, _ part: Int) -> RecorderRun? {
    let run = header(ofFileAt: location(of: ride.name.file(part: part))).map { RecorderRun($0) }
    return run?.boot == nil || run?.begun == nil ? nil : run
  }

  private func isSame(_ file: String, _ other: String) -> Bool {
    var (one, two) = (stat(), stat())
    return lstat(file, &one) == 0 && lstat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino
  }
}

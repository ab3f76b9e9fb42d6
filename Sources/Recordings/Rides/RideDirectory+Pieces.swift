import Glibc
import LocationCore

extension RideDirectory {
  /// Joins rides that a power cut or a failure left in two pieces while their files were renamed, and returns their names.
  ///
  /// Files are renamed in order, so the new name has the first parts and the old name the rest. Two pieces belong together
  /// if the same run of a recorder wrote the last part of the one and the first of the other.
  func joinPieces() -> [RideName] {
    var joined: [RideName] = []
    do throws(RecordingError) {
      var rides = try rides()
      // Each step leaves fewer pieces.
      while let (head, tail) = pieces(of: rides) {
        try append(tail, to: head)
        joined.append(head.name)
        rides.removeAll { $0.name == head.name || $0.name == tail.name }
      }
    } catch {
      // They remain two undamaged rides.
    }
    if !joined.isEmpty { synchronize() }
    return joined
  }

  /// The header of a recording, after damage at most; `nil` without one within the first items.
  func header(ofFileAt path: String) -> RecordingHeader? {
    do throws(RecordingError) {
      var reader = try RecordingReader(path: path)
      for _ in 0..<8 {
        if case .header(let header)? = try reader.next() { return header }
      }
    } catch {
      // An unreadable file has no header.
    }
    return nil
  }

  private func pieces(of rides: [Ride]) -> (head: Ride, tail: Ride)? {
    for tail in rides {
      guard let first = tail.parts.first, first > 1, let run = run(of: tail, first), !isInProgress(tail) else {
        continue
      }
      let head = rides.first { ride in
        guard ride.name != tail.name, let last = ride.parts.last, last >= first - 1 else { return false }
        return self.run(of: ride, last) == run && !isInProgress(ride)
      }
      if let head { return (head, tail) }
    }
    return nil
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

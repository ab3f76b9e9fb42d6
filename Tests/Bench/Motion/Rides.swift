import Glibc
import LocationCore
import Recordings

/// The fixes of a ride, of which one per second is used, and where the rider was if a simulator says so.
struct HeldBackFixes {
  let all: [Fix]
  /// Indices of the fixes that are used.
  let used: [Int]
  /// True positions by their time of day, milliseconds; empty for a real ride.
  private let truth: [Int64: Coordinate]

  /// Reads a ride, and the simulator's truth beside it: `ride.nmea` and `ride.truth`.
  init(file: String) throws(RecordingError) {
    var reader = try RideReader(files: [file])
    var fixes: [Fix] = []
    while try reader.advance() {
      for index in reader.moments.indices {
        guard case .fix(let fix) = reader.moments[index], let time = fix.fix.measured else { continue }
        if let last = fixes.last?.measured, time <= last { continue }
        fixes.append(fix.fix)
      }
    }
    all = fixes
    used = fixes.indices.filter { (fixes[$0].measured?.nanosecondsSince1970 ?? 1) % 1_000_000_000 == 0 }
    truth = file.hasSuffix(".nmea") ? Self.truth(in: file.dropLast(5) + ".truth") : [:]
  }

  /// Whether the rider's true positions are known.
  var hasTruth: Bool { !truth.isEmpty }

  /// A fix as the estimator receives it, 0.1 s after its measurement.
  func published(_ index: Int) -> PublishedFix {
    var fix = all[index]
    fix.received = arrival(of: index)
    return PublishedFix(fix: fix, seq: UInt64(index + 1), source: 0)
  }

  /// The way as someone may have planned it: points 40 m apart, closer in bends, and all of them 3.6 m beside.
  var course: Course? {
    var points: [CoursePoint] = []
    var last: (position: Coordinate, bearing: Double)?
    for fix in all {
      guard let time = fix.measured, let position = hasTruth ? truth(at: time.nanosecondsSince1970) : fix.position,
        let planned = Coordinate(latitude: position.latitude + 2 / 111_200, longitude: position.longitude + 3 / 74_000)
      else { continue }
      guard let before = last else {
        last = (position, 0)
        points.append(CoursePoint(planned))
        continue
      }
      let way = before.position.distance(to: position)
      guard way >= 5, let bearing = before.position.bearing(to: position) else { continue }
      let isBend = abs((bearing - before.bearing).remainder(dividingBy: 360)) > 8
      guard way >= 40 || isBend else { continue }
      last = (position, bearing)
      points.append(CoursePoint(planned))
    }
    return try? Course(name: "", points: points)
  }

  func arrival(of index: Int) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: time(of: index) - time(of: 0) + 1_100_000_000)
  }

  func time(of index: Int) -> Int64 { all[index].measured?.nanosecondsSince1970 ?? 0 }

  /// The fixes' position at a time; between two fixes only if they are close. `index` is where the search begins.
  func position(at time: Int64, from index: inout Int) -> Coordinate? {
    while index + 1 < all.count, self.time(of: index + 1) <= time + 4_000_000 { index += 1 }
    let start = self.time(of: index)
    if abs(time - start) <= 4_000_000 { return all[index].position }
    guard index + 1 < all.count, time > start, self.time(of: index + 1) - start <= 500_000_000 else { return nil }
    return Self.mean(
      all[index].position, all[index + 1].position,
      Double(time - start) / Double(self.time(of: index + 1) - start))
  }

  /// The rider's true position at a time, between the simulator's of 0.1 or 1 s.
  func truth(at time: Int64) -> Coordinate? {
    let milliseconds = time / 1_000_000 % 86_400_000
    for step in [Int64(100), 200, 1000] {
      let begin = milliseconds / step * step
      guard let from = truth[begin], let to = truth[begin + step] else { continue }
      return Self.mean(from, to, Double(milliseconds - begin) / Double(step))
    }
    return nil
  }

  private static func mean(_ from: Coordinate, _ to: Coordinate, _ part: Double) -> Coordinate? {
    Coordinate(
      latitude: from.latitude + part * (to.latitude - from.latitude),
      longitude: from.longitude + part * (to.longitude - from.longitude))
  }

  private static func truth(in path: String) -> [Int64: Coordinate] {
    guard let file = fopen(path, "r") else { return [:] }
    defer { fclose(file) }
    var truth: [Int64: Coordinate] = [:]
    var buffer = [CChar](repeating: 0, count: 512)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
      let fields = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }.split(
        separator: ",")
      func value(_ name: String) -> Substring? {
        fields.first { $0.hasPrefix("\"\(name)\":") }.map { $0.dropFirst(name.utf8.count + 3) }
      }
      guard let clock = value("time")?.split(separator: "T").last?.prefix(while: { $0 != "Z" }),
        let latitude = value("lat").flatMap({ Double($0) }), let longitude = value("lon").flatMap({ Double($0) })
      else { continue }
      let parts = clock.split(separator: ":").compactMap { Double($0) }
      guard parts.count == 3 else { continue }
      let seconds = (parts[0] * 60 + parts[1]) * 60 + parts[2]
      truth[Int64((seconds * 1000).rounded())] = Coordinate(latitude: latitude, longitude: longitude)
    }
    return truth
  }
}

/// One subject with one client on a line that delivers each byte at its own time.
final class PacedLine {
  let running: RunningSubject
  let client: Client
  private let profile: WireProfile
  private let epochs: ArraySlice<WireEpochs.Epoch>
  /// The instant of the first epoch's first byte.
  var begin: Int64 = 0
  private var epoch: Int
  /// From `begin` to the first byte of the epoch, nanoseconds: later than its own time on a line that is too slow.
  private var start: Int64 = 0
  private var sent = 0
  /// The instant at which the last byte that an epoch's fix needs was written, by the epoch's time of day.
  private var needed: [Int: Int64] = [:]
  /// The instant of the last line with an epoch's fix, and the number of such lines, by the epoch's time of day.
  private var published: [Int: (at: Int64, count: Int)] = [:]

  init(_ subject: Subject, _ profile: WireProfile, _ epochs: ArraySlice<WireEpochs.Epoch>, scratch: Scratch) throws {
    running = try subject.start(in: scratch)
    client = try running.subscribe()
    self.profile = profile
    self.epochs = epochs
    epoch = epochs.startIndex
  }

  /// The instant at which the next bytes arrive; `nil` after the last.
  var due: Int64? {
    guard epoch < epochs.endIndex else { return nil }
    return begin + start + Int64(end) * profile.byteTime
  }

  /// From `begin` to the time of an epoch, nanoseconds.
  private func time(of epoch: Int) -> Int64 {
    Int64(epoch - epochs.startIndex) * 1_000_000_000 / Int64(profile.rate)
  }

  /// The end of the next bytes: a chunk, but not beyond the byte that completes the fix.
  private var end: Int {
    let bound = sent < epochs[epoch].needed ? epochs[epoch].needed : epochs[epoch].bytes.count
    return min(sent + profile.chunk, bound)
  }

  /// Writes the next bytes.
  func write() throws {
    let end = end
    try epochs[epoch].bytes.withUnsafeBytes { bytes in
      // Before the call: it wakes the subject.
      if end == epochs[epoch].needed { needed[epochs[epoch].time] = Clock.now }
      try running.terminal.write(UnsafeRawBufferPointer(rebasing: bytes[sent..<end]))
    }
    sent = end
    if sent == epochs[epoch].bytes.count {
      epoch += 1
      start = max(time(of: epoch), start + Int64(sent) * profile.byteTime)
      sent = 0
    }
  }

  /// Delivers all lines to their ends; the poller's tags are their indices.
  static func run(_ lines: [PacedLine], _ poller: Poller) throws {
    let begin = Clock.now + 300_000_000
    for (index, line) in lines.enumerated() {
      // Lines that deliver at the same time would delay each other in this driver.
      line.begin = begin + Int64(index) * 31_000_000
    }
    while let line = lines.filter({ $0.due != nil }).min(by: { ($0.due ?? 0) < ($1.due ?? 0) }), let due = line.due {
      repeat { try poller.wait(until: due) { try lines[$0].read() } } while Clock.now < due
      try line.write()
    }
    let end = Clock.now + 1_500_000_000
    while Clock.now < end { try poller.wait(until: end) { try lines[$0].read() } }
  }

  func read() throws {
    try client.read { published[$0.time] = ($0.at, (published[$0.time]?.count ?? 0) + 1) }
  }

  /// Milliseconds from the last byte that a fix needs to the last line with that fix, without the first epochs.
  func latencies(after learning: Int) -> [Double] {
    epochs.dropFirst(learning).compactMap { epoch in
      guard let sent = needed[epoch.time], let published = published[epoch.time] else { return nil }
      return Double(published.at - sent) / 1e6
    }
  }

  /// Milliseconds from the time of each epoch to the last line with its fix, without the first epochs.
  func ages(after learning: Int) -> [Double] {
    epochs.indices.dropFirst(learning).compactMap { epoch in
      published[epochs[epoch].time].map { Double($0.at - begin - time(of: epoch)) / 1e6 }
    }
  }

  /// The share of the line's time that the epochs take, per cent.
  var load: Double {
    let bytes = epochs.reduce(0) { $0 + $1.bytes.count }
    return 100 * Double(Int64(bytes) * profile.byteTime) / Double(time(of: epochs.endIndex))
  }

  /// The share of epochs with exactly one line with their fix, without the first epochs, per cent.
  func publishedOnce(after learning: Int) -> Double {
    let measured = epochs.dropFirst(learning)
    return 100 * Double(measured.count { published[$0.time]?.count == 1 }) / Double(measured.count)
  }
}

/// The output of a simulated receiver, epoch by epoch.
struct WireEpochs {
  /// One epoch's sentences or UBX messages.
  struct Epoch {
    /// Its time of day, milliseconds.
    var time = 0
    var bytes: [UInt8] = []
    /// Number of bytes up to the checksum of the last message that its fix needs.
    var needed = 0
  }

  private(set) var epochs: [Epoch] = []

  /// Types that repeat RMC or a position, or hold nothing of a fix.
  private static let repeating: Set = ["VTG", "GLL", "ZDA", "GSV"]

  /// The sentences, or the UBX messages, of a recording by the simulator.
  init(recording: [UInt8], of profile: WireProfile) throws {
    var opening: String?
    var frame: [UInt8] = []
    for line in recording.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "# x ".utf8) {
        let digits = line.dropFirst(4).map { Int($0 > 0x39 ? $0 | 0x20 - 0x57 : $0 - 0x30) }
        for index in stride(from: 0, to: digits.count, by: 2) {
          frame.append(UInt8(digits[index] << 4 | digits[index + 1]))
        }
        if frame.count > 8, frame.count == 8 + Int(frame[4]) + Int(frame[5]) << 8 {
          append(frame)
          frame.removeAll()
        }
      }
      guard line.first == UInt8(ascii: "$") else { continue }
      let text = String(decoding: line, as: UTF8.self)
      let fields = text.split(separator: ",", omittingEmptySubsequences: false)
      let type = String(fields[0].suffix(3))
      if let only = profile.only, !only.contains(type) { continue }
      if opening == nil { opening = type }
      if type == opening { epochs.append(Epoch()) }
      guard let star = line.firstIndex(of: UInt8(ascii: "*")), fields.count > 1 else { throw Failure(text) }
      let index = epochs.count - 1
      if type == "RMC" { epochs[index].time = try Self.milliseconds(fields[1]) }
      if !Self.repeating.contains(type) {
        epochs[index].needed = epochs[index].bytes.count + star - line.startIndex + 3
      }
      epochs[index].bytes += line
      epochs[index].bytes.append(UInt8(ascii: "\n"))
    }
  }

  /// Adds a UBX message; NAV-PVT is the first of an epoch, and NAV-SAT and -EOE hold nothing of a fix.
  private mutating func append(_ frame: [UInt8]) {
    if frame[3] == 0x07 {
      let nanoseconds = frame[22..<26].reversed().reduce(0) { $0 << 8 | Int($1) }
      let second = (Int(frame[14]) * 60 + Int(frame[15])) * 60 + Int(frame[16])
      epochs.append(Epoch(time: second * 1000 + nanoseconds / 1_000_000))
    }
    guard let index = epochs.indices.last else { return }
    epochs[index].bytes += frame
    if frame[3] != 0x35, frame[3] != 0x61 { epochs[index].needed = epochs[index].bytes.count }
  }

  /// `hhmmss.sss` as milliseconds of the day.
  private static func milliseconds(_ text: Substring) throws -> Int {
    guard let value = Double(text) else { throw Failure("no time: \(text)") }
    let whole = Int(value)
    return ((whole / 10_000 * 60 + whole / 100 % 100) * 60 + whole % 100) * 1000
      + Int(((value - Double(whole)) * 1000).rounded())
  }
}

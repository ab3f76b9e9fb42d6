/// One subject with one client on a line that delivers each byte at its own time.
final class PacedLine {
  let running: RunningSubject
  let client: Client
  private let profile: WireProfile
  private let epochs: ArraySlice<WireEpochs.Epoch>
  /// The instant of the first epoch's first byte.
  var begin: Int64 = 0
  private var epoch: Int
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
    return begin + Int64(epoch - epochs.startIndex) * 1_000_000_000 / Int64(profile.rate) + Int64(end)
      * profile.byteTime
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
      sent = 0
    }
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

  /// The share of epochs with exactly one line with their fix, without the first epochs, per cent.
  func publishedOnce(after learning: Int) -> Double {
    let measured = epochs.dropFirst(learning)
    return 100 * Double(measured.count { published[$0.time]?.count == 1 }) / Double(measured.count)
  }
}

/// The output of a simulated receiver, epoch by epoch.
struct WireEpochs {
  /// One epoch's sentences.
  struct Epoch {
    /// Its time of day, milliseconds.
    var time = 0
    var bytes: [UInt8] = []
    /// Number of bytes up to the checksum of the last sentence that its fix needs.
    var needed = 0
  }

  private(set) var epochs: [Epoch] = []

  /// Types that repeat RMC or a position, or hold nothing of a fix.
  private static let repeating: Set = ["VTG", "GLL", "ZDA", "GSV"]

  /// The sentences of a recording by the simulator.
  init(recording: [UInt8], of profile: WireProfile) throws {
    var opening: String?
    for line in recording.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "$") {
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

  /// `hhmmss.sss` as milliseconds of the day.
  private static func milliseconds(_ text: Substring) throws -> Int {
    guard let value = Double(text) else { throw Failure("no time: \(text)") }
    let whole = Int(value)
    return ((whole / 10_000 * 60 + whole / 100 % 100) * 60 + whole % 100) * 1000
      + Int(((value - Double(whole)) * 1000).rounded())
  }
}

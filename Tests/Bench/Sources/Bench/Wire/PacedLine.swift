/// One subject on a line that brings each byte at its own time, with one client.
final class PacedLine {
  let running: RunningSubject
  let client: Client
  private let profile: WireProfile
  private let epochs: ArraySlice<WireEpochs.Epoch>
  /// When the line begins to send the first epoch.
  var begin: Int64 = 0
  private var epoch: Int
  private var sent = 0
  /// When the last byte that an epoch's fix needs was written, by the epoch's time of day.
  private var needed: [Int: Int64] = [:]
  /// When the last line with an epoch's fix was read, and how many came, by the epoch's time of day.
  private var told: [Int: (at: Int64, count: Int)] = [:]

  init(_ subject: Subject, _ profile: WireProfile, _ epochs: ArraySlice<WireEpochs.Epoch>, scratch: Scratch) throws {
    running = try subject.start(in: scratch)
    client = try running.subscribe()
    self.profile = profile
    self.epochs = epochs
    epoch = epochs.startIndex
  }

  /// When the next bytes have been sent by the line; `nil` behind the last.
  var due: Int64? {
    guard epoch < epochs.endIndex else { return nil }
    return begin + Int64(epoch - epochs.startIndex) * 1_000_000_000 / Int64(profile.rate) + Int64(end)
      * profile.byteTime
  }

  /// Where the next bytes end: a chunk, but not beyond the byte that completes the fix.
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
    try client.read { told[$0.time] = ($0.at, (told[$0.time]?.count ?? 0) + 1) }
  }

  /// Milliseconds from the last byte that a fix needs to the last line with that fix, without the first epochs.
  func latencies(after learning: Int) -> [Double] {
    epochs.dropFirst(learning).compactMap { epoch in
      guard let sent = needed[epoch.time], let told = told[epoch.time] else { return nil }
      return Double(told.at - sent) / 1e6
    }
  }

  /// How many of the epochs had one line with their fix and no more, per cent, without the first epochs.
  func toldOnce(after learning: Int) -> Double {
    let measured = epochs.dropFirst(learning)
    return 100 * Double(measured.count { told[$0.time]?.count == 1 }) / Double(measured.count)
  }
}

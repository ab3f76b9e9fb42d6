import CBench
import LocationCore

/// What the parser does alone, by the CPU time of this thread.
extension Bench {
  func parser() throws -> [Figure] {
    var speed = Figure("parser: sentences decoded", unit: "M/s", target: .none, peer: "gpsdecode")
    // Where this was first measured, the plain scan did 14.7 M/s and minmea 2.2 M/s: three times minmea is 0.45 of
    // the scan.
    var share = Figure("parser: share of a plain scan's speed", unit: "", target: .atLeast(0.45))
    var allocated = Figure("parser: heap allocations per sentence", unit: "", target: .exactly(0))
    var receiver = Figure("sentences → epochs → judged fixes", unit: "M/s")
    var kept = Figure("heap allocations per epoch", unit: "")
    let log = RideText(epochs: 50_000)
    let sentences = Double(50_000 * RideText.sentences)
    let short = RideText(epochs: 5000)
    let file = try scratch.write(short.bytes, to: "log.nmea")
    for _ in 0..<4 {
      let decoded = try Self.decode(log)
      let scanned = try Self.timed { log.bytes.withUnsafeBufferPointer { scalar_scan($0.baseAddress, $0.count) } }
      let theirs = try gpsdecode(file)
      let ours = sentences / decoded.seconds / 1e6
      let plain = sentences / scanned / 1e6
      speed.add(ours, Double(5000 * RideText.sentences) / theirs / 1e6, plain)
      share.add(ours / plain)
      allocated.add(decoded.allocations / sentences)
      let received = try Self.receive(log)
      receiver.add(sentences / received.seconds / 1e6)
      kept.add(received.allocations / 50_000)
    }
    return [speed, share, allocated, receiver, kept]
  }

  /// Reads of the size that a serial line gives.
  private static let chunk = 4096

  private static func decode(_ log: RideText) throws -> (seconds: Double, allocations: Double) {
    var decoder = NMEADecoder()
    var positions = 0
    let before = allocations()
    let seconds = try timed {
      log.bytes.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: chunk) {
          decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + chunk, bytes.count)])) { event in
            if case .sentence(.rmc(let rmc)) = event.payload, rmc.position != nil { positions += 1 }
          }
        }
      }
      return decoder.counters.sentences
    }
    guard positions == log.ends.count else { throw Failure("\(positions) positions decoded of \(log.ends.count)") }
    return (seconds, Double(allocations() - before))
  }

  private static func receive(_ log: RideText) throws -> (seconds: Double, allocations: Double) {
    var receiver = NMEAReceiver()
    var fixes = 0
    let before = allocations()
    let seconds = try timed {
      log.bytes.withUnsafeBytes { bytes in
        var start = 0
        for (epoch, end) in log.ends.enumerated() {
          let instant = MonotonicInstant(nanoseconds: Int64(epoch + 1) * 100_000_000)
          receiver.receive(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: instant) { epoch in
            if case .fix = epoch.outcome { fixes += 1 }
          }
          start = end
        }
      }
      return receiver.counters.nmea.sentences
    }
    // The first epochs end with the silence behind them.
    guard fixes >= log.ends.count - 1 else { throw Failure("\(fixes) fixes of \(log.ends.count) epochs") }
    return (seconds, Double(allocations() - before))
  }

  /// CPU seconds of work that tells how many sentences it saw: a compiler must not leave it out.
  private static func timed(_ work: () -> UInt64) throws -> Double {
    let begin = Clock.thread
    let sentences = work()
    let end = Clock.thread
    guard sentences > 0, sentences.isMultiple(of: UInt64(RideText.sentences)) else {
      throw Failure("\(sentences) sentences were seen, which makes no whole epochs")
    }
    return Double(end - begin) / 1e9
  }

  /// CPU seconds of Debian's gpsdecode for a log.
  private func gpsdecode(_ file: String) throws -> Double {
    let child = try Child(["/usr/bin/gpsdecode"], input: file, log: "/dev/null")
    return Double(try child.finish()) / 1e9
  }
}

import CAllocations
import CBench
import Glibc
import LocationCore

/// The parser alone, by the CPU time of this thread.
extension Bench {
  func parser() throws -> [Figure] {
    // 0.45 of the floor is three times the speed of minmea, the fastest C library.
    var speed = Figure("parser: sentences decoded", unit: "M/s", target: .floorRatioAtLeast(0.45))
    var allocated = Figure("parser: heap allocations per sentence", unit: "", target: .exactly(0))
    var receiver = Figure("sentences → epochs → judged fixes", unit: "M/s")
    var kept = Figure("heap allocations per epoch, up to the fix", unit: "", target: .exactly(0))
    var program = Figure("decode a log to JSON, by the program", unit: "M/s", remark: "gpsdecode")
    let log = RideText(epochs: 50_000)
    let sentences = Double(50_000 * RideText.sentences)
    let short = RideText(epochs: 10_000)
    let file = try scratch.write(short.bytes, to: "log.nmea")
    let written = Double(10_000 * RideText.sentences)
    for _ in 0..<4 {
      let decoded = try Self.decode(log)
      let scanned = try Self.timed { log.bytes.withUnsafeBufferPointer { scalar_scan($0.baseAddress, $0.count) } }
      speed.add(sentences / decoded.seconds / 1e6, floor: sentences / scanned / 1e6)
      allocated.add(decoded.allocations / sentences)
      let received = try Self.receive(log)
      receiver.add(sentences / received.seconds / 1e6, floor: sentences / scanned / 1e6)
      kept.add(received.allocations / Double(50_000 - Self.settling))
      let ours = try cpu(of: ["\(folder)/handlebarctl", "decode", file])
      let peer = try cpu(of: ["/usr/bin/gpsdecode"], reading: file)
      if let ours { program.add(written / ours / 1e6, peer.map { written / $0 / 1e6 }) }
    }
    return [speed, allocated, receiver, kept, program]
  }

  /// Epochs in which a receiver allocates what it keeps.
  static let settling = 100
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

  static func receive(_ log: RideText) throws -> (seconds: Double, allocations: Double) {
    var receiver = NMEAReceiver()
    var fixes = 0
    var before: UInt64 = 0
    let seconds = try timed {
      log.bytes.withUnsafeBytes { bytes in
        var start = 0
        for (epoch, end) in log.ends.enumerated() {
          if epoch == settling { before = allocations() }
          let instant = MonotonicInstant(nanoseconds: Int64(epoch + 1) * 100_000_000)
          receiver.receive(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: instant) { epoch in
            if case .fix = epoch.outcome { fixes += 1 }
          }
          start = end
        }
      }
      return receiver.sentenceCount + receiver.frameCount
    }
    // The first epochs end with the silence behind them.
    guard fixes >= log.ends.count - 1 else { throw Failure("\(fixes) fixes of \(log.ends.count) epochs") }
    return (seconds, Double(allocations() - before))
  }

  /// CPU seconds of work that returns its number of messages, so that the compiler cannot remove it.
  private static func timed(_ work: () -> UInt64) throws -> Double {
    let begin = Clock.thread
    let messages = work()
    let end = Clock.thread
    guard messages > 0, messages.isMultiple(of: UInt64(RideText.sentences)) else {
      throw Failure("\(messages) messages are not those of all epochs")
    }
    return Double(end - begin) / 1e9
  }

  /// CPU seconds of a program that runs to its end; `nil` when it is not installed.
  private func cpu(of arguments: [String], reading input: String = "/dev/null") throws -> Double? {
    guard access(arguments[0], X_OK) == 0 else { return nil }
    return Double(try Child(arguments, input: input, log: "/dev/null").finish()) / 1e9
  }
}

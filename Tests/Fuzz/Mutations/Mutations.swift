import Glibc
import LocationCore

/// Runs damaged sentences and UBX frames through the parser, and through a whole receiver: `Mutations COUNT FILE…`.
///
/// None may trap or take long, memory may not grow, and every value of a fix lies in its range.
@main
enum Mutations {
  /// Inputs timed together.
  private static let batch = 1000
  /// Limit of a batch, CPU seconds; it takes about a millisecond.
  private static let longest = 1.0
  /// Limit of the growth in memory after the first tenth, kB: what the allocator keeps.
  private static let growth = 1024

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count > 2, let count = Int(arguments[1]), count >= 10 * batch else {
      fail("usage: Mutations COUNT FILE…, COUNT being \(10 * batch) or more")
    }
    let seeds = Seeds.lines(of: Array(arguments[2...]))
    guard seeds.count > 100 else { fail("only \(seeds.count) sentences in the files") }
    let frames = (0..<seeds.count).map { Seeds.frame($0) }
    // A tenth of them UBX.
    let all = seeds + frames.prefix(seeds.count / 10)
    parser(count, all)
    receiver("receiver", count, all)
    receiver("receiver of UBX", count, frames)
  }

  private static func parser(_ count: Int, _ seeds: [[UInt8]]) {
    var decoder = NMEADecoder(checksums: .accept)
    var fed: UInt64 = 0
    var events: UInt64 = 0
    run("parser", count, seeds) { line in
      fed += UInt64(line.count)
      line.withUnsafeBytes { decoder.decode($0) { _ in events += 1 } }
    }
    decoder.finish { _ in events += 1 }
    let counters = decoder.counters
    guard counters.bytes == fed, counters.sentences + counters.rejected + counters.ubxFrames == events,
      counters.sentences > 0
    else {
      fail("the parser's counters do not add up: \(counters)")
    }
    print(
      "          \(counters.sentences) sentences, \(counters.rejected) rejected, \(counters.malformedFields) malformed fields"
    )
  }

  private static func receiver(_ name: String, _ count: Int, _ seeds: [[UInt8]]) {
    var receiver = NMEAReceiver(configuration: ReceiverConfiguration(checksums: .accept))
    var instant = MonotonicInstant.zero
    var epochs = 0
    run(name, count, seeds) { line in
      instant = instant + .milliseconds(20)
      line.withUnsafeBytes { bytes in
        receiver.receive(bytes, at: instant) { epoch in
          epochs += 1
          guard isValid(epoch) else { fail("out of range: \(epoch)") }
        }
      }
    }
    guard epochs > 0 else { fail("no epoch came out") }
    let counters = receiver.counters
    print(
      "          \(epochs) epochs, \(counters.fixes) fixes; \(counters.nmea.ubxFrames) UBX messages, "
        + "\(counters.malformedMessages) malformed")
  }

  private static func isValid(_ epoch: borrowing Epoch) -> Bool {
    guard case .fix(let fix, _) = epoch.outcome else { return true }
    let lengths = [fix.horizontalAccuracy, fix.verticalAccuracy, fix.speed, fix.speedAccuracy, fix.hdop]
    return lengths.allSatisfy { $0.map { $0.isFinite && $0 >= 0 } ?? true }
      && fix.course.map { (0..<360).contains($0) } ?? true && fix.altitudeMSL?.isFinite ?? true
      && (-90...90).contains(fix.position.latitude) && (-180...180).contains(fix.position.longitude)
  }

  /// Passes `count` damaged lines to `body` and prints time and memory.
  private static func run(_ name: String, _ count: Int, _ seeds: [[UInt8]], _ body: ([UInt8]) -> Void) {
    var mutator = Mutator(seeds: seeds, seed: 2026)
    var slowest = 0.0
    var total = 0.0
    var memory = 0
    var done = 0
    while done < count {
      let begin = Machine.seconds
      for _ in 0..<batch {
        mutator.advance()
        body(mutator.line)
      }
      done += batch
      let seconds = Machine.seconds - begin
      total += seconds
      slowest = max(slowest, seconds)
      if seconds > longest { fail("\(name): \(batch) inputs up to \(done) took \(seconds) s") }
      if done == count / 10 / batch * batch { memory = Machine.memory }
    }
    let grown = Machine.memory - memory
    print(
      "\(name): \(count) damaged inputs in \(rounded(total)) s, the slowest \(batch) in \(rounded(slowest * 1000)) ms, \(grown) kB more"
    )
    guard grown <= growth else { fail("\(name): memory grew by \(grown) kB") }
  }

  private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  private static func fail(_ text: String) -> Never {
    print("mutations: \(text)")
    exit(1)
  }
}

/// The resources this process has used.
enum Machine {
  /// CPU seconds so far.
  static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Peak resident memory, kB.
  static var memory: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }
}

import CAllocations
import GPSDProtocol
import Glibc
import LocationCore

/// Takes a recording in for callgrind to count: `Instructions sentences|epochs PART RECORDING`.
///
/// `sentences` decodes them; `epochs` makes epochs, judged fixes and the lines that clients get of them. A fifth of the
/// recording goes ahead, so that the receiver is known; `PART` tenths of it follow. What a run with twice as many costs
/// more is the cost of the additional ones. Prints how many sentences and epochs there were in all, and the heap
/// allocations behind the first fifth.
@main
enum Instructions {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let part = Int(arguments[2]), (1...8).contains(part) else {
      fail("usage: Instructions sentences|epochs PART RECORDING, PART being 1 to 8 tenths")
    }
    let reads = RecordedReads(path: arguments[3])
    guard reads.count > 100 else { fail("\(arguments[3]) holds only \(reads.count) reads") }
    let (first, last) = (reads.count / 5, reads.count / 5 + reads.count / 10 * part)
    switch arguments[1] {
    case "sentences": sentences(of: reads, first, last)
    case "epochs": epochs(of: reads, first, last)
    default: fail("\(arguments[1]) is neither sentences nor epochs")
    }
  }

  private static func sentences(of reads: RecordedReads, _ first: Int, _ last: Int) {
    var decoder = NMEADecoder()
    var positions = 0
    var before: UInt64 = 0
    for index in 0..<last {
      if index == first { before = allocations() }
      reads.withBytes(of: index) { bytes in
        decoder.decode(bytes) { event in
          if case .sentence(.rmc(let rmc)) = event.payload, rmc.position != nil { positions += 1 }
        }
      }
    }
    let after = allocations()
    guard positions > 0 else { fail("no position came out") }
    print(decoder.counters.sentences, positions, after - before)
  }

  private static func epochs(of reads: RecordedReads, _ first: Int, _ last: Int) {
    var receiver = NMEAReceiver()
    var line = JSONLine()
    var fixes: UInt64 = 0
    var written = 0
    var before: UInt64 = 0
    for index in 0..<last {
      if index == first { before = allocations() }
      reads.withBytes(of: index) { bytes in
        receiver.receive(bytes, at: reads.instant(of: index)) { epoch in
          guard case .fix(let fix, _) = epoch.outcome else { return }
          fixes += 1
          line.removeAll()
          TPVLine.body(fix, device: "/dev/gps0", into: &line)
          TPVLine.finish(&line, seq: fixes, reason: "moved", source: "serial")
          written += line.count
        }
      }
    }
    let after = allocations()
    guard written > 100 else { fail("no fix came out") }
    print(receiver.counters.nmea.sentences, receiver.counters.epochs, after - before)
  }

  static func fail(_ text: String) -> Never {
    print("instructions: \(text)")
    exit(1)
  }
}

import CAllocations
import GPSDProtocol
import Glibc
import LocationCore
import RideTools

/// Processes part of a recording for callgrind to count: `Instructions messages|epochs PART RECORDING`.
///
/// `messages` decodes sentences and UBX frames; `epochs` assembles epochs, judges fixes and writes their lines. The first
/// fifth of the recording is a warm-up; `PART` tenths of it follow. Two runs of different length differ by the cost of the
/// additional messages. Prints the messages and epochs of the whole run, and the heap allocations after the warm-up.
///
/// `Instructions ubx RIDE` writes a bundled ride as a receiver records it that sends UBX.
@main
enum Instructions {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "ubx" { return writeRide(arguments[2]) }
    guard arguments.count == 4, let part = Int(arguments[2]), (1...8).contains(part) else {
      fail("usage: Instructions messages|epochs PART RECORDING, PART being 1 to 8 tenths; Instructions ubx RIDE")
    }
    let reads = RecordedReads(path: arguments[3])
    guard reads.count > 100 else { fail("\(arguments[3]) holds only \(reads.count) reads") }
    let (first, last) = (reads.count / 5, reads.count / 5 + reads.count / 10 * part)
    switch arguments[1] {
    case "messages": messages(of: reads, first, last)
    case "epochs": epochs(of: reads, first, last)
    default: fail("\(arguments[1]) is neither messages nor epochs")
    }
  }

  private static func writeRide(_ name: String) {
    guard let bundled = BundledRide(rawValue: name), var ride = bundled.ride(seed: bundled.defaultSeed) else {
      fail("there is no ride \(name)")
    }
    ride.receiver.messages = [.navPVT, .navSAT, .navDOP, .navEOE]
    var writer = SimulatedWriter(of: ride)
    var recording: [UInt8] = []
    while writer.next(into: &recording) != nil {}
    var rest = recording[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { fail("the ride cannot be written") }
      rest = rest.dropFirst(count)
    }
  }

  private static func messages(of reads: RecordedReads, _ first: Int, _ last: Int) {
    var decoder = NMEADecoder()
    var positions = 0
    var before: UInt64 = 0
    for index in 0..<last {
      if index == first { before = allocations() }
      reads.withBytes(of: index) { bytes in
        decoder.decode(bytes) { event in
          switch event.payload {
          case .sentence(.rmc(let rmc)) where rmc.position != nil: positions += 1
          case .ubx: if let frame = UBXFrame(event.raw), frame.type == .navPVT, frame.isWhole { positions += 1 }
          default: break
          }
        }
      }
    }
    let after = allocations()
    guard positions > 0 else { fail("no position was decoded") }
    print(decoder.counters.sentences + decoder.counters.ubxFrames, positions, after - before)
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
          TPV.body(fix, device: "/dev/gps0", into: &line)
          TPV.finish(&line, seq: fixes, reason: "moved", source: "serial")
          written += line.count
        }
      }
    }
    let after = allocations()
    guard written > 100 else { fail("no fix was published") }
    print(receiver.sentenceCount + receiver.frameCount, receiver.counters.epochs, after - before)
  }

  static func fail(_ text: String) -> Never {
    print("instructions: \(text)")
    exit(1)
  }
}

/// The reads of a recording with one source, each with its instant: `# t=` in milliseconds, then lines, and `# x` for bytes.
struct RecordedReads {
  private var bytes: [UInt8] = []
  private var reads: [(instant: MonotonicInstant, start: Int)] = []

  var count: Int { reads.count }

  init(path: String) {
    for line in Self.content(of: path).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.first != UInt8(ascii: "#") {
        bytes += line
        bytes.append(UInt8(ascii: "\n"))
      } else if line.starts(with: "# x ".utf8) {
        let digits = line.dropFirst(4).map { $0 > 0x39 ? ($0 | 0x20) - 0x57 : $0 - 0x30 }
        for index in stride(from: 0, to: digits.count, by: 2) { bytes.append(digits[index] << 4 | digits[index + 1]) }
      } else if let milliseconds = Self.time(of: line) {
        reads.append((MonotonicInstant(nanoseconds: milliseconds * 1_000_000), bytes.count))
      }
    }
  }

  func instant(of read: Int) -> MonotonicInstant { reads[read].instant }

  func withBytes(of read: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    let end = read + 1 < reads.count ? reads[read + 1].start : bytes.count
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[reads[read].start..<end])) }
  }

  private static func time(of line: ArraySlice<UInt8>) -> Int64? {
    let mark = Array("# t=".utf8)
    guard line.starts(with: mark) else { return nil }
    var value: Int64 = 0
    for byte in line.dropFirst(mark.count) {
      guard (0x30...0x39).contains(byte) else { break }
      value = value &* 10 &+ Int64(byte &- 0x30)
    }
    return value
  }

  private static func content(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { Instructions.fail("\(path) cannot be opened") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }
}

import CLibFuzzer
import GPSDProtocol
import Glibc
import LocationCore

/// Feeds what libFuzzer invents to the decoder of a gpsd's lines, line by line, and what it makes of them to a receiver.
///
/// No line may hurt libgps, every value of a fix lies in its range, and time may not go back.
@main
enum FuzzGPSDLines {
  /// As a gpsd source takes no longer lines.
  static let longestLine = 16_384

  static func main() {
    guard (try? GPSDLineReader()) != nil else {
      fatalError("libgps is not installed, or another one than its header says")
    }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        guard let reader = try? GPSDLineReader() else { return 0 }
        FuzzGPSDLines.play(UnsafeBufferPointer(start: start, count: count), reader)
        return 0
      })
  }

  static func play(_ input: UnsafeBufferPointer<UInt8>, _ reader: GPSDLineReader) {
    var receiver = GPSDReceiver()
    var witness = Witness()
    var instant = MonotonicInstant.zero
    var positions: UInt64 = 0
    for line in Array(input).split(separator: UInt8(ascii: "\n")) where line.count <= longestLine {
      instant = instant + .milliseconds(100)
      switch reader.read(line).flatMap({ GPSDReport($0, at: instant) }) {
      case .position(let position):
        positions += 1
        receiver.take(position, at: instant) { witness.see($0) }
      case .sky(let device, let sky): receiver.take(sky, of: device)
      case .noise(let device, let noise): receiver.take(noise, of: device)
      case nil: break
      }
    }
    receiver.endOfInput { witness.see($0) }
    // What was held is told when it is let go.
    precondition(witness.epochs <= 2 * positions)
    precondition(witness.stepsBack <= receiver.counters.judge.clockSteps, "time went back")
  }

  /// Watches what must hold for every epoch.
  struct Witness {
    var epochs: UInt64 = 0
    var stepsBack: UInt64 = 0
    var newest: UTCInstant?

    mutating func see(_ epoch: borrowing Epoch) {
      epochs += 1
      if let sky = epoch.sky {
        precondition(sky.satellites.allSatisfy { $0.azimuth.map { (0..<360).contains($0) } ?? true })
      }
      guard case .fix(let fix, _) = epoch.outcome else { return }
      if let measured = fix.measured {
        if let newest, measured < newest { stepsBack += 1 }
        newest = measured
      }
      for value in [fix.horizontalAccuracy, fix.verticalAccuracy, fix.speed, fix.speedAccuracy] {
        precondition(value.map { $0.isFinite && $0 >= 0 } ?? true)
      }
      precondition(fix.course.map { (0..<360).contains($0) } ?? true)
      precondition(fix.altitudeMSL?.isFinite ?? true)
    }
  }
}

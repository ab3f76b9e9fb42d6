import CLibFuzzer
import Glibc
import LocationCore

/// Fuzzes one parser: `Fuzz TARGET`, followed by the arguments of the driver that CLibFuzzer is built with.
@main
enum Fuzz {
  typealias Test = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

  static func main() {
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    guard CommandLine.arguments.count > 1, let test = test(named: CommandLine.arguments[1]) else {
      print("usage: Fuzz nmea|sentence|epochs|ubx|requests|recording|replay|gpsd|configuration ARGUMENT…")
      exit(64)
    }
    // The driver expects the program's name first.
    arguments?[0] = CommandLine.unsafeArgv[0]
    exit(LLVMFuzzerRunDriver(&count, &arguments, test))
  }

  private static func test(named name: String) -> Test? {
    switch name {
    case "nmea": return { NMEATarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case "sentence": return { SentenceTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case "epochs": return { EpochTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case "ubx": return { UBXTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case "requests": return { RequestTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case "recording": return { RecordingTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case "replay": return { ReplayTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case "gpsd": return { GPSDTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case "configuration": return { ConfigurationTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    default: return nil
    }
  }
}

/// Checks what must hold for every epoch: values in their ranges, and time that advances.
struct EpochWitness {
  private(set) var epochs: UInt64 = 0
  /// Epochs whose time lies before that of an earlier one.
  private(set) var stepsBack: UInt64 = 0
  private var newest: UTCInstant?
  /// Whether `newest` lies in a leap second, which has the numbers of the second after it.
  private var isInLeapSecond = false

  mutating func check(_ epoch: borrowing Epoch) {
    epochs += 1
    if let sky = epoch.sky {
      precondition(sky.satellites.allSatisfy { $0.azimuth.map { (0..<360).contains($0) } ?? true })
    }
    guard case .fix(let fix, _) = epoch.outcome else { return }
    if let measured = fix.measured {
      if let newest, measured < newest, !isInLeapSecond { stepsBack += 1 }
      newest = measured
      isInLeapSecond = fix.timeOfDay.map { $0.nanoseconds >= TimeOfDay.day } ?? false
    }
    Self.check(fix)
  }

  static func check(_ fix: Fix) {
    precondition((-90...90).contains(fix.position.latitude) && (-180...180).contains(fix.position.longitude))
    for value in [fix.horizontalAccuracy, fix.verticalAccuracy, fix.speed, fix.speedAccuracy, fix.hdop] {
      precondition(value.map { $0.isFinite && $0 >= 0 } ?? true)
    }
    precondition(fix.course.map { (0..<360).contains($0) } ?? true)
    precondition(fix.altitudeMSL?.isFinite ?? true)
  }
}

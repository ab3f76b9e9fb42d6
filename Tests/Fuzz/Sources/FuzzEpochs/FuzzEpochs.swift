import CLibFuzzer
import Glibc
import LocationCore

/// Feeds what libFuzzer invents to a whole receiver, in reads and silences that it invents as well.
///
/// No position may come from bytes that hold none, time may not go back, and nothing may trap.
@main
enum FuzzEpochs {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        FuzzEpochs.play(UnsafeRawBufferPointer(start: start, count: count))
        return 0
      })
  }

  /// Takes the input as reads: a byte that says how long one is, one how long the silence before it was.
  static func play(_ input: UnsafeRawBufferPointer) {
    var receiver = NMEAReceiver(configuration: ReceiverConfiguration(checksums: .accept))
    var witness = Witness()
    var instant = MonotonicInstant.zero
    var rest = input[...]
    while rest.count > 2, let length = rest.popFirst(), let silence = rest.popFirst() {
      let read = rest.prefix(Int(length))
      rest = rest.dropFirst(read.count)
      let next = instant + .milliseconds(Int(silence) * 20)
      while let deadline = receiver.deadline, deadline <= next {
        instant = max(instant, deadline)
        receiver.expire(at: instant) { witness.see($0) }
        guard receiver.deadline.map({ $0 > deadline }) ?? true else { fatalError("what is due is not done") }
      }
      instant = next
      receiver.receive(UnsafeRawBufferPointer(rebasing: read), at: instant) { witness.see($0) }
    }
    receiver.endOfInput(at: instant) { witness.see($0) }
    let counters = receiver.counters
    precondition(witness.epochs <= 2 * counters.nmea.sentences)
    // A clock that was set is believed after a minute; nothing else makes time go back.
    precondition(witness.stepsBack <= counters.judge.clockSteps, "time went back")
  }

  /// Watches what must hold for every epoch.
  struct Witness {
    var epochs: UInt64 = 0
    var stepsBack: UInt64 = 0
    var newest: UTCInstant?

    mutating func see(_ epoch: borrowing Epoch) {
      epochs += 1
      guard case .fix(let fix, _) = epoch.outcome else { return }
      if let measured = fix.measured {
        if let newest, measured < newest { stepsBack += 1 }
        newest = measured
      }
      for value in [fix.horizontalAccuracy, fix.verticalAccuracy, fix.speed, fix.speedAccuracy, fix.hdop] {
        precondition(value.map { $0.isFinite && $0 >= 0 } ?? true)
      }
      precondition(fix.course.map { (0..<360).contains($0) } ?? true)
      precondition(fix.altitudeMSL?.isFinite ?? true)
    }
  }
}

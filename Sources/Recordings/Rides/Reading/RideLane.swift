import Glibc
import LocationCore

/// One recorded source: its bytes, or the reports of its gpsd, become epochs by the code that reads them on the road.
struct RideLane: Sendable {
  /// The epochs that the last call closed; whoever calls takes and empties them.
  var closed: [Epoch] = []
  /// Whether the source is open, as far as the recording tells.
  var isOpen = false
  /// When silence closes the open epoch, or a held suspect has waited long enough.
  private(set) var deadline: MonotonicInstant?
  private var receiver: NMEAReceiver
  private var gpsd: GPSDReceiver
  private var gpsdDeadline: MonotonicInstant?

  init(_ configuration: ReceiverConfiguration) {
    receiver = NMEAReceiver(configuration: configuration)
    gpsd = GPSDReceiver(configuration: configuration)
  }

  mutating func receive(_ bytes: [UInt8], at instant: MonotonicInstant) {
    bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      // No sentence has a brace: looking for one costs next to nothing.
      guard memchr(base, Int32(UInt8(ascii: "{")), buffer.count) != nil else {
        receiver.receive(buffer, at: instant) { closed.append(copy $0) }
        deadline = Self.earlier(receiver.deadline, gpsdDeadline)
        return
      }
      receiveLines(buffer, at: instant)
      noteDeadlines()
    }
  }

  mutating func expire(at instant: MonotonicInstant) {
    receiver.expire(at: instant) { closed.append(copy $0) }
    gpsd.expire(at: instant) { closed.append(copy $0) }
    noteDeadlines()
  }

  mutating func endOfInput(at instant: MonotonicInstant) {
    receiver.endOfInput(at: instant) { closed.append(copy $0) }
    gpsd.endOfInput { closed.append(copy $0) }
    noteDeadlines()
  }

  private mutating func noteDeadlines() {
    gpsdDeadline = gpsd.deadline
    deadline = Self.earlier(receiver.deadline, gpsdDeadline)
  }

  private static func earlier(_ one: MonotonicInstant?, _ other: MonotonicInstant?) -> MonotonicInstant? {
    guard let other else { return one }
    return one.map { min($0, other) } ?? other
  }

  private mutating func receiveLines(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant) {
    let text = bytes.assumingMemoryBound(to: UInt8.self)
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
      let line = UnsafeBufferPointer(rebasing: text[start..<end])
      start = end
      guard RecordedReport.begins(line) else {
        receiver.receive(UnsafeRawBufferPointer(line), at: instant) { closed.append(copy $0) }
        continue
      }
      switch RecordedReport(line: line, at: instant) {
      case .position(let position): gpsd.take(position, at: instant) { closed.append(copy $0) }
      case .sky(let device, let sky): gpsd.take(sky, of: device)
      case .noise(let device, let noise): gpsd.take(noise, of: device)
      case .other, nil: break
      }
    }
  }
}

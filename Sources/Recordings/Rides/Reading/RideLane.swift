import Glibc
import LocationCore

/// One recorded source: its bytes, or the reports of its gpsd, become epochs by the code that reads them on the road.
struct RideLane: Sendable {
  /// The epochs that the last call closed; whoever calls takes and empties them.
  var closed: [Epoch] = []
  /// Whether the source is open, as far as the recording tells.
  var isOpen = false
  private var receiver: NMEAReceiver
  private var gpsd: GPSDReceiver

  init(_ configuration: ReceiverConfiguration) {
    receiver = NMEAReceiver(configuration: configuration)
    gpsd = GPSDReceiver(configuration: configuration)
  }

  /// When silence closes the open epoch, or a held suspect has waited long enough.
  var deadline: MonotonicInstant? {
    guard let due = gpsd.deadline else { return receiver.deadline }
    return receiver.deadline.map { min($0, due) } ?? due
  }

  mutating func receive(_ bytes: [UInt8], at instant: MonotonicInstant) {
    bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      // No sentence has a brace: looking for one costs next to nothing.
      guard memchr(base, Int32(UInt8(ascii: "{")), buffer.count) != nil else {
        receiver.receive(buffer, at: instant) { closed.append(copy $0) }
        return
      }
      receiveLines(buffer, at: instant)
    }
  }

  mutating func expire(at instant: MonotonicInstant) {
    receiver.expire(at: instant) { closed.append(copy $0) }
    gpsd.expire(at: instant) { closed.append(copy $0) }
  }

  mutating func endOfInput(at instant: MonotonicInstant) {
    receiver.endOfInput(at: instant) { closed.append(copy $0) }
    gpsd.endOfInput { closed.append(copy $0) }
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

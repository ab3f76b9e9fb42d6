import GPSDProtocol
import LocationCore
import Testing

@testable import Recordings

struct RecordedInputTests {
  private func pieces(_ bytes: [UInt8]) -> [String] {
    var pieces: [String] = []
    RecordedInput.Content.forEach(of: bytes, at: .zero) { piece in
      switch piece {
      case .bytes(let sentences): pieces.append("sentences \(String(decoding: sentences, as: UTF8.self))")
      case .report(.position(let position), let line): pieces.append("position \(position.device) \(line.bytes.count)")
      case .report(_, let line): pieces.append("report \(line.bytes.count)")
      case .otherReport(let line): pieces.append("other \(line.count)")
      case .malformedReport: pieces.append("malformed")
      default: Issue.record("\(piece) is no piece of a burst")
      }
    }
    return pieces
  }

  @Test func `A burst is split into sentences and lines of JSON in order`() {
    let burst = [
      "$GPGLL,1\r\n$GPGLL,2\r\n", #"{"class":"TPV","device":"a","mode":1}"# + "\r\n", #"{"class":"VERSION"}"# + "\n",
      #"{"class":"TPV""# + "\n", "$GPGLL,3\r\n",
    ]
    #expect(
      pieces(Array(burst.joined().utf8)) == [
        "sentences \(burst[0])", "position a \(burst[1].utf8.count)", "other \(burst[2].utf8.count)",
        "malformed", "sentences \(burst[4])",
      ])
  }

  @Test func `The event of interference is for readers of the file, and changes nothing in a replay`() {
    let bytes = ReceiverCommand.ubx(0x0A, 0x38, [0, 1, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 22))
    var receiver = NMEAReceiver()
    bytes.withUnsafeBytes { receiver.receive($0, at: .zero) { _ in } }
    let event = RecordedEvent.interference(receiver.interference)
    #expect(
      String(decoding: event, as: UTF8.self) == #"{"source":"interference","jamming":"critical","antenna":"unknown"}"#)
    guard case .interference = RecordedInput.Content(event: event) else {
      Issue.record("the event is not known")
      return
    }
  }

  @Test func `A brace in a binary frame before a sentence is no report`() {
    let frame = "{\u{1}\u{2}$GPGLL,1\r\n"
    #expect(pieces(Array(frame.utf8)) == ["sentences \(frame)"])
  }
}

import LocationCore
import Testing

@testable import Recordings

struct RecordingPlayerTests {
  /// The inputs of a text in words: milliseconds, source, what.
  private func inputs(_ texts: String...) -> [String] {
    var player = RecordingPlayer()
    var words: [String] = []
    func take(_ player: inout RecordingPlayer) {
      for input in player.inputs {
        let instant = Int((input.instant - .zero) / .milliseconds(1))
        words.append("\(instant) \(input.source ?? 0) \(Self.word(input.content))")
      }
      player.removeInputs()
    }
    for (number, text) in texts.enumerated() {
      if number > 0 { player.beginFile() }
      for item in items(of: text) {
        player.add(item)
        take(&player)
      }
    }
    player.finish()
    take(&player)
    return words
  }

  private static func word(_ content: RecordedInput.Content) -> String {
    switch content {
    case .begin(let setup): "begin \(setup.sourceCount) \(setup.checksums.rawValue)"
    case .end: "end"
    case .restart: "restart"
    case .gap: "gap"
    case .shift(let shift): "shift \(shift / .seconds(1))"
    case .bytes(let bytes): "bytes \(bytes.count)"
    case .report: "report"
    case .otherReport: "other"
    case .malformedReport: "malformed"
    case .lost: "lost"
    case .found: "found"
    case .request(let request): "request \(request.name)"
    case .interference: "interference"
    case .otherEvent(let json): "event \(json.count)"
    }
  }

  private func header(boot: String = "b", run: String = "1", _ more: String = "") -> String {
    "# handlebar-recording 1\n# device=a\n# device=b\n# boot=\(boot)\n# run=\(run)\n\(more)"
  }

  @Test func `The header names the sources and their policy for checksums`() {
    #expect(
      inputs(header("# checksums=accept\n") + "# t=5000 src=1\n$GPGLL,1\r\n") == [
        "0 0 begin 2 accept", "0 1 bytes 10", "0 0 end",
      ])
    #expect(inputs(header() + "# t=5000\n$GPGLL,1\r\n").first == "0 0 begin 2 require")
  }

  @Test func `A log without a header begins with its first input`() {
    #expect(inputs("$GPGLL,1\r\n").first == "0 0 begin 4 prefer")
  }

  @Test func `A burst of sentences and reports is split in order`() {
    let burst =
      "$GPGLL,1\r\n" + #"{"class":"TPV","device":"a","mode":1}"# + "\n{\"class\":\"VERSION\"}\n{\"class\":\"TPV\"\n"
    #expect(
      inputs(header() + "# t=5000 src=0\n" + burst) == [
        "0 0 begin 2 require", "0 0 bytes 10", "0 0 report", "0 0 other", "0 0 malformed", "0 0 end",
      ])
  }

  @Test func `Losses, returns and requests have their instants`() {
    let text = """
      # t=5000 src=1
      # e {"source":"lost"}
      # t=7500 src=1
      # e {"source":"found"}
      # t=8000 src=0
      # e {"request":"FOLLOW","view":"main","enable":true}
      # e {"request":"NOTHING"}

      """
    #expect(
      inputs(header() + text) == [
        "0 0 begin 2 require", "0 1 lost", "2500 1 found", "3000 0 request FOLLOW", "3000 0 event 21", "3000 0 end",
      ])
  }

  @Test func `A rotated file continues, a restarted recorder begins again`() {
    let piece = "# t=5000 src=0\n$GPGLL,1\r\n"
    let later = "# t=6000 src=0\n$GPGLL,2\r\n"
    #expect(
      inputs(header() + piece, header() + later) == [
        "0 0 begin 2 require", "0 0 bytes 10", "1000 0 bytes 10", "1000 0 end",
      ])
    #expect(
      inputs(header() + piece, header(run: "2") + later) == [
        "0 0 begin 2 require", "0 0 bytes 10", "0 0 end", "0 0 begin 2 require", "1000 0 bytes 10", "1000 0 end",
      ])
  }

  @Test func `A silence of more than an hour is a gap of a second`() {
    #expect(
      inputs(header() + "# t=5000\n$GPGLL,1\r\n# t=4000000\n$GPGLL,2\r\n") == [
        "0 0 begin 2 require", "0 0 bytes 10", "1000 0 gap", "1000 0 bytes 10", "1000 0 end",
      ])
  }
}

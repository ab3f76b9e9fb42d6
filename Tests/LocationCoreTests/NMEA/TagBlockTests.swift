import LocationCore
import Testing

@Suite struct TagBlockTests {
  private static let gga = "$GPGGA,123519,4807.038000,N,01131.000000,E,2,,,,,,,*7C\r\n"

  private static func block(_ content: String) -> String {
    let sum = content.utf8.reduce(0, ^)
    return "\\\(content)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16))\\"
  }

  @Test func aGoodBlockIsPassedBy() {
    let seen = Seen(Self.block("s:gps1,c:1774000000") + Self.gga)
    #expect(seen.sentences.count == 1)
    #expect(seen.counters.tagBlocks == 1)
    #expect(seen.counters.badTagBlocks == 0)
    #expect(seen.counters.noise == 0)
  }

  @Test(arguments: [
    "\\s:gps1*00\\", "\\s:gps1\\", "\\s:gps1*0\\", "\\\\", "\\s:gps1", "\\", "\\s:gps1\r\n", "\\s:\u{0}gps1*00\\",
  ])
  func aBadBlockNeverCostsItsSentence(_ block: String) {
    let seen = Seen(block + Self.gga)
    #expect(seen.sentences.count == 1)
    #expect(seen.counters.badTagBlocks >= 1)
    #expect(seen.counters.tagBlocks == 0)
  }

  @Test func aBlockWithoutAnEndIsBounded() {
    let seen = Seen("\\" + String(repeating: "a", count: 5000) + Self.gga)
    #expect(seen.sentences.count == 1)
    #expect(seen.counters.badTagBlocks == 1)
  }
}

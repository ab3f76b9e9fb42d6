import LocationCore
import Testing

@Suite struct NMEAVectorTests {
  @Test func everyVectorHasItsExpectation() {
    #expect(NMEAVector.all.count == 121)
    #expect(Set(NMEAVector.all.map(\.id)) == Set(ExpectedLines.byVector.keys))
  }

  @Test(arguments: NMEAVector.all)
  func becomesWhatIsExpected(_ vector: NMEAVector) throws {
    let expected = try #require(ExpectedLines.byVector[vector.id])
    let seen = Seen(vector.bytes)
    try #require(seen.lines.count == expected.count, "\(vector.expect)")
    for (line, wanted) in zip(seen.lines, expected) {
      #expect(line.talker == wanted.talker)
      #expect(line.type == wanted.type)
      #expect(wanted.isRight(line), "\(vector.expect): \(line.text) gave \(line.payload)")
    }
  }

  @Test(arguments: NMEAVector.all)
  func isTheSameForEveryCut(_ vector: NMEAVector) {
    let bytes = vector.bytes
    let whole = Seen(bytes)
    #expect((0...bytes.count).allSatisfy { Seen(bytes, cuts: [$0]) == whole })
    #expect(Seen(bytes, cuts: Array(1..<bytes.count)) == whole, "byte by byte")
  }

  @Test func missingChecksumIsAcceptedByPolicyOnly() throws {
    let vector = try #require(NMEAVector.all.first { $0.id == "F06" })
    #expect(
      Seen(vector.bytes, checksums: .accept).sentences
        == Seen(framing: "GNGGA,123519.00,4807.03800,N,01131.00000,E,1,12,0.84,545.4,M,46.9,M,,").sentences)
    #expect(Seen(vector.bytes).counters.noChecksum == 1)
  }
}

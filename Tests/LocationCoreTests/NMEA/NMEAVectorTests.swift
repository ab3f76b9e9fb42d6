import Foundation
import LocationCore
import Testing

@Suite("Test vectors")
struct NMEAVectorTests {
  @Test func `Each vector has an expectation`() {
    #expect(NMEAVector.all.count == 121)
    #expect(Set(NMEAVector.all.map(\.id)) == Set(ExpectedLines.byVector.keys))
  }

  @Test(arguments: NMEAVector.all)
  func `Each vector decodes as expected`(_ vector: NMEAVector) throws {
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
  func `Each vector decodes the same for every split`(_ vector: NMEAVector) {
    let bytes = vector.bytes
    let whole = Seen(bytes)
    #expect((0...bytes.count).allSatisfy { Seen(bytes, cuts: [$0]) == whole })
    #expect(Seen(bytes, cuts: Array(1..<bytes.count)) == whole, "byte by byte")
  }

  @Test func `A missing checksum is accepted only by policy`() throws {
    let vector = try #require(NMEAVector.all.first { $0.id == "F06" })
    #expect(
      Seen(vector.bytes, checksums: .accept).sentences
        == Seen(framing: "GNGGA,123519.00,4807.03800,N,01131.00000,E,1,12,0.84,545.4,M,46.9,M,,").sentences)
    #expect(Seen(vector.bytes).counters.noChecksum == 1)
  }
}

/// A test vector: bytes and a description of the expected result.
struct NMEAVector: Decodable, Sendable, CustomTestStringConvertible {
  let id: String
  let group: String
  let hex: String
  let expect: String

  var testDescription: String { id }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    var rest = hex[...]
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// All vectors, in file order.
  static let all: [NMEAVector] = {
    guard let url = Bundle.module.url(forResource: "nmea", withExtension: "jsonl", subdirectory: "Vectors"),
      let text = try? String(contentsOf: url, encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").compactMap { line in
      try? JSONDecoder().decode(NMEAVector.self, from: Data(line.utf8))
    }
  }()
}

import Foundation
import LocationCore
import Testing

@Suite("Receiver logs", .enabled(if: !SharedFiles.names.isEmpty, "There are no shared logs beside this checkout."))
struct NMEARealLogTests {
  @Test(
    "Every line that begins like a sentence is counted, and the split does not matter", arguments: SharedFiles.names)
  func splits(_ name: String) throws {
    let bytes = try SharedFiles.bytes(name)
    let whole = Digest(bytes, cuts: [])
    #expect(whole.sentences > 0)
    var generator = SeededGenerator(seed: 7)
    for longest in [64, 4000] {
      var cuts: [Int] = []
      var at = 0
      while true {
        at += Int.random(in: 1...longest, using: &generator)
        guard at < bytes.count else { break }
        cuts.append(at)
      }
      #expect(Digest(bytes, cuts: cuts) == whole)
    }
  }

  @Test("The wrong checksums of a ride are counted")
  func checksums() throws {
    let name = "rides/mountainview_city_ublox_f9k_1hz.nmea"
    try #require(SharedFiles.names.contains(name))
    let digest = Digest(try SharedFiles.bytes(name), cuts: [])
    #expect(digest.counters.checksum == 13)
    #expect(digest.counters.malformedFields == 0)
  }

  @Test("Binary frames between sentences hide none and are not taken for sentences")
  func binaryFrames() throws {
    let name = "logs/ublox8-uniqid-monhw.log"
    try #require(SharedFiles.names.contains(name))
    let digest = Digest(try SharedFiles.bytes(name), cuts: [])
    #expect(digest.counters.binaryFrames > 0)
    #expect(digest.counters.rejected == 0)
  }
}

/// All events of a decoder, reduced to a few numbers.
private struct Digest: Equatable {
  var counters = NMEACounters()
  var sentences = 0
  var hash = 0

  init(_ bytes: [UInt8], cuts: [Int]) {
    var decoder = NMEADecoder()
    var hasher = Hasher()
    var sentences = 0
    func take(_ event: borrowing NMEAEvent) {
      hasher.combine(event.payload)
      hasher.combine(event.talker)
      hasher.combine(event.type)
      hasher.combine(bytes: event.raw)
      if case .sentence = event.payload { sentences += 1 }
    }
    bytes.withUnsafeBytes { all in
      var start = 0
      for end in cuts + [all.count] {
        decoder.decode(UnsafeRawBufferPointer(rebasing: all[start..<end]), take)
        start = end
      }
    }
    decoder.finish(take)
    counters = decoder.counters
    self.sentences = sentences
    hash = hasher.finalize()
  }
}

/// Receiver logs beside the checkout, which are not part of it.
enum SharedFiles {
  /// The folder, `HANDLEBAR_SHARED` or `../shared`.
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["HANDLEBAR_SHARED"] { return URL(fileURLWithPath: path) }
    var checkout = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { checkout.deleteLastPathComponent() }
    return checkout.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  /// All logs and rides, by path relative to the folder; empty without the folder.
  static let names: [String] = ["logs", "rides"].flatMap { name in
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path)
    return (names ?? []).sorted().map { "\(name)/\($0)" }
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }
}

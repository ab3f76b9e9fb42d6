@testable import LocationCore
import Testing

@Suite(.enabled(if: !DeviceLogs.all.isEmpty, DeviceLogs.reason))
struct NMEADeviceLogTests {
  @Test(arguments: DeviceLogs.all)
  func `Every line that begins like a sentence is counted, and the split does not matter`(path: String) throws {
    let bytes = try DeviceLogs.bytes(path)
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

  @Test func `The wrong checksums of a ride are counted`() throws {
    let digest = try digest("mountainview_city_ublox_f9k_1hz.nmea")
    #expect(digest.counters.checksum == 13)
    #expect(digest.counters.malformedFields == 0)
  }

  @Test func `Binary frames between sentences hide none and are not taken for sentences`() throws {
    let digest = try digest("ublox8-uniqid-monhw.log")
    #expect(digest.counters.binaryFrames > 0)
    #expect(digest.counters.rejected == 0)
  }

  private func digest(_ name: String) throws -> Digest {
    let path = try #require(DeviceLogs.all.first { DeviceLogs.name($0) == name })
    return Digest(try DeviceLogs.bytes(path), cuts: [])
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

import Testing

@testable import LocationCore

@Suite("Fix")
struct FixTests {
  @Test func `A fix takes no more than 200 bytes`() {
    // It is copied several times in each epoch.
    #expect(MemoryLayout<Fix>.stride <= 200)
  }
}

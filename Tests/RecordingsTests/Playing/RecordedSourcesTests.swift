import Testing

@testable import LocationCore
@testable import Recordings

struct RecordedSourcesTests {
  private static let own = KnownWheels(learned: [
    KnownWheels.Wheel(source: "gpio:gpiochip0/17", circumference: 2.1, error: 0.01)
  ])
  private static let recorded = KnownWheels(given: 1.9)

  /// What is known of wheels once a recording has begun, beside another source if there is one.
  private static func wheels(_ recorded: KnownWheels, beside other: SourceSetup? = nil) throws -> KnownWheels {
    let setup = SourceSetup(id: SourceID(configured: 0))
    var engine = LocationEngine(sources: [setup] + (other.map { [$0] } ?? []), at: .zero)
    engine.desk.knownWheels = own
    var (sources, events) = (RecordedSources(setup), EngineEvents())
    let run = RecordedSetup(devices: ["/dev/gps0"], wheels: recorded)
    try engine.replay(RecordedInput(.begin(run), at: .zero), of: &sources, into: &events)
    return engine.desk.knownWheels
  }

  @Test func `A recording has wheels of its own, but beside a live receiver the rider's stays`() throws {
    #expect(try Self.wheels(Self.recorded) == Self.recorded)
    #expect(try Self.wheels(KnownWheels()) == Self.own)
    for isLive in [false, true] {
      let other = SourceSetup(id: SourceID(configured: 1), isLive: isLive)
      #expect(try Self.wheels(Self.recorded, beside: other) == (isLive ? Self.own : Self.recorded))
    }
  }
}

import Testing

@testable import LocationCore

/// A fix that tells no time must not make the judge forget the time that was told before.
@Suite struct UntimedFixTests {
  private func fix(second: Int64?, received: Int64) throws -> Fix {
    let position = try #require(Coordinate(latitude: 48, longitude: 11))
    let measured = second.map { UTCInstant(nanosecondsSince1970: (1_774_000_000 + $0) * 1_000_000_000) }
    return Fix(
      position: position, mode: .threeD, measured: measured,
      timeOfDay: measured.flatMap { TimeOfDay(nanoseconds: $0.nanosecondsOfDay) },
      received: MonotonicInstant(nanoseconds: received * 1_000_000_000))
  }

  @Test func timeDoesNotGoBackAfterIt() throws {
    var judge = FixJudge()
    let story: [(Int64?, FixVerdict)] = [
      (19, .accepted(suspect: false)), (20, .accepted(suspect: false)), (nil, .accepted(suspect: false)),
      (10, .dropped(.outOfOrder)), (11, .dropped(.outOfOrder)), (24, .accepted(suspect: false)),
    ]
    for (index, (second, verdict)) in story.enumerated() {
      let told = judge.judge(try fix(second: second, received: Int64(index)), released: { _ in })
      #expect(told == verdict)
    }
  }
}

import Glibc
import LocationCore
import Testing

@testable import RideTools

struct ExactMathTests {
  @Test func `Sine and cosine agree with libm far below the written decimals`() {
    for degrees in stride(from: -720.0, through: 720, by: 0.37) {
      let (sine, cosine) = ExactMath.sineCosine(degrees: degrees)
      #expect(abs(sine - sin(degrees * .pi / 180)) < 1e-13)
      #expect(abs(cosine - cos(degrees * .pi / 180)) < 1e-13)
    }
    #expect(ExactMath.sineCosine(degrees: 90) == (1, 0))
    #expect(ExactMath.sineCosine(degrees: 180) == (0, -1))
  }

  @Test func `Courses are those of atan2, from 0 to below 360`() {
    for degrees in stride(from: 0.0, to: 360, by: 0.43) {
      let course = ExactMath.course(east: 7 * sin(degrees * .pi / 180), north: 7 * cos(degrees * .pi / 180))
      #expect(abs(course - degrees) < 1e-11)
    }
    #expect(ExactMath.course(east: 0, north: 0) == 0)
    #expect(ExactMath.course(east: -1e-300, north: 1) == 0)
  }

  @Test func `The exponential agrees with libm`() {
    for exponent in stride(from: -30.0, through: 0, by: 0.11) {
      #expect(abs(ExactMath.exponential(exponent) - exp(exponent)) < 1e-12 * exp(exponent) + 1e-16)
    }
  }

  /// The generator's own reference values: SplitMix64 of 0, then the definition of xoshiro256** by hand.
  @Test func `Random numbers are those of xoshiro256**`() {
    var random = SeededRandom(seed: 0, stream: 0)
    let state: [UInt64] = [
      0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F, 0xF88B_B8A8_724C_81EC,
    ]
    let scaled = state[1] &* 5
    #expect(random.next() == (scaled << 7 | scaled >> 57) &* 9)
    let second = state[1] ^ state[2] ^ state[0]
    let next = second &* 5
    #expect(random.next() == (next << 7 | next >> 57) &* 9)
  }

  @Test func `Normal deviates have their mean, spread and bounds`() {
    var random = SeededRandom(seed: 1, stream: 2)
    let numbers = (0..<20_000).map { _ in random.normal() }
    let mean = numbers.reduce(0, +) / 20_000
    let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20_000
    #expect(abs(mean) < 0.03)
    #expect(abs(variance - 1) < 0.04)
    #expect(numbers.allSatisfy { abs($0) <= 6 })
  }

  @Test func `A correlated error keeps its spread and correlation`() {
    var random = SeededRandom(seed: 3, stream: 0)
    var error = GaussMarkov(sigma: 5, memory: 10, period: 1, random: &random)
    var values: [Double] = []
    for _ in 0..<50_000 {
      error.step(&random)
      values.append(error.value)
    }
    let variance = values.reduce(0) { $0 + $1 * $1 } / Double(values.count)
    let lagged = zip(values, values.dropFirst(10)).reduce(0) { $0 + $1.0 * $1.1 } / Double(values.count - 10)
    #expect(abs(variance.squareRoot() - 5) < 0.4)
    #expect(abs(lagged / variance - exp(-1)) < 0.06)
  }
}

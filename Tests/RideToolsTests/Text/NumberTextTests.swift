import LocationCore
import Testing

@testable import RideTools

struct NumberTextTests {
  @Test(
    arguments: [
      (0, 3, "0"), (-0.0004, 3, "0"), (1.5, 0, "2"), (-1.5, 0, "-2"), (12.345_6, 3, "12.346"), (0.1, 1, "0.1"),
      (0.1, 9, "0.1"), (-179.999_999_999_6, 9, "-180"), (1e30, 3, "900000000"), (-1e30, 1, "-900000000"),
      (.nan, 2, "0"), (.infinity, 2, "0"), (9.999_6, 3, "10"), (123_456.789, 3, "123456.789"), (5, -3, "5"),
    ] as [(Double, Int, String)]
  )
  func `A number has as few decimals as possible`(number: Double, decimals: Int, text: String) {
    var bytes: [UInt8] = []
    bytes.append(fixed: number, decimals: decimals)
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test func `An untrimmed number keeps its decimals`() {
    var bytes: [UInt8] = []
    bytes.append(fixed: 1.5, decimals: 3, trimmed: false)
    bytes.append(fixed: -899_999_999.987_654_321, decimals: 9, trimmed: false)
    #expect(String(decoding: bytes, as: UTF8.self) == "1.500-899999999.987654272")
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00Z"), (1_000_000, "1970-01-01T00:00:00.001Z"),
      (1_773_923_719_200_000_000, "2026-03-19T12:35:19.200Z"), (-1_000_000_000, "1969-12-31T23:59:59Z"),
      (1_798_761_599_999_000_000, "2026-12-31T23:59:59.999Z"), (.min, "1677-09-21T00:12:43.145Z"),
      (.max, "2262-04-11T23:47:16.854Z"),
    ] as [(Int64, String)]
  )
  func `An instant is written in milliseconds`(nanoseconds: Int64, text: String) {
    var bytes: [UInt8] = []
    bytes.append(iso8601: UTCInstant(nanosecondsSince1970: nanoseconds))
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }
}

import LocationCore
import Testing

@testable import Recordings

struct RideNameTests {
  private static let start = UTCInstant(nanosecondsSince1970: 1_773_923_719_900_000_000)

  @Test func `A ride is named by its UTC start`() {
    let name = RideName(utc: Self.start, boot: "x", instant: .zero)
    #expect(name.stem == "20260319T123519Z")
    #expect(name.file(part: 1) == "20260319T123519Z.nmea")
    #expect(name.file(part: 2) == "20260319T123519Z-002.nmea")
    #expect(name.file(part: 1234) == "20260319T123519Z-1234.nmea")
  }

  @Test(
    arguments: [
      nil, UTCInstant(nanosecondsSince1970: 0), UTCInstant(nanosecondsSince1970: 1_767_225_599_999_999_999),
    ]
  )
  func `While the clock is not set, boot and monotonic clock name the ride`(utc: UTCInstant?) {
    let name = RideName(utc: utc, boot: "1f0c9a7e-1111-2222-3333-444444444444", instant: .milliseconds(41_250))
    #expect(name.stem == "boot-1f0c9a7e-41250")
    #expect(name.start == nil)
  }

  @Test func `Every file name is parsed`() {
    for utc in [Self.start, nil] {
      for milliseconds in [0, 7, 123, 4567] as [Int64] {
        for duplicate in [1, 2, 30] {
          for part in [1, 2, 999, 1000] {
            let name = RideName(utc: utc, boot: "ab", instant: .milliseconds(milliseconds), duplicate: duplicate)
            let read = RideName.parse(file: name.file(part: part))
            #expect(read?.name == name)
            #expect(read?.part == part)
          }
        }
      }
    }
  }

  @Test(
    arguments: [
      "", ".nmea", "a.nmea", "20260319T123519Z", "20260319T123519Z.log", "20261319T123519Z.nmea",
      "20260319T126019Z.nmea",
      "20260319T123519Z_1.nmea", "20260319T123519Z-001.nmea", "20260319T123519Z-2.nmea", "20260319T123519Z-0002.nmea",
      "boot-12-3.nmea", "boot-1234567g-3.nmea", "boot-12345678.nmea", "city.nmea", "20260319T123519Z-002-003.nmea",
      "20260319T123519Z.nmea.bak", "20260319T123519Z_x.nmea", "99999999999999999999.nmea",
    ]
  )
  func `A file of another name is not a ride`(file: String) {
    #expect(RideName.parse(file: file) == nil)
  }
}

import Glibc
import LocationCore
import Testing

@testable import Recordings

struct BundledRideTests {
  @Test(arguments: BundledRide.allCases) func `The file in recordings is what its command makes`(ride: BundledRide)
    throws
  {
    let made = try #require(ride.recording(seed: ride.defaultSeed)).bytes
    if let out = getenv("HANDLEBAR_MAKE_RECORDINGS") {
      let fd = open(String(cString: out) + "/\(ride.rawValue).nmea", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      _ = made.withUnsafeBytes { write(fd, $0.baseAddress, $0.count) }
      close(fd)
    }
  }
}

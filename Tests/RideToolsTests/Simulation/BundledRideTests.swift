import Glibc
import LocationCore
import Testing

@testable import RideTools

struct BundledRideTests {
  /// The folder with the bundled rides, above this file.
  private static let folder: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    while parts.popLast() != nil {
      let folder = parts.joined(separator: "/") + "/recordings"
      if access(folder + "/city.nmea", R_OK) == 0 { return folder }
    }
    return "recordings"
  }()

  private static func read(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    try #require(descriptor >= 0, "\(path) is not there")
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return bytes }
      bytes += piece[..<count]
    }
  }

  @Test(arguments: BundledRide.allCases)
  func `The command of a bundled recording reproduces it`(ride: BundledRide)
    throws
  {
    let made = try #require(ride.ride(seed: ride.defaultSeed)).recording
    let bundled = try Self.read(Self.folder + "/\(ride.rawValue).nmea")
    #expect(made.count == bundled.count)
    #expect(made == bundled)
  }
}

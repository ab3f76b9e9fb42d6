import LocationCore

@testable import LocationDaemon

extension VirtualDaemon {
  /// Two reports of a gpsd about the same epoch as `NMEAEpoch` of that number, of a ride 20 m a second to the north.
  func report(epoch number: Int, from source: Int, mode: FixMode? = .threeD) {
    let time = UTCInstant(nanosecondsSince1970: (1_773_921_600 + Int64(number)) * 1_000_000_000)
    let latitude = 48 + 20 * Double(number) / 1853.2 / 60
    for _ in 0..<2 {
      var fix: Fix?
      if let mode, let position = Coordinate(latitude: latitude, longitude: 11.5) {
        fix = Fix(position: position, mode: mode, measured: time, received: now)
        fix?.speed = 20
      }
      sink(source).sourceDidReport(
        .position(GPSDPosition(device: "/dev/ttyACM0", time: time, fix: fix)), line: [0x7B, 0x7D], at: now)
    }
  }
}

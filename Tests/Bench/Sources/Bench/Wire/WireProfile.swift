/// A receiver of the simulator on a line that is no faster than it must be.
struct WireProfile {
  /// The simulator's name of it.
  let receiver: String
  /// Line speed, bit/s.
  let speed: Int
  /// Epochs a second.
  let rate: Int
  /// The only sentences that it sends; `nil` for all.
  var only: Set<String>?

  var name: String { "\(receiver) at \(speed)" + (only == nil ? "" : ", RMC GGA GSA") }

  /// From one byte to the next, nanoseconds: eight bits, a start and a stop.
  var byteTime: Int64 { 10_000_000_000 / Int64(speed) }

  /// Bytes that come together: a fast line's hardware hands them over by the millisecond.
  var chunk: Int { max(1, speed / 10_000) }

  static let slow = [
    WireProfile(receiver: "ublox-1hz", speed: 9600, rate: 1), WireProfile(receiver: "mtk", speed: 9600, rate: 1),
    WireProfile(receiver: "sirf", speed: 4800, rate: 1), WireProfile(receiver: "garmin", speed: 4800, rate: 1),
  ]

  /// Ten epochs a second fit 38,400 bit/s without the satellites in view only.
  static let fast = [
    WireProfile(receiver: "ublox-5hz", speed: 115_200, rate: 5),
    WireProfile(receiver: "ublox-10hz", speed: 115_200, rate: 10),
    WireProfile(receiver: "ublox-10hz", speed: 38_400, rate: 10, only: ["RMC", "GGA", "GSA"]),
  ]
}

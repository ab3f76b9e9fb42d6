import LocationCore
import Logging

/// A gpsd may have the very receiver that is also configured as a serial source.
extension GPSDSource {
  /// What is wrong when every receiver that gpsd could read is one that this daemon holds itself; says so in the log
  /// when gpsd reads one of them.
  func conflict(with devices: [GPSDReport.Device]) -> SourceError? {
    guard options.address.isLocal else { return nil }
    var error: SourceError?
    for device in devices {
      guard let other = sink?.serialSource(of: device.path) else { return nil }
      if device.isActive {
        log.warning(
          "gpsd holds the receiver of another source: only one of the two can be read, name one of them",
          metadata: ["SOURCE": "\(name)", "DEVICE": "\(device.path)", "OTHER": "\(other)"])
        return nil
      }
      error = error ?? .sameReceiver(source: name, device: device.path, as: other)
    }
    return error
  }
}

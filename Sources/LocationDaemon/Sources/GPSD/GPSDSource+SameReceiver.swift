import LocationCore
import Logging

/// A gpsd may be meant to have the very receiver that is also configured as a serial source.
extension GPSDSource {
  /// What is wrong when gpsd has nothing to read because this daemon holds it; says so in the log when it is the other
  /// way round. A gpsd that cannot open its receiver forgets it, so it can only be guessed that they are the same.
  func conflict(with devices: [GPSDLineReport.Device]) -> SourceError? {
    guard options.address.isLocal else { return nil }
    if devices.isEmpty { return sink?.openSerialSource.map { .heldHere(source: name, by: $0) } }
    for device in devices {
      guard let other = sink?.serialSource(of: device.path) else { return nil }
      guard device.isActive else { return .heldHere(source: name, by: other) }
      log.warning(
        "gpsd holds the receiver of another source: only one of the two can read it, name one of them",
        metadata: ["SOURCE": "\(name)", "DEVICE": "\(device.path)", "OTHER": "\(other)"])
    }
    return nil
  }
}

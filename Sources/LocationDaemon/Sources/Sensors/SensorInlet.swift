import LocationCore
import Logging
import NIOCore

/// The way of a sensor that the daemon reads itself into the engine: that of a client which feeds it.
final class SensorInlet {
  private let source: ConfiguredSource
  private let loop: EngineLoop
  /// Connections are numbered upwards.
  private let client: ClientID

  init(_ inlet: SourceInlet) {
    (source, loop) = (inlet.source, inlet.loop)
    client = ClientID(.max - UInt64(UInt32(bitPattern: source.id.configured)))
    loop.connect(client, of: nil)
  }

  var device: String { source.device }
  var now: MonotonicInstant { loop.clock.now }
  var eventLoop: any EventLoop { loop.eventLoop }

  @discardableResult func send(_ reading: SensorRequest) -> Bool {
    var (reading, isTaken) = (reading, false)
    reading.source = device
    loop.turn { instant in
      do throws(RequestRefusal) {
        try loop.handle(.sensor(reading), from: client, sent: nil, at: instant)
        settle(.tracking)
        isTaken = true
      } catch let refusal {
        fail(.unavailable(source: device, reason: "\(refusal)"))
      }
    }
    return isTaken
  }

  func settle(_ phase: SourcePhase) {
    if source.sensor.error != nil { loop.log.info("the sensor is back", metadata: metadata) }
    source.sensor = (phase, nil)
  }

  /// There are no readings; logged once for each reason.
  func fail(_ new: SourceError) {
    guard new != source.sensor.error else { return }
    source.sensor = (.failed, new)
    loop.log.warning("\(new); \(new.remedy)", metadata: metadata.merging(["REASON": "\(new.code)"]) { $1 })
  }

  func close() { loop.disconnect(client) }

  private var metadata: Logger.Metadata { ["SOURCE": "\(source.name)", "DEVICE": "\(device)"] }
}

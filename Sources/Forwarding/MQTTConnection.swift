import Glibc
import LocationCore

/// One connection to a broker through libmosquitto, used by one thread; closed when it is released. It is not used again
/// after a failure, so that libmosquitto never repeats a message: ``ForwardMachine`` does.
final class MQTTConnection {
  /// What the broker did.
  enum Event {
    case connected
    case disconnected(ForwardMachine.Failure)
    case acknowledged(ForwardMachine.MessageID)
  }

  private static let keepAlive: Int32 = 30

  private let library: MQTTLibrary
  private let broker: Broker
  private var client: OpaquePointer?
  private var events: [Event] = []
  private var ids: [Int32: ForwardMachine.MessageID] = [:]
  /// The newest message of OpenSSL: libmosquitto's code says only that it failed.
  private var encryptionError: String?

  /// Begins a connection; a failure is the first event. The broker publishes `will`, retained, when the unit is lost.
  init(_ library: MQTTLibrary, to broker: Broker, name: String, will: (topic: String, payload: String), quality: Int32)
  {
    self.library = library
    self.broker = broker
    client = library.new(name, true, Unmanaged.passUnretained(self).toOpaque())
    guard let client else {
      fail("out of memory")
      return
    }
    library.onConnect(client) { MQTTConnection.from($1)?.didConnect(code: $2) }
    library.onDisconnect(client) { MQTTConnection.from($1)?.didDisconnect(code: $2) }
    library.onPublish(client) { MQTTConnection.from($1)?.didPublish($2) }
    library.onLog(client) { MQTTConnection.from($1)?.didLog(level: $2, $3) }
    var code = library.setWindow(client, UInt32(ForwardMachine.window))
    let payload = Array(will.payload.utf8)
    if code == MQTTLibrary.success {
      code = library.setWill(client, will.topic, Int32(payload.count), payload, quality, true)
    }
    if code == MQTTLibrary.success, broker.user != nil {
      code = library.setLogin(client, broker.user, broker.password)
    }
    if code == MQTTLibrary.success, broker.isEncrypted {
      let folder = broker.authorities == nil ? "/etc/ssl/certs" : nil
      code = library.setTLS(client, broker.authorities, folder, broker.certificate, broker.key, nil)
    }
    if code == MQTTLibrary.success {
      code = library.connect(client, broker.host, Int32(broker.port), Self.keepAlive)
    }
    check(code)
  }

  deinit {
    if let client { library.destroy(client) }
  }

  /// Sends a message.
  func publish(
    _ payload: some Collection<UInt8>, to topic: String, quality: Int32, retained: Bool = false,
    id: ForwardMachine.MessageID
  ) {
    guard let client else { return }
    var number: Int32 = 0
    let bytes = Array(payload)
    check(library.publish(client, &number, topic, Int32(bytes.count), bytes, quality, retained))
    ids[number] = id
  }

  /// Waits for the broker, then returns what it did.
  func poll(atMost limit: Duration) -> [Event] {
    if events.isEmpty, let client {
      check(library.loop(client, Int32(clamping: limit.nanoseconds / 1_000_000), 1))
    }
    defer { events = [] }
    return events
  }

  /// Ends the connection in order, so that the broker does not publish the will.
  func close() {
    guard let client else { return }
    _ = library.disconnect(client)
    // Until everything is sent: the loop then fails.
    for _ in 0..<20 where library.loop(client, 100, 1) != MQTTLibrary.success { break }
  }

  private func check(_ code: Int32) {
    guard code != MQTTLibrary.success else { return }
    let reason =
      code == MQTTLibrary.systemError
      ? String(cString: strerror(errno)) : code == MQTTLibrary.lookupError ? "the name is unknown" : library.error(code)
    fail(reason)
  }

  private func fail(_ reason: String, isPermanent: Bool = false) {
    if case .disconnected? = events.last { return }
    var (reason, isPermanent) = (reason, isPermanent)
    if let encryptionError {
      // Text of OpenSSL: "error:0A000086:SSL routines::certificate verify failed".
      let cause = encryptionError.split(separator: ":").last.map(String.init) ?? encryptionError
      // Not the end of a connection in the middle, as of a broker that restarts.
      isPermanent = ["certificate", "alert", "wrong version", "protocol"].contains { cause.contains($0) }
      reason =
        cause.contains("certificate verify failed")
        ? "its certificate is not valid (expired, for another name, or of an unknown authority); check the date and --ca"
        : "no encrypted connection: \(cause)"
    }
    events.append(.disconnected(.init("cannot reach \(broker.address): \(reason)", isPermanent: isPermanent)))
  }

  private func didConnect(code: Int32) {
    guard code != MQTTLibrary.success else {
      encryptionError = nil
      return events.append(.connected)
    }
    // 3 is "server unavailable".
    let reason = "\(broker.address) refuses the unit: \(library.refusal(code))"
    events.append(.disconnected(.init(reason, isPermanent: code != 3)))
  }

  private func didDisconnect(code: Int32) {
    if code != MQTTLibrary.success { fail(library.error(code)) }
  }

  private func didPublish(_ number: Int32) {
    if let id = ids.removeValue(forKey: number) { events.append(.acknowledged(id)) }
  }

  private func didLog(level: Int32, _ text: UnsafePointer<CChar>?) {
    guard level < MQTTLibrary.debugLevel, let text = text.map({ String(cString: $0) }) else { return }
    if text.hasPrefix("OpenSSL Error") { encryptionError = text }
  }

  private static func from(_ object: UnsafeMutableRawPointer?) -> MQTTConnection? {
    object.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
  }
}

import Dispatch
import Glibc

/// One connection to a broker through libmosquitto, used by one thread; closed when it is released. It is not used
/// again after a failure, so that libmosquitto never repeats a message: ``ForwardMachine`` does.
/// The broker is not trusted with memory: a unit subscribes to nothing, so that all it may receive is an answer of a
/// few bytes to each packet it sent. Anything else ends the connection.
final class MQTTConnection {
  private static let keepAlive: Int32 = 30
  /// What libmosquitto may allocate in one call: enough for the handshake with the largest certificates.
  private static let allowance: UInt64 = 4 << 20

  private let library: MQTTLibrary
  private let broker: Broker
  private var client: OpaquePointer?
  private var events: [ForwardMachine.Event] = []
  private var ids: [Int32: ForwardMachine.MessageID] = [:]
  private let outcome = DispatchSemaphore(value: 0)
  private var isConnecting = false
  private var isAccepted = false
  /// The part of libmosquitto's log that names a packet.
  private let received: String
  private let pinged: String
  /// Number of packets that the broker has yet to send: answers.
  private var owed = 1
  private var memory = MemoryLimit(allowance: allowance)
  /// The newest message of OpenSSL: libmosquitto's code says only that it failed.
  private var encryptionError: String?
  private var certificateError: String?

  /// Begins a connection; a failure is the first event. The broker publishes `will`, retained, when the unit is lost.
  init(_ library: MQTTLibrary, to broker: Broker, name: String, will: (topic: String, payload: String), quality: Int32)
  {
    self.library = library
    self.broker = broker
    received = "Client \(name) received "
    pinged = "Client \(name) sending PINGREQ"
    client = library.new(name, true, Unmanaged.passUnretained(self).toOpaque())
    guard let client else {
      fail("out of memory")
      return
    }
    library.onConnect(client) { _, object, code in MQTTConnection.notify(object) { $0.didConnect(code: code) } }
    library.onDisconnect(client) { _, object, code in MQTTConnection.notify(object) { $0.check(code) } }
    library.onPublish(client) { _, object, number in MQTTConnection.notify(object) { $0.didPublish(number) } }
    library.onLog(client) { _, object, _, text in
      MQTTConnection.notify(object) { $0.didLog(text.map { String(cString: $0) } ?? "") }
    }
    var code = library.setWindow(client, UInt32(ForwardMachine.window))
    let payload = Array(will.payload.utf8)
    if code == MQTTLibrary.success {
      code = library.setWill(client, will.topic, Int32(payload.count), payload, quality, true)
    }
    if code == MQTTLibrary.success, broker.user != nil { code = library.setLogin(client, broker.user, broker.password) }
    if code == MQTTLibrary.success, broker.isEncrypted {
      let folder = broker.authorities == nil ? "/etc/ssl/certs" : nil
      code = library.setTLS(client, broker.authorities, folder, broker.certificate, broker.key) { _, _, _, _ in
        // No passphrase is asked for.
        0
      }
    }
    check(code)
    if code == MQTTLibrary.success { beginConnecting(client) }
  }

  deinit {
    if let client { library.destroy(client) }
  }

  /// Connects in another thread, whose the connection is until the outcome: nothing holds up the forwarder.
  private func beginConnecting(_ client: OpaquePointer) {
    isConnecting = true
    nonisolated(unsafe) let (connection, client) = (self, client)
    DispatchQueue(label: "handlebarctl.connect").async {
      let address = connection.broker.address
      connection.check(connection.library.connect(client, address.host, Int32(address.port), Self.keepAlive))
      connection.outcome.signal()
    }
  }

  /// Whether no thread is connecting any more, after waiting for it.
  private func hasOutcome(atMost milliseconds: Int32) -> Bool {
    guard isConnecting else { return true }
    isConnecting = outcome.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .timedOut
    return !isConnecting
  }

  func publish(
    _ payload: some Collection<UInt8>, to topic: String, quality: Int32, retained: Bool = false,
    id: ForwardMachine.MessageID
  ) {
    guard let client else { return }
    var number: Int32 = 0
    let bytes = Array(payload)
    check(library.publish(client, &number, topic, Int32(bytes.count), bytes, quality, retained))
    ids[number] = id
    // PUBACK, or PUBREC and PUBCOMP.
    owed += Int(quality)
  }

  func poll(atMost limit: Duration) -> [ForwardMachine.Event] {
    let milliseconds = Int32(clamping: limit.nanoseconds / 1_000_000)
    guard hasOutcome(atMost: milliseconds) else { return [] }
    if events.isEmpty { _ = loop(atMost: milliseconds) }
    return exchange(&events, with: [])
  }

  /// Ends the connection in order, so that the broker does not publish the will; one that is not there yet is left.
  func close() {
    guard let client, hasOutcome(atMost: 250) else { return }
    _ = library.disconnect(client)
    // Until everything is sent: the loop then fails.
    for _ in 0..<10 {
      guard loop(atMost: 100) else { return }
    }
  }

  /// Lets libmosquitto read and write, and allocate no more than it needs for that; returns whether it succeeds.
  private func loop(atMost milliseconds: Int32) -> Bool {
    guard let client else { return false }
    memory.begin()
    let code = library.loop(client, milliseconds, 1)
    let isTooMuch = memory.end()
    check(code)
    if isTooMuch { failUnasked() }
    return code == MQTTLibrary.success && !isTooMuch
  }

  private func check(_ code: Int32) {
    switch code {
    case MQTTLibrary.success: break
    case MQTTLibrary.systemError where errno == EPROTO && !isAccepted && encryptionError == nil:
      // The reset came before the alert that the broker sent behind the handshake was read: certificate required.
      certificateError = "the broker ends it. Check --cert and --key"
      fail("")
    case MQTTLibrary.systemError: fail(errno == 0 ? "the connection was lost" : String(cString: strerror(errno)))
    case MQTTLibrary.lookupError: fail("the name is unknown")
    case MQTTLibrary.keepAliveError: fail("it does not answer")
    // Of a packet whose length is within what MQTT allows.
    case MQTTLibrary.outOfMemory: failUnasked()
    case MQTTLibrary.malformedPacket: fail("what it sends is not MQTT")
    default: fail(library.error(code))
    }
  }

  private func fail(_ reason: String) {
    if case .disconnected? = events.last { return }
    var (reason, isPermanent) = (reason, false)
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
    if let certificateError { (reason, isPermanent) = ("no encrypted connection: \(certificateError)", true) }
    events.append(.disconnected(.init(reason: "cannot reach \(broker.address): \(reason)", isPermanent: isPermanent)))
  }

  private func failUnasked() {
    if case .disconnected? = events.last { return }
    let reason = "\(broker.address) sends what the unit did not ask for; name another broker"
    events.append(.disconnected(.init(reason: reason, isPermanent: true)))
  }

  private func didConnect(code: Int32) {
    guard code != MQTTLibrary.success else {
      isAccepted = true
      encryptionError = nil
      return events.append(.connected)
    }
    // 3 is "server unavailable".
    let reason = "\(broker.address) refuses the unit: \(library.refusal(code))"
    events.append(.disconnected(.init(reason: reason, isPermanent: code != 3)))
  }

  private func didPublish(_ number: Int32) {
    if let id = ids.removeValue(forKey: number) { events.append(.acknowledged(id)) }
  }

  private func didLog(_ text: String) {
    if text.hasPrefix(received) {
      didReceive(text.dropFirst(received.count))
    } else if text == pinged {
      owed += 1
    } else if text.hasPrefix("OpenSSL Error") {
      encryptionError = text
    } else if text.hasPrefix("Error: Unable to load") || text.hasPrefix("Error: Client certificate/key") {
      // 'Error: Unable to load client key file "unit.key".'
      certificateError = String(text.dropFirst(7).prefix { $0 != "\n" }) + " Check --ca, --cert and --key"
    }
  }

  /// Notes a packet, `PUBACK (Mid: 1, RC:0)`; one that is no answer ends the connection.
  private func didReceive(_ packet: Substring) {
    owed -= 1
    let isAnswer = ["CONNACK", "PUBACK", "PUBREC", "PUBCOMP", "PINGRESP"].contains { packet.hasPrefix($0) }
    guard owed < 0 || !isAnswer, let client else { return }
    failUnasked()
    // At once: libmosquitto reads on as long as there is something to read.
    shutdown(library.socket(client), Int32(SHUT_RDWR))
  }

  /// Takes a callback, which can come from within ``loop(atMost:)``.
  private static func notify(_ object: UnsafeMutableRawPointer?, _ body: (MQTTConnection) -> Void) {
    guard let object else { return }
    let connection = Unmanaged<MQTTConnection>.fromOpaque(object).takeUnretainedValue()
    connection.memory.lifted { body(connection) }
  }
}

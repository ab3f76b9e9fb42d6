import LocationCore
import NIOCore

/// Options of a receiver on a serial line: `serial:/dev/gps0?speed=auto&checksums=require`.
package struct SerialOptions: Hashable, Sendable {
  /// Path of the device, best a stable link.
  package var path: String
  /// Speed in bits per second; `nil` detects it.
  package var speed: Int?
  package var checksums = ChecksumPolicy.require
  /// Whether dates that lie a multiple of 1024 weeks in the past are moved forward.
  package var snapsRollover = false
  /// The state into which the receiver is brought; `nil` sends it nothing.
  package var receiver: ReceiverWish?
  /// How the receiver is helped to its first fix, if there is a state into which it is brought.
  package var quickStart = QuickStartOptions()
}

/// Options of the quick start of a u-blox receiver.
package struct QuickStartOptions: Hashable, Sendable {
  package var isOn = true
  /// Whether the receiver also keeps its database in its own flash memory.
  package var usesFlash = false
  /// Directory of assistance files; `nil` for none.
  package var assistance: String?
}

extension SerialOptions {
  init(_ query: inout URIQuery) throws(ConfigurationError) {
    guard query.path.hasPrefix("/") else {
      throw query.error("a serial source needs an absolute path, for example serial:/dev/gps0")
    }
    path = query.path
    switch query.take("speed") {
    case nil, "auto": speed = nil
    case .some(let text): speed = try Self.speed(text, "speed", "auto or one of", query)
    }
    checksums = try query.takeChecksumPolicy() ?? .require
    snapsRollover = try query.takeRollover()
    receiver = try Self.receiver(&query)
    if let start = try Self.quickStart(&query) {
      quickStart = start
      receiver = receiver ?? ReceiverWish()
    }
  }

  private static func speed(
    _ text: String, _ key: String, _ choice: String, _ query: URIQuery
  ) throws(ConfigurationError) -> Int {
    guard let value = Int(text), SerialLine.speeds[value] != nil else {
      let known = SerialLine.speeds.keys.sorted().map(String.init).joined(separator: ", ")
      throw query.error("\(key)=\(text) is not a line speed; use \(choice) \(known)")
    }
    return value
  }

  /// Takes `receiver.quick-start`, `receiver.flash` and `receiver.assistance`; `nil` without any of them.
  private static func quickStart(_ query: inout URIQuery) throws(ConfigurationError) -> QuickStartOptions? {
    var options = QuickStartOptions()
    let isOn = try query.takeFlag("receiver.quick-start")
    let usesFlash = try query.takeFlag("receiver.flash")
    options.assistance = query.take("receiver.assistance")
    if isOn == nil, usesFlash == nil, options.assistance == nil { return nil }
    options.isOn = isOn ?? true
    options.usesFlash = usesFlash ?? false
    if let path = options.assistance, !path.hasPrefix("/") {
      throw query.error(
        "receiver.assistance=\(path) is not an absolute path, for example /var/lib/handlebar/assistance")
    }
    if !options.isOn, options.usesFlash || options.assistance != nil {
      throw query.error(
        "receiver.quick-start=false leaves nothing for receiver.flash and receiver.assistance; remove them")
    }
    return options
  }

  /// Takes `receiver.protocol`, `receiver.rate`, `receiver.model`, `receiver.accuracy` and `receiver.speed`; `nil`
  /// without any of them.
  private static func receiver(_ query: inout URIQuery) throws(ConfigurationError) -> ReceiverWish? {
    var wish = ReceiverWish()
    if let text = query.take("receiver.protocol") {
      guard let output = ReceiverWish.Output(rawValue: text) else {
        let known = ReceiverWish.Output.allCases.map(\.rawValue).joined(separator: ", ")
        throw query.error("receiver.protocol=\(text) is not a protocol; use one of \(known)")
      }
      wish.output = output
    }
    if let text = query.take("receiver.rate") {
      guard let rate = Int(text), ReceiverWish.rates.contains(rate) else {
        throw query.error("receiver.rate=\(text) is not a number of epochs per second; use 1 to 25")
      }
      wish.rate = rate
    }
    if let text = query.take("receiver.model") {
      guard let model = ReceiverWish.Model(rawValue: text) else {
        let known = ReceiverWish.Model.allCases.map(\.rawValue).joined(separator: ", ")
        throw query.error("receiver.model=\(text) is not a model; use one of \(known)")
      }
      wish.model = model
    }
    wish.accuracy = try query.takeFlag("receiver.accuracy")
    if let text = query.take("receiver.speed") { wish.speed = try speed(text, "receiver.speed", "one of", query) }
    return wish == ReceiverWish() ? nil : wish
  }
}

/// Options of a gpsd: `gpsd://localhost:2947`, or one of its receivers as `gpsd://localhost:2947/dev/ttyUSB0`.
package struct GPSDOptions: Hashable, Sendable {
  /// The port registered for gpsd.
  package static let defaultPort = 2947

  package var address: NetworkAddress
  /// The receiver to read; `nil` reads whichever has a fix.
  package var device: String?
}

extension GPSDOptions {
  init(_ query: inout URIQuery) throws(ConfigurationError) {
    let parts = try query.splitAuthority()
    guard let address = NetworkAddress(parts.authority, defaultPort: Self.defaultPort) else {
      throw query.error("\"\(parts.authority)\" is not HOST or HOST:PORT, for example gpsd://localhost:2947")
    }
    self.init(
      address: NetworkAddress(host: address.host.isEmpty ? "localhost" : address.host, port: address.port),
      device: parts.path.isEmpty || parts.path == "/" ? nil : parts.path)
  }
}

/// Options of NMEA over the network: `tcp://192.168.1.7:10110` connects, `udp://:10110` listens.
package struct NetworkOptions: Hashable, Sendable {
  /// The port that phones and multiplexers use for NMEA.
  package static let defaultPort = 10_110

  package var address: NetworkAddress
  package var checksums = ChecksumPolicy.require
  /// Whether dates that lie a multiple of 1024 weeks in the past are moved forward.
  package var snapsRollover = false
}

extension NetworkOptions {
  init(_ query: inout URIQuery, needsHost: Bool) throws(ConfigurationError) {
    let parts = try query.splitAuthority()
    guard parts.path.isEmpty || parts.path == "/",
      let address = NetworkAddress(parts.authority, defaultPort: Self.defaultPort),
      !needsHost || !address.host.isEmpty
    else {
      let example = needsHost ? "tcp://192.168.1.7:10110" : "udp://:10110"
      throw query.error("\"\(parts.authority)\(parts.path)\" is not HOST:PORT, for example \(example)")
    }
    self.init(address: address, checksums: try query.takeChecksumPolicy() ?? .require)
    snapsRollover = try query.takeRollover()
  }
}

/// A host and a port: `localhost:2947`, `[::1]:2947` or `:10110`.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an IP address without brackets; empty for all addresses of this machine.
  package var host: String
  /// 1 to 65535.
  package var port: Int
}

extension NetworkAddress {
  /// Parses `HOST:PORT`, or `HOST` if there is a default port; `nil` for anything else.
  package init?(_ text: some StringProtocol, defaultPort: Int? = nil) {
    var host = Substring(text)
    var portText: Substring?
    if host.first == "[" {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let rest = host[host.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      portText = rest.isEmpty ? nil : rest.dropFirst()
      host = host[host.index(after: host.startIndex)..<end]
    } else if let colon = host.lastIndex(of: ":") {
      portText = host[host.index(after: colon)...]
      host = host[..<colon]
      // An IPv6 address without brackets is ambiguous.
      guard !host.utf8.contains(UInt8(ascii: ":")) else { return nil }
    }
    guard let port = portText.map({ Int($0) ?? 0 }) ?? defaultPort, (1...65_535).contains(port) else { return nil }
    self.init(host: String(host), port: port)
  }

  /// The address of an IP socket; `nil` for any other.
  init?(_ address: SocketAddress?) {
    guard let address, let host = address.ipAddress, let port = address.port else { return nil }
    self.init(host: host, port: port)
  }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
  /// The socket address if no name has to be resolved; `localhost` is 127.0.0.1.
  var literal: SocketAddress? { try? SocketAddress(ipAddress: host == "localhost" ? "127.0.0.1" : host, port: port) }
  var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }
  var isLocal: Bool { host.isEmpty || host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}

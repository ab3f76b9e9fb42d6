import Glibc
import LocationCore

/// Options of a receiver on a serial line: `serial:/dev/gps0?speed=auto&checksums=require`.
package struct SerialOptions: Hashable, Sendable {
  /// The supported speeds in bits per second, with their termios codes.
  static let speeds: [Int: speed_t] = [
    4800: speed_t(B4800), 9600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400),
    57_600: speed_t(B57600), 115_200: speed_t(B115200), 230_400: speed_t(B230400),
    460_800: speed_t(B460800), 921_600: speed_t(B921600),
  ]

  /// Path of the device, best a stable link.
  package var path: String
  /// Speed in bits per second; `nil` detects it.
  package var speed: Int?
  package var checksums = ChecksumPolicy.require
  package var snapsRollover = false
  /// The state into which the receiver is brought; `nil` sends it nothing.
  package var receiver: ReceiverWish?
  /// How the receiver is helped to its first fix, if there is a state into which it is brought.
  package var quickStart = QuickStartOptions()
}

package struct QuickStartOptions: Hashable, Sendable {
  package var isOn = true
  /// Whether the receiver also keeps its database in its own flash memory.
  package var usesFlash = false
  /// Directory of assistance files; `nil` for none.
  package var assistance: String?
}

extension SerialOptions: SourceKind {
  package var scheme: String { "serial" }
  package var device: String { path }
  package var lineSpeed: Int? { speed }

  package func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    SerialSource(self, into: inlet, keeping: workshop.memory)
  }

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
    guard let value = Int(text), Self.speeds[value] != nil else {
      let known = Self.speeds.keys.sorted().map(String.init).joined(separator: ", ")
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

  /// Takes `receiver.protocol`, `rate`, `model`, `accuracy` and `speed`; `nil` without any of them.
  private static func receiver(_ query: inout URIQuery) throws(ConfigurationError) -> ReceiverWish? {
    var wish = ReceiverWish()
    wish.output = try query.takeCase("receiver.protocol", orElse: "is not a protocol; use one of auto, ubx, nmea")
    if let text = query.take("receiver.rate") {
      guard let rate = Int(text), ReceiverWish.rates.contains(rate) else {
        throw query.error("receiver.rate=\(text) is not a number of epochs per second; use 1 to 25")
      }
      wish.rate = rate
    }
    wish.model = try query.takeCase("receiver.model", orElse: "is not a model; use one of bike, car, pedestrian")
    wish.accuracy = try query.takeFlag("receiver.accuracy")
    if let text = query.take("receiver.speed") { wish.speed = try speed(text, "receiver.speed", "one of", query) }
    return wish == ReceiverWish() ? nil : wish
  }
}

import Glibc

/// The part of libmosquitto that publishes, loaded when the forwarder starts: no other command needs it.
struct MQTTLibrary: Sendable {
  static let name = "libmosquitto.so.1"
  // mosquitto.h
  static let success: Int32 = 0
  static let outOfMemory: Int32 = 1
  static let systemError: Int32 = 14
  static let lookupError: Int32 = 15
  static let keepAliveError: Int32 = 19
  static let malformedPacket: Int32 = 21

  typealias Client = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  /// The client, the object given to `new`, and a code or a message's number.
  typealias Callback = @convention(c) (Client?, UnsafeMutableRawPointer?, Int32) -> Void
  typealias LogCallback = @convention(c) (Client?, UnsafeMutableRawPointer?, Int32, Text?) -> Void
  typealias SetCallback = @convention(c) (Client, Callback?) -> Void
  /// Writes the passphrase of a key to a buffer of a size; returns its length.
  typealias Passphrase = @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
  typealias Describe = @convention(c) (Int32) -> Text?

  // The types are those of mosquitto.h, which have not changed since version 1.4.
  let new: @convention(c) (Text?, Bool, UnsafeMutableRawPointer?) -> Client?
  let destroy: @convention(c) (Client) -> Void
  let onConnect: SetCallback
  let onDisconnect: SetCallback
  let onPublish: SetCallback
  let onLog: @convention(c) (Client, LogCallback?) -> Void
  let setLogin: @convention(c) (Client, Text?, Text?) -> Int32
  let setTLS: @convention(c) (Client, Text?, Text?, Text?, Text?, Passphrase?) -> Int32
  let setWill: @convention(c) (Client, Text, Int32, UnsafeRawPointer?, Int32, Bool) -> Int32
  let setWindow: @convention(c) (Client, UInt32) -> Int32
  let connect: @convention(c) (Client, Text, Int32, Int32) -> Int32
  let socket: @convention(c) (Client) -> Int32
  let disconnect: @convention(c) (Client) -> Int32
  let publish:
    @convention(c) (Client, UnsafeMutablePointer<Int32>?, Text, Int32, UnsafeRawPointer?, Int32, Bool) -> Int32
  let loop: @convention(c) (Client, Int32, Int32) -> Int32
  private let describeError: Describe
  private let describeRefusal: Describe

  private struct Missing: Error {}

  /// Loads the library, which stays; `nil` when it is not installed.
  init?() {
    guard let library = dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    func find<Function>(_ name: String) throws(Missing) -> Function {
      guard let address = dlsym(library, "mosquitto_" + name) else { throw Missing() }
      return unsafeBitCast(address, to: Function.self)
    }
    do throws(Missing) {
      let initialize: @convention(c) () -> Int32 = try find("lib_init")
      new = try find("new")
      destroy = try find("destroy")
      onConnect = try find("connect_callback_set")
      onDisconnect = try find("disconnect_callback_set")
      onPublish = try find("publish_callback_set")
      onLog = try find("log_callback_set")
      setLogin = try find("username_pw_set")
      setTLS = try find("tls_set")
      setWill = try find("will_set")
      setWindow = try find("max_inflight_messages_set")
      connect = try find("connect")
      socket = try find("socket")
      disconnect = try find("disconnect")
      publish = try find("publish")
      loop = try find("loop")
      describeError = try find("strerror")
      describeRefusal = try find("connack_string")
      guard initialize() == Self.success else { return nil }
    } catch {
      return nil
    }
  }

  func error(_ code: Int32) -> String { Self.text(describeError(code)) }
  /// The library's text for the code with which a broker refuses a connection.
  func refusal(_ code: Int32) -> String { Self.text(describeRefusal(code)) }

  private static func text(_ text: Text?) -> String {
    var text = text.map { String(cString: $0) } ?? "unknown error"
    while text.last == "." { text.removeLast() }
    return text
  }
}

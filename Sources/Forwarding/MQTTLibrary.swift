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
  let new: @convention(c) (Text?, Bool, UnsafeMutableRawPointer?) -> Client? = function("new")
  let destroy: @convention(c) (Client) -> Void = function("destroy")
  let onConnect: SetCallback = function("connect_callback_set")
  let onDisconnect: SetCallback = function("disconnect_callback_set")
  let onPublish: SetCallback = function("publish_callback_set")
  let onLog: @convention(c) (Client, LogCallback?) -> Void = function("log_callback_set")
  let setLogin: @convention(c) (Client, Text?, Text?) -> Int32 = function("username_pw_set")
  let setTLS: @convention(c) (Client, Text?, Text?, Text?, Text?, Passphrase?) -> Int32 = function("tls_set")
  let setWill: @convention(c) (Client, Text, Int32, UnsafeRawPointer?, Int32, Bool) -> Int32 = function("will_set")
  let setWindow: @convention(c) (Client, UInt32) -> Int32 = function("max_inflight_messages_set")
  let connect: @convention(c) (Client, Text, Int32, Int32) -> Int32 = function("connect")
  let socket: @convention(c) (Client) -> Int32 = function("socket")
  let disconnect: @convention(c) (Client) -> Int32 = function("disconnect")
  let publish:
    @convention(c) (Client, UnsafeMutablePointer<Int32>?, Text, Int32, UnsafeRawPointer?, Int32, Bool) -> Int32 =
      function("publish")
  let loop: @convention(c) (Client, Int32, Int32) -> Int32 = function("loop")
  private let describeError: Describe = function("strerror")
  private let describeRefusal: Describe = function("connack_string")

  private let initialize: @convention(c) () -> Int32 = function("lib_init")

  private nonisolated(unsafe) static let library = dlopen(name, RTLD_NOW | RTLD_LOCAL)

  private static func function<Function>(_ name: String) -> Function {
    guard let address = dlsym(library, "mosquitto_" + name) else { fatalError("\(self.name) has no \(name)") }
    return unsafeBitCast(address, to: Function.self)
  }

  /// Loads the library, which stays; `nil` when it is not installed.
  static func load() -> MQTTLibrary? {
    guard library != nil else { return nil }
    let functions = MQTTLibrary()
    return functions.initialize() == success ? functions : nil
  }

  func error(_ code: Int32) -> String { Self.text(describeError(code)) }
  func refusal(_ code: Int32) -> String { Self.text(describeRefusal(code)) }

  private static func text(_ text: Text?) -> String {
    var text = text.map { String(cString: $0) } ?? "unknown error"
    while text.last == "." { text.removeLast() }
    return text
  }
}

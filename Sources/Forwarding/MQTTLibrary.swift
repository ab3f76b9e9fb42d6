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
  private typealias Initialize = @convention(c) () -> Int32
  typealias New = @convention(c) (Text?, Bool, UnsafeMutableRawPointer?) -> Client?
  typealias Destroy = @convention(c) (Client) -> Void
  typealias SetCallback = @convention(c) (Client, Callback?) -> Void
  typealias SetLogCallback = @convention(c) (Client, LogCallback?) -> Void
  typealias SetLogin = @convention(c) (Client, Text?, Text?) -> Int32
  /// Writes the passphrase of a key to a buffer of a size; returns its length.
  typealias Passphrase = @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
  typealias SetTLS = @convention(c) (Client, Text?, Text?, Text?, Text?, Passphrase?) -> Int32
  typealias SetWill = @convention(c) (Client, Text, Int32, UnsafeRawPointer?, Int32, Bool) -> Int32
  typealias SetNumber = @convention(c) (Client, UInt32) -> Int32
  typealias Connect = @convention(c) (Client, Text, Int32, Int32) -> Int32
  typealias Get = @convention(c) (Client) -> Int32
  typealias Publish =
    @convention(c) (Client, UnsafeMutablePointer<Int32>?, Text, Int32, UnsafeRawPointer?, Int32, Bool) -> Int32
  typealias Loop = @convention(c) (Client, Int32, Int32) -> Int32
  typealias Describe = @convention(c) (Int32) -> Text?

  let new: New
  let destroy: Destroy
  let onConnect: SetCallback
  let onDisconnect: SetCallback
  let onPublish: SetCallback
  let onLog: SetLogCallback
  let setLogin: SetLogin
  let setTLS: SetTLS
  let setWill: SetWill
  let setWindow: SetNumber
  let connect: Connect
  let socket: Get
  let disconnect: Get
  let publish: Publish
  let loop: Loop
  private let describeError: Describe
  private let describeRefusal: Describe

  /// Loads the library, which stays; `nil` when it is not installed.
  init?() {
    guard let library = dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    func find(_ name: String) -> UnsafeMutableRawPointer? { dlsym(library, "mosquitto_" + name) }
    guard let initialize = find("lib_init"), let new = find("new"), let destroy = find("destroy"),
      let onConnect = find("connect_callback_set"), let onDisconnect = find("disconnect_callback_set"),
      let onPublish = find("publish_callback_set"), let onLog = find("log_callback_set"),
      let setLogin = find("username_pw_set"), let setTLS = find("tls_set"), let setWill = find("will_set"),
      let setWindow = find("max_inflight_messages_set"), let connect = find("connect"),
      let socket = find("socket"), let disconnect = find("disconnect"), let publish = find("publish"),
      let loop = find("loop"), let describeError = find("strerror"),
      let describeRefusal = find("connack_string"),
      // The types are those of mosquitto.h, which have not changed since version 1.4.
      unsafeBitCast(initialize, to: Initialize.self)() == Self.success
    else { return nil }
    self.new = unsafeBitCast(new, to: New.self)
    self.destroy = unsafeBitCast(destroy, to: Destroy.self)
    self.onConnect = unsafeBitCast(onConnect, to: SetCallback.self)
    self.onDisconnect = unsafeBitCast(onDisconnect, to: SetCallback.self)
    self.onPublish = unsafeBitCast(onPublish, to: SetCallback.self)
    self.onLog = unsafeBitCast(onLog, to: SetLogCallback.self)
    self.setLogin = unsafeBitCast(setLogin, to: SetLogin.self)
    self.setTLS = unsafeBitCast(setTLS, to: SetTLS.self)
    self.setWill = unsafeBitCast(setWill, to: SetWill.self)
    self.setWindow = unsafeBitCast(setWindow, to: SetNumber.self)
    self.connect = unsafeBitCast(connect, to: Connect.self)
    self.socket = unsafeBitCast(socket, to: Get.self)
    self.disconnect = unsafeBitCast(disconnect, to: Get.self)
    self.publish = unsafeBitCast(publish, to: Publish.self)
    self.loop = unsafeBitCast(loop, to: Loop.self)
    self.describeError = unsafeBitCast(describeError, to: Describe.self)
    self.describeRefusal = unsafeBitCast(describeRefusal, to: Describe.self)
  }

  /// The library's text for an error code.
  func error(_ code: Int32) -> String { Self.text(describeError(code)) }

  /// The library's text for the code with which a broker refuses a connection.
  func refusal(_ code: Int32) -> String { Self.text(describeRefusal(code)) }

  private static func text(_ text: Text?) -> String {
    var text = text.map { String(cString: $0) } ?? "unknown error"
    while text.last == "." { text.removeLast() }
    return text
  }
}

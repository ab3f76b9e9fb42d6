import Testing

@testable import Forwarding

@Suite("Broker URLs")
struct BrokerTests {
  @Test(
    arguments: [
      ("mqtt://broker.example", "broker.example", 1883, false),
      ("mqtts://broker.example/", "broker.example", 8883, true),
      ("mqtt://127.0.0.1:18830", "127.0.0.1", 18830, false), ("mqtts://[2001:db8::1]:8884", "2001:db8::1", 8884, true),
      ("mqtts://[::1]", "::1", 8883, true),
    ] as [(String, String, Int, Bool)]
  )
  func `A URL gives host, port and encryption`(url: String, host: String, port: Int, isEncrypted: Bool) throws {
    let broker = try Broker(url: url)
    #expect((broker.address.host, broker.address.port, broker.isEncrypted) == (host, port, isEncrypted))
  }

  private static let scheme = "the broker must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]"
  private static let credentials = "every user can see a password in the URL: use --user and --password-file"
  private static let address = "the broker's address must be HOST, HOST:PORT or [IPV6]:PORT"

  @Test(
    arguments: [
      ("http://broker", scheme), ("broker", scheme), ("mqtt://user:secret@broker", credentials),
      ("mqtt://", address), ("mqtt://:1883", address), ("mqtt://broker:0", address),
      ("mqtt://broker:65536", address), ("mqtt://[::1", address),
      ("mqtt://[::1]x", address), ("mqtt://a b", address), ("mqtt://broker/path", address),
    ]
  )
  func `Another scheme, a password in the URL and a malformed address are refused`(url: String, error: String) {
    #expect(throws: BrokerError(description: error)) { try Broker(url: url) }
  }
}

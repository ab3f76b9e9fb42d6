import NIOHTTP1
import Testing

@testable import MapServer

@Suite("Access to the map server")
struct AccessTests {
  private let local = Access(names: ["127.0.0.1", "Bike", "Bike.local"], port: 8480, token: nil)
  private let open = Access(names: ["192.168.1.7"], port: 8480, token: "00112233445566778899aabbccddeeff")

  private func head(_ uri: String = "/", _ headers: (String, String)...) -> HTTPRequestHead {
    HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: HTTPHeaders(headers))
  }

  private func isAllowed(_ access: Access, _ head: HTTPRequestHead, isUpgrade: Bool = false) -> Bool {
    access.verdict(head, isUpgrade: isUpgrade) == .allowed
  }

  @Test(
    arguments: [
      "127.0.0.1:8480", "127.0.0.1", "localhost:9000", "LOCALHOST:8480", "[::1]:8480", "bike:8480", "bike.local:8480",
      "192.168.1.7:8480",
    ]
  )
  func `An address or a name of this machine is accepted as the host`(_ host: String) {
    #expect(isAllowed(local, head("/", ("Host", host))))
  }

  @Test(
    arguments: [
      "evil.example:8480", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8480", "127.0.0.1:8480:1",
      "[evil.example]:8480", "[::1", "[::1]x", "127.0.0.1:x", "127.0.0.1:99999", "user@127.0.0.1:8480", "", ":8480",
      "::1",
      "127.0.0.1, evil.example",
    ]
  )
  func `Another name is refused: it may resolve to this machine`(_ host: String) {
    #expect(!isAllowed(local, head("/", ("Host", host))))
  }

  @Test func `A request needs exactly one host`() {
    #expect(!isAllowed(local, head()))
    #expect(!isAllowed(local, head("/", ("Host", "localhost"), ("Host", "localhost"))))
  }

  @Test(
    arguments: [
      "http://evil.example", "https://localhost:8480", "http://localhost:8481", "http://localhost", "null", "",
      "http://127.0.0.1:8480",
    ]
  )
  func `Another origin is refused`(_ origin: String) {
    for isUpgrade in [false, true] {
      #expect(!isAllowed(local, head("/", ("Host", "localhost:8480"), ("Origin", origin)), isUpgrade: isUpgrade))
    }
  }

  @Test func `An upgrade needs the server's own origin`() {
    let own = ("Origin", "http://localhost:8480")
    #expect(isAllowed(local, head("/viewer", ("Host", "localhost:8480"), own), isUpgrade: true))
    #expect(!isAllowed(local, head("/viewer", ("Host", "localhost:8480")), isUpgrade: true))
    #expect(!isAllowed(local, head("/viewer", ("Host", "localhost:8480"), own, own), isUpgrade: true))
  }

  @Test func `The token in the URL gives the cookie that every other request needs`() throws {
    let host = ("Host", "192.168.1.7:8480")
    let secret = "00112233445566778899aabbccddeeff"
    #expect(!isAllowed(open, head("/", host)))
    guard case .enters(let cookie) = open.verdict(head("/?a=b&token=\(secret)", host)) else {
      Issue.record("the token is not accepted")
      return
    }
    #expect(cookie.hasPrefix("handlebar-map-8480=\(secret); HttpOnly; SameSite=Lax"))
    let origin = ("Origin", "http://192.168.1.7:8480")
    for isUpgrade in [false, true] {
      let given = ("Cookie", "other=1; handlebar-map-8480=\(secret)")
      #expect(isAllowed(open, head("/viewer", host, origin, given), isUpgrade: isUpgrade))
      for wrong in [
        "handlebar-map-8481=\(secret)", "handlebar-map-8480=", "handlebar-map-8480=\(secret)0", "\(secret)",
      ] {
        #expect(!isAllowed(open, head("/viewer", host, origin, ("Cookie", wrong)), isUpgrade: isUpgrade))
      }
    }
  }

  @Test(arguments: ["", "0", "00112233445566778899aabbccddeefe", "00112233445566778899aabbccddeeff0", "%30"])
  func `A wrong token is refused`(_ token: String) {
    let verdict = open.verdict(head("/?token=\(token)", ("Host", "192.168.1.7:8480")))
    #expect(verdict == .refused("the token is missing or old: open the address that handlebarctl map printed"))
  }

  @Test func `Tokens have 32 digits and differ`() {
    let tokens = (0..<100).map { _ in MapServer.makeToken() }
    #expect(Set(tokens).count == 100)
    #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }
}

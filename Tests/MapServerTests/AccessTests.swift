import NIOCore
import NIOHTTP1
import Testing

@testable import MapServer

@Suite("Access to the map server")
struct AccessTests {
  private let local = Access(names: ["127.0.0.1", "Bike", "Bike.local"], port: 8480, secrets: nil)
  private static let token = "00112233445566778899aabbccddeeff"
  private let open = Access(names: ["192.168.1.7"], port: 8480, secrets: MapSecrets(token: token))

  private func head(_ uri: String = "/", _ headers: (String, String)...) -> HTTPRequestHead {
    HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: HTTPHeaders(headers))
  }

  private func isAllowed(_ access: Access, _ head: HTTPRequestHead, isUpgrade: Bool = false) -> Bool {
    var access = access
    return access.verdict(head, isUpgrade: isUpgrade) == .allowed
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

  /// The value of the cookie that a browser gets.
  private func enter(_ access: inout Access) throws -> String {
    let verdict = access.verdict(head("/?a=b&token=\(Self.token)", Self.host))
    guard case .enters(let cookie) = verdict else { throw Refused(verdict: verdict) }
    return try value(cookie)
  }

  private struct Refused: Error { let verdict: Access.Verdict }

  private func value(_ cookie: String) throws -> String {
    let match = try #require(cookie.wholeMatch(of: /handlebar-map-8480=([0-9a-f]{32}); HttpOnly; SameSite=Lax; .*/))
    return String(match.1)
  }

  private static let host = ("Host", "192.168.1.7:8480")

  @Test func `The token in the URL gives the cookie that every other request needs`() throws {
    var open = open
    #expect(!isAllowed(open, head("/", Self.host)))
    let secret = try enter(&open)
    #expect(secret != Self.token)
    #expect(try enter(&open) != secret)
    let origin = ("Origin", "http://192.168.1.7:8480")
    for isUpgrade in [false, true] {
      let given = ("Cookie", "other=1; handlebar-map-8480=\(secret)")
      #expect(isAllowed(open, head("/viewer", Self.host, origin, given), isUpgrade: isUpgrade))
      for wrong in [
        "handlebar-map-8481=\(secret)", "handlebar-map-8480=", "handlebar-map-8480=\(secret)0", "\(secret)",
        "handlebar-map-8480=\(Self.token)",
      ] {
        #expect(!isAllowed(open, head("/viewer", Self.host, origin, ("Cookie", wrong)), isUpgrade: isUpgrade))
      }
    }
  }

  @Test func `Metrics are read with the token, without a session`() throws {
    var open = open
    #expect(open.verdict(head("/metrics?token=\(Self.token)", Self.host)) == .allowed)
    #expect(open.secrets == MapSecrets(token: Self.token))
  }

  @Test func `The cookie is replaced with each run and each day, once the new one comes back`() throws {
    var open = open
    let first = try enter(&open)
    func load(_ value: String, _ path: String = "/", after time: TimeAmount = .zero) -> Access.Verdict {
      open.verdict(head(path, Self.host, ("Cookie", "handlebar-map-8480=\(value)")), at: .now() + time)
    }
    #expect(load(first) == .allowed)
    #expect(load(first, "/main.js", after: .hours(25)) == .allowed)
    guard case .renewed(let cookie) = load(first, after: .hours(25)) else { throw Refused(verdict: load(first)) }
    let second = try value(cookie)
    // An answer that is lost: the same again.
    #expect(load(first, after: .hours(26)) == .renewed(cookie: cookie))
    let text = try #require(open.secrets?.text)
    #expect(load(second, "/main.js", after: .hours(26)) == .allowed)
    #expect(load(second, after: .hours(27)) == .allowed)
    #expect(load(first, after: .hours(27)) != .allowed)

    // Another run, after a power cut before the new one came back.
    open = Access(names: [], port: 8480, secrets: MapSecrets(text: text))
    #expect(load(first) == .renewed(cookie: cookie))
    #expect(load(second) == .allowed)
    open = Access(names: [], port: 8480, secrets: MapSecrets(text: text))
    #expect(load(second) == .allowed)
  }

  @Test func `Another browser takes the place of that whose page was loaded least recently`() throws {
    var open = open
    let values = try (0..<MapSecrets.limit).map { _ in try enter(&open) }
    func isAllowed(_ value: String) -> Bool {
      open.verdict(head("/", Self.host, ("Cookie", "handlebar-map-8480=\(value)"))) == .allowed
    }
    #expect(isAllowed(values[0]))
    _ = try enter(&open)
    #expect(isAllowed(values[0]) && !isAllowed(values[1]))
    #expect(open.secrets?.text.utf8.count == MapSecrets.longestText - MapSecrets.limit * 33)
  }

  @Test(arguments: ["", "x", "0011", String(repeating: "0", count: 33), String(repeating: "g", count: 32)])
  func `A text without a token has no secrets; a damaged line costs its session`(_ line: String) {
    #expect(MapSecrets(text: "\(line)\n") == nil)
    let kept = String(repeating: "1", count: 32)
    let read = MapSecrets(text: "\(Self.token)\n\(line)\n\(kept)\n")
    #expect(read?.text == "\(Self.token)\n\(kept)\n")
  }

  @Test(arguments: ["", "0", "00112233445566778899aabbccddeefe", "00112233445566778899aabbccddeeff0", "%30"])
  func `A wrong token is refused`(_ token: String) {
    var open = open
    let verdict = open.verdict(head("/?token=\(token)", ("Host", "192.168.1.7:8480")))
    #expect(verdict == .refused("the token is missing or old: open the address that handlebarctl map printed"))
  }

  @Test func `Tokens have 32 digits and differ`() {
    let tokens = (0..<100).map { _ in MapSecrets.random() }
    #expect(Set(tokens).count == 100)
    #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }
}

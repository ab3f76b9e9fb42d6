import Glibc
import NIOCore
import NIOHTTP1

/// Who may use the server: a browser on this machine, or one that was opened at the address with the token. `Host` must
/// be an address or a name of this machine: a page whose name resolves to it (DNS rebinding) has another. `Origin`,
/// which browsers add to what a page sends, must be the server itself; nothing is allowed to another origin.
struct Access: Sendable {
  enum Verdict: Hashable {
    case allowed
    /// The token is in the URL: the browser gets a cookie, and the address without the token.
    case enters(cookie: String)
    case refused(String)
  }

  /// Names of this machine, lowercase.
  let names: Set<String>
  /// The secret of browsers on other machines; `nil` when only this machine can connect.
  let token: String?
  /// Name of the cookie; cookies are shared by the ports of a machine.
  let cookieName: String

  init(names: [String], port: Int, token: String?) {
    self.names = Set(names.map { $0.lowercased() }).union(["localhost"])
    self.token = token
    cookieName = "handlebar-map-\(port)"
  }

  /// The verdict about a request, or about the upgrade to a WebSocket, which every browser sends with an origin.
  func verdict(_ head: HTTPRequestHead, isUpgrade: Bool = false) -> Verdict {
    let hosts = head.headers["Host"]
    guard hosts.count == 1, let host = hosts.first, isThisMachine(host) else {
      return .refused("this address is not the map's: open the one that handlebarctl map printed")
    }
    let origins = head.headers["Origin"]
    guard origins.isEmpty ? !isUpgrade : origins == ["http://\(host)"] else {
      return .refused("another page may not use the map")
    }
    guard let token else { return .allowed }
    if cookies(head.headers).contains(where: { Self.isEqual($0, token) }) { return .allowed }
    guard !isUpgrade, let given = RequestTarget(head.uri).parameter("token"), Self.isEqual(given, token) else {
      return .refused("the token is missing or old: open the address that handlebarctl map printed")
    }
    // A year: the bookmark of a phone has no token.
    return .enters(cookie: "\(cookieName)=\(token); HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000")
  }

  private func isThisMachine(_ host: String) -> Bool {
    guard let address = HostAddress(host, defaultPort: 80) else { return false }
    return address.isNumeric || names.contains(address.host.lowercased())
  }

  private func cookies(_ headers: HTTPHeaders) -> [Substring] {
    headers["Cookie"].flatMap { $0.split(separator: ";") }.compactMap { cookie in
      let parts = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && parts[0] == cookieName ? parts[1] : nil
    }
  }

  /// Compares in a time that does not depend on the contents.
  private static func isEqual(_ given: some StringProtocol, _ token: String) -> Bool {
    guard given.utf8.count == token.utf8.count else { return false }
    return zip(given.utf8, token.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

}

/// A host and a port: `127.0.0.1:8480`, `[::1]:8480`, `localhost:8480`.
package struct HostAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an address without brackets.
  package let host: String
  package let port: Int

  package static var thisMachine: String? {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var isNumeric: Bool { Self.isNumeric(host) }

  private static func isNumeric(_ host: String) -> Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension HostAddress {
  /// `HOST:PORT`, or `HOST` where a port is assumed; `nil` for anything else.
  package init?(_ text: String, defaultPort: Int? = nil) {
    let host: Substring
    let rest: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
      guard host.contains(":"), Self.isNumeric(String(host)) else { return nil }
    } else {
      host = text.prefix { $0 != ":" }
      rest = text[host.endIndex...]
      guard host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }) else { return nil }
    }
    guard !host.isEmpty else { return nil }
    let digits = rest.dropFirst()
    let number = digits.allSatisfy({ $0.isASCII && $0.isNumber }) ? Int(digits) : nil
    guard let port = rest.isEmpty ? defaultPort : rest.hasPrefix(":") ? number : nil, (0...65535).contains(port) else {
      return nil
    }
    self.init(host: String(host), port: port)
  }
}

struct RequestTarget {
  let path: Substring
  private let query: Substring

  init(_ uri: String) {
    path = uri.prefix { $0 != "?" }
    query = uri[path.endIndex...].dropFirst()
  }

  /// A parameter's value as it was sent.
  func parameter(_ name: String) -> Substring? {
    query.split(separator: "&").first { $0.hasPrefix("\(name)=") }.map { $0.dropFirst(name.utf8.count + 1) }
  }
}

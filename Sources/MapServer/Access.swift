import Glibc
import LocationCore
import NIOCore
import NIOHTTP1

/// Who may use the server: a browser on this machine, or one that was opened at the address with the token. `Host` must
/// be an address or a name of this machine: a page whose name resolves to it (DNS rebinding) has another. `Origin`,
/// which browsers add to what a page sends, must be the server itself; nothing is allowed to another origin.
struct Access: Sendable {
  enum Verdict: Hashable {
    case allowed
    /// Allowed; the browser gets another cookie.
    case renewed(cookie: String)
    /// The token is in the URL: the browser gets a cookie, and the address without the token.
    case enters(cookie: String)
    case refused(String)
  }

  /// Names of this machine, lowercase.
  let names: Set<String>
  /// The secrets of browsers on other machines; `nil` when only this machine can connect.
  private(set) var secrets: MapSecrets?
  let port: Int
  /// Name of the cookie; cookies are shared by the ports of a machine.
  var cookieName: String { "handlebar-map-\(port)" }

  init(names: [String], port: Int, secrets: MapSecrets?) {
    self.names = Set(names.map { $0.lowercased() }).union(["localhost"])
    self.secrets = secrets
    self.port = port
  }

  /// The verdict about a request, or about the upgrade to a WebSocket, which every browser sends with an origin.
  mutating func verdict(_ head: HTTPRequestHead, isUpgrade: Bool = false, at now: NIODeadline = .now()) -> Verdict {
    let hosts = head.headers["Host"]
    guard hosts.count == 1, let host = hosts.first, isThisMachine(host) else {
      return .refused("this address is not the map's: open the one that handlebarctl map printed")
    }
    let origins = head.headers["Origin"]
    guard origins.isEmpty ? !isUpgrade : origins == ["http://\(host)"] else {
      return .refused("another page may not use the map")
    }
    guard let token = secrets?.token else { return .allowed }
    let target = RequestTarget(head.uri)
    for given in cookies(head.headers) where secrets?.admits(given, at: now) == true {
      guard !isUpgrade, target.path == "/", let next = secrets?.renewal(of: given, at: now) else { return .allowed }
      return .renewed(cookie: cookie(next))
    }
    guard !isUpgrade, let given = target.parameter("token"), MapSecrets.isEqual(given, token) else {
      return .refused("the token is missing or old: open the address that handlebarctl map printed")
    }
    // Prometheus keeps no cookies.
    guard target.path != "/metrics", let value = secrets?.begin(at: now) else { return .allowed }
    return .enters(cookie: cookie(value))
  }

  /// A year: the bookmark of a phone has no token. Not `Strict`: who follows a link to the address from another page
  /// would be refused at its end; what a page can change needs the origin.
  private func cookie(_ value: String) -> String {
    "\(cookieName)=\(value); HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000"
  }

  private func isThisMachine(_ host: String) -> Bool {
    guard let address = NetworkAddress(inURL: host, defaultPort: 80) else { return false }
    return address.isNumeric || names.contains(address.host.lowercased())
  }

  private func cookies(_ headers: HTTPHeaders) -> [Substring] {
    headers["Cookie"].flatMap { $0.split(separator: ";") }.compactMap { cookie in
      let parts = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && parts[0] == cookieName ? parts[1] : nil
    }
  }
}

extension NetworkAddress {
  package static var thisMachine: String? {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The address in a URL: only IPv6 addresses are in brackets, and a name has letters, digits, `-` and `.` only; `nil`
  /// for anything else, and without a port where none is assumed.
  package init?(inURL text: String, defaultPort: Int? = nil) {
    self.init(text, defaultPort: defaultPort, ports: 0...65_535)
    let isName = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
    guard !host.isEmpty, text.hasPrefix("[") == isIPv6, isIPv6 ? isNumeric : isName else { return nil }
  }

  var isNumeric: Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }
}

struct RequestTarget {
  let path: Substring
  private let query: Substring

  init(_ uri: String) {
    path = uri.prefix { $0 != "?" }
    query = uri[path.endIndex...].dropFirst()
  }

  func parameter(_ name: String) -> Substring? {
    query.split(separator: "&").first { $0.hasPrefix("\(name)=") }.map { $0.dropFirst(name.utf8.count + 1) }
  }
}

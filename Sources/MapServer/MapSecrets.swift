import NIOCore

/// The secrets of the map page: the token in its address, and of each browser that was opened there a value of its own,
/// which it keeps in a cookie. A value is replaced once in each run of the server and once a day, and is valid until the
/// next one comes back, since an answer can be lost. No clock ends one: a board may not know the time, and a phone's
/// bookmark lasts through the winter.
package struct MapSecrets: Hashable, Sendable {
  private struct Session: Hashable, Sendable {
    var value: String
    /// What was sent to replace it.
    var next: String?
    /// `nil` in an earlier run.
    var begin: NIODeadline?
  }

  /// Maximum number of browsers; another one takes the place of that whose page was loaded least recently.
  static let limit = 16
  /// Maximum size of the text, bytes.
  package static let longestText = 33 + limit * 66
  private static let renewal = TimeAmount.hours(24)

  package let token: String
  /// The one whose page was loaded last is last.
  private var sessions: [Session] = []

  package init(token: String = Self.random()) { self.token = token }

  /// 128 random bits in hexadecimal digits.
  package static func random() -> String {
    (0..<32).map { _ in String(UInt8.random(in: 0..<16), radix: 16) }.joined()
  }

  mutating func begin(at now: NIODeadline) -> String {
    let session = Session(value: Self.random(), begin: now)
    if sessions.count >= Self.limit { sessions.removeFirst() }
    sessions.append(session)
    return session.value
  }

  /// Whether a session has that value, which then is its only one.
  mutating func admits(_ given: some StringProtocol, at now: NIODeadline) -> Bool {
    for (index, session) in sessions.enumerated() {
      if let next = session.next, Self.isEqual(given, next) {
        sessions[index] = Session(value: next, begin: now)
        return true
      }
      if Self.isEqual(given, session.value) { return true }
    }
    return false
  }

  /// The value that replaces a session's, if it is time; its page is loaded.
  mutating func renewal(of value: some StringProtocol, at now: NIODeadline) -> String? {
    guard let index = sessions.firstIndex(where: { $0.value == value }) else { return nil }
    var session = sessions.remove(at: index)
    if session.begin.map({ now - $0 >= Self.renewal }) ?? true { session.next = session.next ?? Self.random() }
    sessions.append(session)
    return session.next
  }

  /// Compares in a time that does not depend on the contents.
  static func isEqual(_ given: some StringProtocol, _ secret: String) -> Bool {
    guard given.utf8.count == secret.utf8.count else { return false }
    return zip(given.utf8, secret.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Reads the text of an earlier run; `nil` if it has no token.
  package init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let token = lines.first, Self.isSecret(token) else { return nil }
    self.init(token: String(token))
    for line in lines.dropFirst().prefix(Self.limit) {
      let values = line.split(separator: " ")
      guard (1...2).contains(values.count), values.allSatisfy(Self.isSecret) else { continue }
      sessions.append(Session(value: String(values[0]), next: values.count == 2 ? String(values[1]) : nil))
    }
  }

  package var text: String {
    let lines = sessions.map { "\($0.value)\($0.next.map { " \($0)" } ?? "")\n" }
    return "\(token)\n\(lines.joined())"
  }

  private static func isSecret(_ text: Substring) -> Bool {
    text.utf8.count == 32 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
  }
}

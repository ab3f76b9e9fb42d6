import Glibc
import MapServer
import Recordings

/// The secret in the address of the map page, in a file of the state directory that only its owner can read: a phone's
/// bookmark works after a restart.
struct MapToken {
  /// The state directory of handlebar-map.service.
  static let serviceDirectory = "/var/lib/handlebar-map"

  let directory: String
  private var path: String { "\(directory)/map-token" }

  /// In `STATE_DIRECTORY`, else the user's; `nil` without a home.
  static var own: MapToken? {
    if let directory = Environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return MapToken(directory: String(directory))
    }
    let state = Environment["XDG_STATE_HOME"] ?? Environment["HOME"].map { "\($0)/.local/state" }
    return state.map { MapToken(directory: "\($0)/handlebar") }
  }

  /// The kept token; `nil` if there is none, or one that others could have read.
  func read() throws(RecordingError) -> String? {
    guard let bytes = try RecordingFile.contents(of: path, limit: 64) else { return nil }
    var status = stat()
    let token = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }
    guard stat(path, &status) == 0, status.st_mode & 0o077 == 0, token.utf8.count == 32,
      token.allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    return String(token)
  }

  /// The kept token, which a service that has just been started makes within the limit of 3 s.
  func awaited() async throws(RecordingError) -> String? {
    for _ in 0..<60 where access(directory, F_OK) == 0 {
      if let token = try read() { return token }
      guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { break }
    }
    return try read()
  }

  /// Makes and keeps a token, which replaces the one before. It belongs to the directory's owner, also when root makes
  /// it.
  func renew() throws(RecordingError) -> String {
    let token = MapServer.makeToken()
    var missing: [String] = []
    var parent = directory[...]
    while !parent.isEmpty, access(String(parent), F_OK) != 0 {
      missing.append(String(parent))
      parent = parent[..<(parent.lastIndex(of: "/") ?? parent.startIndex)]
    }
    for one in missing.reversed() where mkdir(one, 0o700) != 0 && errno != EEXIST {
      throw RecordingError(.create, one, code: errno)
    }
    var status = stat()
    let belongsToOwner = geteuid() == 0 && stat(directory, &status) == 0
    try RecordingFile.replace(
      path, with: Array("\(token)\n".utf8), mode: 0o600,
      owner: belongsToOwner ? (status.st_uid, status.st_gid) : nil)
    return token
  }

  /// The kept token or, if there is none or `isNew`, a new one; one that cannot be kept lasts until the end.
  static func last(isNew: Bool) -> String {
    guard let own else {
      StandardError.say("the address is for this run only: there is no HOME for its token; set STATE_DIRECTORY")
      return MapServer.makeToken()
    }
    do throws(RecordingError) {
      if !isNew, let token = try own.read() { return token }
      return try own.renew()
    } catch {
      StandardError.say("the address is for this run only: \("\(error)".printable)")
      return MapServer.makeToken()
    }
  }
}

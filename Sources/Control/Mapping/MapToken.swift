import Glibc
import MapServer
import Recordings

/// The secrets of the map page, in a file that only its owner can read: a phone's bookmark works after a restart.
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
  func read() throws(RecordingError) -> String? { try secrets(in: path)?.token }

  /// The kept token, which a service that has just been started makes within the limit of 3 s.
  func awaited() async throws(RecordingError) -> String? {
    for _ in 0..<60 where access(directory, F_OK) == 0 {
      if let token = try read() { return token }
      guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { break }
    }
    return try read()
  }

  /// Makes and keeps a token, which ends the one before and the sessions begun with it.
  func renew() throws(RecordingError) -> String {
    let secrets = MapSecrets()
    var missing: [String] = []
    var parent = directory[...]
    while !parent.isEmpty, access(String(parent), F_OK) != 0 {
      missing.append(String(parent))
      parent = parent[..<(parent.lastIndex(of: "/") ?? parent.startIndex)]
    }
    for one in missing.reversed() where mkdir(one, 0o700) != 0 && errno != EEXIST {
      throw RecordingError(.create, one, code: errno)
    }
    try write(secrets, to: path)
    return secrets.token
  }

  /// The kept secrets of the server on a port, else new ones, as with `isNew`; what cannot be kept lasts until the end.
  static func last(isNew: Bool, port: Int) -> MapSecrets {
    guard let own else {
      StandardError.say("the address is for this run only: there is no HOME for its token; set STATE_DIRECTORY")
      return MapSecrets()
    }
    do throws(RecordingError) {
      guard !isNew, let token = try own.read() else { return MapSecrets(token: try own.renew()) }
      // Those of another token have ended.
      let kept = try? own.secrets(in: own.sessions(port))
      return kept.flatMap { $0.token == token ? $0 : nil } ?? MapSecrets(token: token)
    } catch {
      StandardError.say("the address is for this run only: \("\(error)".printable)")
      return MapSecrets()
    }
  }

  /// Keeps the sessions of the server on a port beside the token, if that is kept.
  func keepSessions(_ secrets: MapSecrets, port: Int) {
    guard (try? read()) == secrets.token else { return }
    try? write(secrets, to: sessions(port))
  }

  private func sessions(_ port: Int) -> String { "\(directory)/map-sessions-\(port)" }

  private func secrets(in path: String) throws(RecordingError) -> MapSecrets? {
    guard let bytes = try RecordingFile.contents(of: path, limit: MapSecrets.longestText) else { return nil }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else { return nil }
    return MapSecrets(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Writes a file of the directory's owner, also as root.
  private func write(_ secrets: MapSecrets, to path: String) throws(RecordingError) {
    var status = stat()
    let belongsToOwner = geteuid() == 0 && stat(directory, &status) == 0
    try RecordingFile.replace(
      path, with: Array(secrets.text.utf8), mode: 0o600, owner: belongsToOwner ? (status.st_uid, status.st_gid) : nil)
  }
}

import LocationCore

/// A client's request, checked: every number is finite and in its range.
///
/// | request | case |
/// |---|---|
/// | `?VERSION;` `?DEVICES;` `?POLL;` `?STATUS;` | `version`, `devices`, `poll`, `status` |
/// | `?DEVICE;` · `?DEVICE={"path":…}` | `device` of the leading source, or of that path |
/// | `?WATCH;` · `?WATCH={…}` | `watch(nil)` reports the subscription · `watch` changes it |
/// | `?VIEW={…}` | `view` |
/// | `?FOLLOW;` · `?FOLLOW={"view":…}` · `?FOLLOW={"enable":…}` | `follow(view: nil)` for all views · `follow` for one · `setFollow` |
/// | `?FOLLOW={"following":…,"restore":true}` | `restoreFollow` |
/// | `?LOCATE;` · `?LOCATE={…}` | `locate` |
/// | `?TARGET;` · `?TARGET={…}` | `targets` · `setTarget`, `removeTarget` |
/// | `?PLAYBACK;` · `?PLAYBACK={…}` | `playback(nil)` reports · `playback` changes it |
/// | `?RECORD;` · `?RECORD={…}` | `record(nil)` reports · `record` starts or stops it |
/// | `?RECEIVER;` · `?RECEIVER={…}` | `receiver(nil)` reports a set-up · `receiver` starts it |
package enum Request: Hashable, Sendable {
  /// The daemon's release and protocol.
  case version
  /// The sources.
  case devices
  /// One source, the leading one without a path.
  case device(path: String?)
  /// The subscription (`nil`), or a change to it.
  case watch(WatchRequest?)
  /// Asks for the newest reports of each source.
  case poll
  /// Health and counters.
  case status
  /// The position of a renderer's view.
  case view(ViewRequest)
  /// The follow state of a view, or of all views (`nil`).
  case follow(view: String?)
  /// Re-engages or releases a view.
  case setFollow(view: String, enable: Bool)
  /// The state that a view had before the daemon restarted.
  case restoreFollow(view: String, following: Bool)
  /// One fix at most `maxAge` old within `timeout`, both in seconds from 0 to 3600; `nil` is the daemon's default.
  case locate(timeout: Double?, maxAge: Double?)
  /// The targets.
  case targets
  /// Sets a target, or replaces the one of the same name.
  case setTarget(TargetRequest)
  /// Removes a target.
  case removeTarget(name: String)
  /// The state of a recording that plays (`nil`), or a change to it.
  case playback(PlaybackRequest?)
  /// The state of recording (`nil`), or its start or stop.
  case record(RecordRequest?)
  /// The set-up of a receiver (`nil`), or its start.
  case receiver(ReceiverRequest?)

  /// The view of a request that names none.
  package static let defaultView = "main"

  private enum Name: String, CaseIterable {
    case version = "VERSION"
    case devices = "DEVICES"
    case device = "DEVICE"
    case watch = "WATCH"
    case poll = "POLL"
    case status = "STATUS"
    case view = "VIEW"
    case follow = "FOLLOW"
    case locate = "LOCATE"
    case target = "TARGET"
    case playback = "PLAYBACK"
    case record = "RECORD"
    case receiver = "RECEIVER"
  }

  /// The name on the wire.
  package var name: StaticString {
    switch self {
    case .version: "VERSION"
    case .devices: "DEVICES"
    case .device: "DEVICE"
    case .watch: "WATCH"
    case .poll: "POLL"
    case .status: "STATUS"
    case .view: "VIEW"
    case .follow, .setFollow, .restoreFollow: "FOLLOW"
    case .locate: "LOCATE"
    case .targets, .setTarget, .removeTarget: "TARGET"
    case .playback: "PLAYBACK"
    case .record: "RECORD"
    case .receiver: "RECEIVER"
    }
  }
}

// MARK: - Reading

extension Request {
  /// The request of that name with the fields of the object after the equals sign.
  init(name: String, _ fields: RequestFields?) throws(RequestError) {
    guard let known = Name(rawValue: name) else {
      let names = Name.allCases.map(\.rawValue).joined(separator: " ")
      throw RequestError(.unknownRequest, of: name, "Unrecognized request '?\(name)'; supported: \(names)")
    }
    switch known {
    case .version: self = try Self.plain(.version, name, fields)
    case .devices: self = try Self.plain(.devices, name, fields)
    case .device: self = try Self.device(fields)
    case .poll: self = try Self.plain(.poll, name, fields)
    case .status: self = try Self.plain(.status, name, fields)
    case .watch: self = .watch(try fields.map { fields throws(RequestError) in try WatchRequest(fields) })
    case .view:
      guard let fields else {
        throw RequestError(
          .unexpectedValue, of: name,
          #"?\#(name) needs a value, like ?\#(name)={"view":"main","lat":47.1,"lon":11.2}"#)
      }
      self = .view(try ViewRequest(fields))
    case .follow: self = try Self.follow(fields)
    case .locate: self = try Self.locate(fields)
    case .target: self = try Self.target(fields)
    case .playback: self = .playback(try fields.map { fields throws(RequestError) in try PlaybackRequest(fields) })
    case .record: self = .record(try fields.map { fields throws(RequestError) in try RecordRequest(fields) })
    case .receiver: self = .receiver(try fields.map { fields throws(RequestError) in try ReceiverRequest(fields) })
    }
  }

  /// The request in a recorded event `{"request":"VIEW",…}`; `nil` for another event.
  package init?(recorded json: [UInt8]) {
    guard var fields = try? RequestFields(json[...], of: "event"), let name = fields.removeString("request"),
      let request = try? Request(name: name, fields)
    else { return nil }
    self = request
  }

  /// What a recorded event is about: the name of its request, else the event of a source; `nil` if it has neither.
  package static func kind(ofRecorded json: [UInt8]) -> String? {
    guard var fields = try? RequestFields(json[...], of: "event") else { return nil }
    return fields.removeString("request") ?? fields.removeString("source")
  }

  private static func plain(
    _ request: Request, _ name: String, _ fields: RequestFields?
  ) throws(RequestError) -> Request {
    guard fields == nil else {
      throw RequestError(.unexpectedValue, of: name, "?\(name) takes no value; send ?\(name);")
    }
    return request
  }

  private static func device(_ fields: RequestFields?) throws(RequestError) -> Request {
    guard let fields else { return .device(path: nil) }
    try fields.allowOnly("path")
    return .device(path: try fields.string("path", bytes: 1...1024))
  }

  private static func follow(_ fields: RequestFields?) throws(RequestError) -> Request {
    guard let fields else { return .follow(view: nil) }
    try fields.allowOnly("view", "enable", "following", "restore")
    let view = try fields.string("view", bytes: 1...64)
    if let restore = try fields.bool("restore") {
      let following = try fields.required("following", fields.bool("following"))
      guard restore, try fields.bool("enable") == nil else {
        throw fields.outOfRange("restore", #"true, and without "enable""#)
      }
      return .restoreFollow(view: view ?? defaultView, following: following)
    }
    if try fields.bool("following") != nil { _ = try fields.required("restore", Bool?.none) }
    guard let enable = try fields.bool("enable") else { return .follow(view: view) }
    return .setFollow(view: view ?? defaultView, enable: enable)
  }

  private static func locate(_ fields: RequestFields?) throws(RequestError) -> Request {
    guard let fields else { return .locate(timeout: nil, maxAge: nil) }
    try fields.allowOnly("timeout", "maxAge")
    return .locate(
      timeout: try fields.number("timeout", in: 0...3600), maxAge: try fields.number("maxAge", in: 0...3600))
  }

  private static func target(_ fields: RequestFields?) throws(RequestError) -> Request {
    guard let fields else { return .targets }
    try fields.allowOnly("name", "lat", "lon", "radius", "enable", "persistent")
    let name = try fields.required("name", fields.string("name", bytes: 1...64))
    let isPersistent = try fields.bool("persistent") ?? false
    if try fields.bool("enable") == false { return .removeTarget(name: name) }
    return .setTarget(
      TargetRequest(
        name: name, position: try fields.coordinate(), radius: try fields.number("radius", in: Target.radii),
        isPersistent: isPersistent))
  }
}

// MARK: - Writing

extension Request {
  /// Writes the request as a client sends it, `?NAME;` or `?NAME={…};`, on a line of its own.
  package func write(into line: inout JSONLine) {
    line.put(Byte.question)
    line.literal(name)
    if hasFields {
      line.put(Byte.equals)
      line.put(Byte.openBrace)
      writeFields(into: &line)
      line.endObject()
    }
    line.put(Byte.semicolon)
    line.endLine()
  }

  /// Writes the request as an event of a recording, `{"request":"NAME",…}`, without a line end.
  package func write(recordedInto line: inout JSONLine) {
    line.beginObject()
    line.key("request")
    line.quoted(name)
    writeFields(into: &line)
    line.endObject()
  }

  private var hasFields: Bool {
    switch self {
    case .version, .devices, .poll, .status, .watch(nil), .follow(view: nil), .targets, .playback(nil), .record(nil),
      .receiver(nil), .device(path: nil):
      false
    default: true
    }
  }

  private func writeFields(into line: inout JSONLine) {
    switch self {
    case .version, .devices, .poll, .status, .targets: break
    case .watch(let watch): watch?.writeFields(into: &line)
    case .device(let path): line.field("path", path)
    case .view(let view): view.writeFields(into: &line)
    case .follow(let view): line.field("view", view)
    case .setFollow(let view, let enable):
      line.field("view", view)
      line.field("enable", enable)
    case .restoreFollow(let view, let following):
      line.field("view", view)
      line.field("following", following)
      line.field("restore", true)
    case .locate(let timeout, let maxAge):
      line.field("timeout", timeout, decimals: 3)
      line.field("maxAge", maxAge, decimals: 3)
    case .setTarget(let target): target.writeFields(into: &line)
    case .removeTarget(let name):
      line.field("name", name)
      line.field("enable", false)
    case .playback(let playback): playback?.writeFields(into: &line)
    case .record(let record):
      line.field("enable", record?.enable)
      line.field("directory", record?.directory)
    case .receiver(let receiver): receiver?.writeFields(into: &line)
    }
  }
}

// MARK: - Engine

extension EngineRequest {
  /// The engine's part of a request; `nil` for a request that the server answers by itself. `sent` is the number of the
  /// newest fix that the client was sent, if known.
  package init?(_ request: Request, sent: UInt64? = nil) {
    switch request {
    case .view(let view):
      self = .view(
        ViewReport(
          view: view.view, coordinate: view.position, seq: view.seq, cause: view.cause),
        sent: sent)
    case .setFollow(let view, let enable): self = .follow(view: view, enable: enable)
    case .restoreFollow(let view, let following): self = .restoreFollow(view: view, following: following)
    case .locate(let timeout, let maxAge):
      self = .locate(
        timeout: timeout.flatMap { Duration(finiteSeconds: $0) } ?? .seconds(10),
        maxAge: maxAge.flatMap { Duration(finiteSeconds: $0) } ?? .seconds(2))
    case .setTarget(let target):
      self = .target(
        name: target.name, coordinate: target.position, radius: target.radius ?? 100,
        isPersistent: target.isPersistent)
    case .removeTarget(let name): self = .removeTarget(name: name)
    case .version, .devices, .device, .watch, .poll, .status, .follow, .targets, .record, .playback, .receiver:
      return nil
    }
  }
}

import LocationCore

/// A client's request, checked: every number is finite and in its range.
package enum Request: Hashable, Sendable {
  case version
  case devices
  /// `?DEVICE;` or `?DEVICE={"path":…}`: one source, the leading one without a path.
  case device(path: String?)
  /// `?WATCH;`: the subscription; `?WATCH={…}`: a change to it.
  case watch(WatchRequest?)
  case poll
  case status
  /// What the engine handles.
  case engine(EngineRequest)
  /// `?FOLLOW;` or `?FOLLOW={"view":…}`: the follow state of all views, or of one.
  case follow(view: String?)
  case targets
  case trips
  case courses
  /// `?COURSE={…,"from":…}`: the points and cues of a course, in pieces.
  case coursePiece(CoursePieceRequest)
  /// `?PLAYBACK;`: the state of a recording that plays; `?PLAYBACK={…}`: a change to it.
  case playback(PlaybackRequest?)
  /// `?RECORD;`: the state of recording; `?RECORD={…}`: its start or stop.
  case record(RecordRequest?)
  /// `?RECEIVER;`: the set-up of a receiver; `?RECEIVER={…}`: its start.
  case receiver(ReceiverRequest?)

  /// The view of a request that names none.
  package static let defaultView = "main"
}

extension Request {
  package struct Traits {
    package let name: StaticString
    /// The object after the name; `nil` for none.
    fileprivate(set) var fields: (any CodedFields)?
    /// Whether it is an addition to gpsd's protocol.
    package fileprivate(set) var isAddition = true
    /// Whether it changes what other clients see, or what is recorded.
    package fileprivate(set) var isControl = false
  }

  package var traits: Traits {
    switch self {
    case .version: Traits(name: "VERSION", isAddition: false)
    case .devices: Traits(name: "DEVICES", isAddition: false)
    case .device(let path): Traits(name: "DEVICE", fields: path.map { DeviceRequest(path: $0) }, isAddition: false)
    case .watch(let watch): Traits(name: "WATCH", fields: watch, isAddition: false)
    case .poll: Traits(name: "POLL", isAddition: false)
    case .status: Traits(name: "STATUS")
    case .engine(let request): request.traits
    case .follow(let view): Traits(name: "FOLLOW", fields: view.map { FollowRequest(view: $0) })
    case .targets: Traits(name: "TARGET")
    case .trips: Traits(name: "TRIP")
    case .courses: Traits(name: "COURSE")
    case .coursePiece(let piece): Traits(name: "COURSE", fields: piece)
    case .playback(let playback): Traits(name: "PLAYBACK", fields: playback, isControl: playback != nil)
    case .record(let record): Traits(name: "RECORD", fields: record, isControl: record != nil)
    case .receiver(let receiver): Traits(name: "RECEIVER", fields: receiver, isControl: receiver?.action != nil)
    }
  }

  package var name: StaticString { traits.name }

  private typealias Reader = @Sendable (_ name: String, _ fields: RequestFields?) throws(RequestError) -> Request

  private static let readers: [(name: String, read: Reader)] = [
    ("VERSION", reader(.version)), ("DEVICES", reader(.devices)),
    ("DEVICE", reader { (device: DeviceRequest?) in .device(path: device?.path) }),
    ("WATCH", reader { .watch($0) }), ("POLL", reader(.poll)), ("STATUS", reader(.status)), ("VIEW", view),
    ("FOLLOW", reader { (follow: FollowRequest?) in follow?.request ?? .follow(view: nil) }),
    ("LOCATE", reader { (locate: LocateRequest?) in .engine(locate?.request ?? .locate(timeout: nil, maxAge: nil)) }),
    ("TARGET", target), ("TRIP", reader { $0.map { .engine(.trip($0)) } ?? .trips }),
    ("COURSE", course), ("CUE", cue), ("PLAYBACK", reader { .playback($0) }), ("RECORD", reader { .record($0) }),
    ("RECEIVER", reader { .receiver($0) }),
  ]

  private static func reader(_ request: Request) -> Reader {
    { (name, fields) throws(RequestError) in
      guard fields == nil else {
        throw RequestError(.unexpectedValue, of: name, "?\(name) takes no value; send ?\(name);")
      }
      return request
    }
  }

  private static func reader<Fields: CodedFields>(_ request: @escaping @Sendable (Fields?) -> Request) -> Reader {
    { (_, fields) throws(RequestError) in request(try fields.map { fields throws(RequestError) in try fields.read() }) }
  }

  @Sendable private static func view(_ name: String, _ fields: RequestFields?) throws(RequestError) -> Request {
    .engine(.view(try given(fields, of: name, like: #"{"view":"main","lat":47.1,"lon":11.2}"#).read()))
  }

  private static func given(
    _ fields: RequestFields?, of name: String, like example: String
  ) throws(RequestError) -> RequestFields {
    if let fields { return fields }
    throw RequestError(.unexpectedValue, of: name, "?\(name) needs a value, like ?\(name)=\(example)")
  }

  @Sendable private static func course(_ name: String, _ fields: RequestFields?) throws(RequestError) -> Request {
    guard let fields else { return .courses }
    return fields.contains("from") ? .coursePiece(try fields.read()) : .engine(.course(try fields.read()))
  }

  @Sendable private static func cue(_ name: String, _ fields: RequestFields?) throws(RequestError) -> Request {
    .engine(.cue(try given(fields, of: name, like: #"{"course":"tour","at":1200,"text":"Left"}"#).read()))
  }

  @Sendable private static func target(_ name: String, _ fields: RequestFields?) throws(RequestError) -> Request {
    guard let fields else { return .targets }
    if try fields.bool("enable") == false {
      let removal: TargetRemoval = try fields.read()
      return .engine(.removeTarget(name: removal.name))
    }
    return .engine(.setTarget(try fields.read()))
  }

  init(name: String, _ fields: RequestFields?) throws(RequestError) {
    guard let (_, read) = Self.readers.first(where: { $0.name == name }) else {
      let names = Self.readers.map(\.name).joined(separator: " ")
      throw RequestError(.unknownRequest, of: name, "Unrecognized request '?\(name)'; supported: \(names)")
    }
    self = try read(name, fields)
  }
}

extension Request {
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

  /// Writes the request as a client sends it, `?NAME;` or `?NAME={…};`, on a line of its own.
  package func write(into line: inout JSONLine) {
    let traits = traits
    line.put(Byte.question)
    line.literal(traits.name)
    if let fields = traits.fields {
      line.put(Byte.equals)
      line.put(Byte.openBrace)
      fields.writeFields(into: &line)
      line.endObject()
    }
    line.put(Byte.semicolon)
    line.endLine()
  }

  /// The request as an event of a recording, `{"request":"NAME",…}`.
  package var recorded: [UInt8] {
    let traits = traits
    var line = JSONLine(capacity: 256)
    line.beginObject()
    line.key("request")
    line.quoted(traits.name)
    traits.fields?.writeFields(into: &line)
    line.endObject()
    return Array(line.bytes)
  }
}

extension EngineRequest {
  fileprivate var traits: Request.Traits {
    switch self {
    case .view(let view): Request.Traits(name: "VIEW", fields: view, isControl: true)
    case .setFollow(let view, let enable):
      Request.Traits(name: "FOLLOW", fields: FollowRequest(view: view, enable: enable), isControl: true)
    case .restoreFollow(let view, let following):
      Request.Traits(
        name: "FOLLOW", fields: FollowRequest(view: view, following: following, restore: true), isControl: true)
    case .locate(let timeout, let maxAge):
      Request.Traits(name: "LOCATE", fields: LocateRequest(timeout: timeout, maxAge: maxAge))
    case .setTarget(let target): Request.Traits(name: "TARGET", fields: target, isControl: true)
    case .removeTarget(let name): Request.Traits(name: "TARGET", fields: TargetRemoval(name: name), isControl: true)
    case .trip(let trip): Request.Traits(name: "TRIP", fields: trip, isControl: true)
    case .course(let course): Request.Traits(name: "COURSE", fields: course, isControl: true)
    case .cue(let cue): Request.Traits(name: "CUE", fields: cue, isControl: true)
    }
  }
}

import LocationCore

extension Request {
  private enum Name: String, CaseIterable {
    case version = "VERSION"
    case devices = "DEVICES"
    case watch = "WATCH"
    case poll = "POLL"
    case status = "STATUS"
    case view = "VIEW"
    case follow = "FOLLOW"
    case locate = "LOCATE"
    case target = "TARGET"
    case playback = "PLAYBACK"
    case record = "RECORD"
  }

  /// The request of that name, with the JSON object that followed the equals sign.
  init(name: String, json: ArraySlice<UInt8>?) throws(RequestError) {
    guard let known = Name(rawValue: name) else {
      let names = Name.allCases.map(\.rawValue).joined(separator: " ")
      throw RequestError(.unknownRequest, of: name, "Unrecognized request '?\(name)'; there are \(names)")
    }
    let fields: RequestFields?
    if let json {
      fields = try RequestFields(json, of: name)
    } else {
      fields = nil
    }
    switch known {
    case .version: self = try Self.plain(.version, name, fields)
    case .devices: self = try Self.plain(.devices, name, fields)
    case .poll: self = try Self.plain(.poll, name, fields)
    case .status: self = try Self.plain(.status, name, fields)
    case .watch: self = .watch(try fields.map { fields throws(RequestError) in try WatchRequest(fields) })
    case .view: self = .view(try ViewRequest(Self.needed(fields, name, #"{"view":"main","lat":47.1,"lon":11.2}"#)))
    case .follow: self = try Self.follow(fields)
    case .locate:
      self = .locate(try fields.map { fields throws(RequestError) in try LocateRequest(fields) } ?? LocateRequest())
    case .target: self = try Self.target(fields)
    case .playback: self = .playback(try fields.map { fields throws(RequestError) in try PlaybackRequest(fields) })
    case .record: self = .record(try fields.map { fields throws(RequestError) in try RecordRequest(fields) })
    }
  }

  private static func plain(_ request: Request, _ name: String, _ fields: RequestFields?) throws(RequestError)
    -> Request
  {
    guard fields == nil else {
      throw RequestError(.unexpectedValue, of: name, "?\(name) takes no value; send ?\(name);")
    }
    return request
  }

  private static func needed(_ fields: RequestFields?, _ name: String, _ example: String) throws(RequestError)
    -> RequestFields
  {
    guard let fields else {
      throw RequestError(.unexpectedValue, of: name, "?\(name) needs a value, like ?\(name)=\(example)")
    }
    return fields
  }

  private static func follow(_ fields: RequestFields?) throws(RequestError) -> Request {
    guard let fields else { return .follow(view: nil) }
    try fields.allowOnly("view", "enable")
    let view = try fields.string("view", bytes: 1...64)
    guard let enable = try fields.bool("enable") else { return .follow(view: view) }
    return .setFollow(view: view ?? defaultView, enable: enable)
  }

  private static func target(_ fields: RequestFields?) throws(RequestError) -> Request {
    guard let fields else { return .targets }
    try fields.allowOnly("name", "lat", "lon", "radius", "enable")
    let name = try fields.required("name", fields.string("name", bytes: 1...64))
    if try fields.bool("enable") == false { return .removeTarget(name: name) }
    return .setTarget(
      TargetRequest(
        name: name, position: try fields.coordinate(), radius: try fields.number("radius", in: Target.radii)))
  }
}

extension WatchRequest {
  init(_ fields: RequestFields) throws(RequestError) {
    try fields.catchMisspelled(
      "enable", "json", "nmea", "raw", "device", "distanceFilter", "heartbeat", "handlebar")
    self.init()
    enable = try fields.bool("enable") ?? true
    json = try fields.bool("json")
    nmea = try fields.bool("nmea")
    raw = try fields.whole("raw", upTo: 2).map { Int($0) }
    device = try fields.string("device", bytes: 0...1024)
    distanceFilter = try fields.number("distanceFilter", in: 0...1_000_000)
    heartbeat = try fields.number("heartbeat", in: 0...86_400)
    if let heartbeat, heartbeat > 0, heartbeat < 0.1 {
      throw fields.outOfRange("heartbeat", "0 (never) or from 0.1 to 86400 seconds")
    }
    handlebar = try fields.bool("handlebar")
  }
}

extension ViewRequest {
  init(_ fields: RequestFields) throws(RequestError) {
    try fields.allowOnly("view", "lat", "lon", "seq", "cause")
    let view = try fields.string("view", bytes: 1...64)
    self.init(view: view ?? Request.defaultView, position: try fields.coordinate(), seq: try fields.whole("seq"))
    guard let text = try fields.string("cause", bytes: 0...64) else { return }
    guard let cause = Cause(rawValue: text) else {
      throw fields.outOfRange("cause", "one of \(Cause.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.cause = cause
  }
}

extension LocateRequest {
  init(_ fields: RequestFields) throws(RequestError) {
    try fields.allowOnly("timeout", "maxAge")
    self.init(timeout: try fields.number("timeout", in: 0...3600), maxAge: try fields.number("maxAge", in: 0...3600))
  }
}

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
  case engine(EngineRequest)
  case question(DeskQuestion)
  /// `?PLAYBACK;`: the state of a recording that plays; `?PLAYBACK={…}`: a change to it.
  case playback(PlaybackRequest?)
  /// `?RECORD;`: the state of recording; `?RECORD={…}`: its start or stop.
  case record(RecordRequest?)
  /// `?RECEIVER;`: the set-up of a receiver; `?RECEIVER={…}`: its start.
  case receiver(ReceiverRequest?)

  package struct Traits {
    package let name: StaticString
    /// The object after the name; `nil` for none.
    var fields: (any CodedFields)?
    /// Whether it is an addition to gpsd's protocol.
    package internal(set) var isAddition = true
    /// Whether it changes what other clients see, or what is recorded.
    package internal(set) var isControl = false
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
    case .question(let question): question.traits
    case .playback(let playback): Traits(name: "PLAYBACK", fields: playback, isControl: playback != nil)
    case .record(let record): Traits(name: "RECORD", fields: record, isControl: record != nil)
    case .receiver(let receiver): Traits(name: "RECEIVER", fields: receiver, isControl: receiver?.action != nil)
    }
  }

  package var name: StaticString { traits.name }

  /// How the object after a name is read; `nil` without one.
  struct Reader: Sendable {
    let name: String
    let read: @Sendable (RequestFields?) throws(RequestError) -> Request
  }

  private static let readers: [Reader] =
    [
      reader("VERSION", .version), reader("DEVICES", .devices),
      reader("DEVICE") { (device: DeviceRequest?) in .device(path: device?.path) }, reader("WATCH") { .watch($0) },
      reader("POLL", .poll), reader("STATUS", .status),
    ] + deskReaders + [
      reader("PLAYBACK") { .playback($0) }, reader("RECORD") { .record($0) }, reader("RECEIVER") { .receiver($0) },
    ]

  private static func reader(_ name: String, _ request: Request) -> Reader {
    Reader(name: name) { fields throws(RequestError) in
      guard fields == nil else {
        throw RequestError(of: name, "?\(name) takes no value; send ?\(name);")
      }
      return request
    }
  }

  static func reader<Fields: CodedFields>(
    _ name: String, _ request: @escaping @Sendable (Fields?) -> Request
  ) -> Reader {
    Reader(name: name) { fields throws(RequestError) in
      request(try fields.map { fields throws(RequestError) in try fields.read() })
    }
  }

  /// A request that has a value, such as that of `example`.
  static func reader<Fields: CodedFields>(
    _ name: String, like example: String, _ request: @escaping @Sendable (Fields) -> EngineRequest
  ) -> Reader {
    Reader(name: name) { fields throws(RequestError) in
      if let fields { return .engine(request(try fields.read())) }
      throw RequestError(of: name, "?\(name) needs a value, like ?\(name)=\(example)")
    }
  }

  init(name: String, _ fields: RequestFields?) throws(RequestError) {
    guard let reader = Self.readers.first(where: { $0.name == name }) else {
      let names = Self.readers.map(\.name).joined(separator: " ")
      throw RequestError(of: name, "Unrecognized request '?\(name)'; supported: \(names)")
    }
    self = try reader.read(fields)
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

  /// Throws the error with which a daemon refuses these values, also for those that no line can carry.
  package func validate() throws(RequestError) {
    let traits = traits
    guard var values = traits.fields else { return }
    var fields = RequestFields(checking: "\(traits.name)")
    values.fields(&fields)
    if let fault = fields.fault { throw fault }
  }
}

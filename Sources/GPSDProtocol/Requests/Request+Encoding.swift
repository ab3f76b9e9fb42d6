import LocationCore

extension Request {
  /// Writes the request as a client sends it, on a line of its own.
  package func write(into line: inout JSONLine) {
    switch self {
    case .version: line.request("VERSION")
    case .devices: line.request("DEVICES")
    case .poll: line.request("POLL")
    case .status: line.request("STATUS")
    case .watch(nil): line.request("WATCH")
    case .follow(view: nil): line.request("FOLLOW")
    case .targets: line.request("TARGET")
    case .playback(nil): line.request("PLAYBACK")
    case .record(nil): line.request("RECORD")
    case .record(let record?):
      line.request("RECORD") {
        $0.field("enable", record.enable)
        $0.field("directory", record.directory)
      }
    case .watch(let watch?):
      line.request("WATCH") { $0.fields(watch) }
    case .view(let view):
      line.request("VIEW") {
        $0.field("view", view.view)
        $0.fields(view.position)
        $0.field("seq", view.seq)
        $0.field("cause", view.cause?.rawValue)
      }
    case .follow(let view?):
      line.request("FOLLOW") { $0.field("view", view) }
    case .setFollow(let view, let enable):
      line.request("FOLLOW") {
        $0.field("view", view)
        $0.field("enable", enable)
      }
    case .locate(let locate):
      line.request("LOCATE") {
        $0.field("timeout", locate.timeout, decimals: 3)
        $0.field("maxAge", locate.maxAge, decimals: 3)
      }
    case .setTarget(let target):
      line.request("TARGET") {
        $0.field("name", target.name)
        $0.fields(target.position)
        $0.field("radius", target.radius, decimals: 3)
      }
    case .removeTarget(let name):
      line.request("TARGET") {
        $0.field("name", name)
        $0.field("enable", false)
      }
    case .playback(let playback?):
      line.request("PLAYBACK") {
        $0.field("pause", playback.pause)
        switch playback.speed {
        case nil: break
        case .times(let multiple): $0.field("speed", multiple, decimals: 3)
        case .max: $0.field("speed", "max")
        }
        $0.field("seek", playback.seek, decimals: 3)
      }
    }
  }
}

extension JSONLine {
  fileprivate mutating func request(_ name: StaticString) {
    start(name)
    put(Byte.semicolon)
    endLine()
  }

  fileprivate mutating func request(_ name: StaticString, _ fields: (inout JSONLine) -> Void) {
    start(name)
    put(Byte.equals)
    put(Byte.openBrace)
    fields(&self)
    endObject()
    put(Byte.semicolon)
    endLine()
  }

  private mutating func start(_ name: StaticString) {
    put(Byte.question)
    literal(name)
  }

  fileprivate mutating func fields(_ position: Coordinate) {
    field("lat", position.latitude, decimals: 9)
    field("lon", position.longitude, decimals: 9)
  }

  fileprivate mutating func fields(_ watch: WatchRequest) {
    field("enable", watch.enable)
    field("json", watch.json)
    field("nmea", watch.nmea)
    field("raw", watch.raw)
    field("device", watch.device)
    field("distanceFilter", watch.distanceFilter, decimals: 3)
    field("heartbeat", watch.heartbeat, decimals: 3)
    field("handlebar", watch.handlebar)
  }
}

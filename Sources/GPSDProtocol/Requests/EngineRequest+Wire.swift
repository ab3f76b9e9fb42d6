import LocationCore

extension EngineRequest {
  /// The engine's part of a request; `nil` for a request that the server answers by itself.
  package init?(_ request: Request) {
    switch request {
    case .view(let view):
      self = .view(
        ViewReport(
          view: view.view, coordinate: view.position, seq: view.seq,
          cause: view.cause.flatMap { LocationCore.ViewCause(rawValue: $0.rawValue) }))
    case .setFollow(let view, let enable): self = .follow(view: view, enable: enable)
    case .locate(let locate):
      self = .locate(
        timeout: locate.timeout.flatMap { Duration(finiteSeconds: $0) } ?? .seconds(10),
        maxAge: locate.maxAge.flatMap { Duration(finiteSeconds: $0) } ?? .seconds(2))
    case .setTarget(let target):
      self = .target(name: target.name, coordinate: target.position, radius: target.radius ?? 100)
    case .removeTarget(let name): self = .removeTarget(name: name)
    case .version, .devices, .watch, .poll, .status, .follow, .targets, .record, .playback: return nil
    }
  }
}

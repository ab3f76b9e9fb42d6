import GPSDProtocol
import LocationCore
import NIOCore

/// Another configuration while clients are connected.
extension Server {
  /// Takes over limits and filter. Who named no filter gets the new one and is told so.
  package func apply(_ new: DaemonConfiguration) {
    let old = configuration
    configuration = new
    clients.maxClients = new.maxClients
    guard new.distanceFilter != old.distanceFilter else { return }
    host.turn { _ in
      for session in clients.sessions where session.watch.usesDefaultFilter && session.dialect == .handlebar {
        session.watch.distanceFilter = new.distanceFilter
        guard session.subscription != nil else { continue }
        session.subscription?.setDistance(new.distanceFilter)
        session.enqueue(line { watchReport(of: session).write(into: &$0) })
      }
    }
  }

  /// The sources are others now, or stand in another order: who watches is told.
  package func sourcesDidChange() {
    encoder.register(host.feeds, newest: host.engine.newest)
    host.turn { _ in
      let devices = line { devicesReport().write(into: &$0) }
      for session in clients.sessions where session.watch.enable && session.watch.json { session.enqueue(devices) }
    }
  }
}

import NIOCore

/// The places of the connections. When all are taken, a new one displaces another, and none is kept out: of the most
/// connections of an address that hold their places in the same way, the one that has done nothing for longest. A
/// browser is no such crowd, whatever the others do.
struct Places {
  enum Hold: Hashable {
    /// Without a request that was allowed.
    case unproven
    /// Between an answer and the next request.
    case idle
    case answered
    /// As a viewer: never given up.
    case viewer
  }

  /// Most connections at a time. A browser opens up to six for the files of a page.
  static let limit = 64
  static let viewerLimit = 16

  private struct Crowd: Hashable {
    let address: String?
    var hold = Hold.unproven
  }

  private struct Place {
    let channel: any Channel
    var crowd: Crowd
  }

  /// The one that has done nothing for longest first.
  private var taken: [Place] = []
  var areTaken: Bool { taken.count >= Self.limit }

  mutating func admit(_ channel: any Channel) -> (isAdmitted: Bool, displaced: (any Channel)?) {
    var displaced: (any Channel)?
    if areTaken {
      var counts: [Crowd: Int] = [:]
      for place in taken where place.crowd.hold != .viewer { counts[place.crowd, default: 0] += 1 }
      guard let most = counts.values.max(), let index = taken.firstIndex(where: { counts[$0.crowd] == most }) else {
        return (false, nil)
      }
      displaced = taken.remove(at: index).channel
    }
    taken.append(Place(channel: channel, crowd: Crowd(address: channel.remoteAddress?.ipAddress)))
    return (true, displaced)
  }

  mutating func admitViewer(_ channel: any Channel) -> Bool {
    guard taken.count(where: { $0.crowd.hold == .viewer }) < Self.viewerLimit else { return false }
    hold(channel, as: .viewer)
    return true
  }

  mutating func hold(_ channel: any Channel, as hold: Hold) {
    guard let index = taken.firstIndex(where: { $0.channel === channel }) else { return }
    var place = taken.remove(at: index)
    place.crowd.hold = hold
    taken.append(place)
  }

  mutating func remove(_ channel: any Channel) { taken.removeAll { $0.channel === channel } }
}

/// Lets new connections wait in the socket's queue while all places are taken: those that connect again at once where
/// they are displaced would take a processor. Confined to the listener's event loop.
final class Turnstile: ChannelOutboundHandler {
  typealias OutboundIn = Never

  /// Time from one connection that takes another's place to the next.
  private static let pause = TimeAmount.milliseconds(4)
  /// The connections that there are have their turn between so many new ones.
  private static let group: UInt = 4

  private let service: MapService

  init(_ service: MapService) { self.service = service }

  func read(context: ChannelHandlerContext) {
    let areTaken = service.places.withLock { $0.areTaken }
    let count: UInt = areTaken ? 1 : Self.group
    try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: count)
    guard areTaken else { return context.read() }
    let channel = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.pause) { channel.value.read() }
  }
}

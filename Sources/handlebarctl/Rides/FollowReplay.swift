import GPSDProtocol
import LocationCore
import Recordings

/// Repeats a ride's recorded views with the daemon's own rules, to tell when one became free or followed again.
struct FollowReplay {
  private static let session = SessionID(0)

  private var registry = FollowReplay.opened

  private static var opened: FollowRegistry {
    var registry = FollowRegistry()
    registry.sessionOpened(session, at: .zero)
    return registry
  }

  /// The views that change with what happened next, and when.
  mutating func take(_ moment: borrowing RideMoment) -> [(state: FollowState, at: MonotonicInstant)] {
    switch copy moment {
    case .fix(let ridden):
      let changes: FixChanges = ridden.beginsSegment && ridden.seq > 1 ? .regained : []
      let published = PublishedFix(fix: ridden.fix, seq: ridden.seq, source: ridden.source, changes: changes)
      let instant = ridden.fix.received
      return Self.changed(registry.published(published, at: instant), at: instant)
    case .lost(let instant): registry.lost(at: instant)
    case .source(_, _, let instant): registry.sourceChanged(at: instant)
    // Another run of the recorder counts its fixes anew.
    case .interrupted: registry = Self.opened
    case .event(let event, let instant): return Self.changed(repeated(event, at: instant), at: instant)
    }
    return []
  }

  /// A request that the daemon would refuse changes nothing.
  private mutating func repeated(_ event: RecordedEvent, at instant: MonotonicInstant) -> [FollowAction] {
    switch Request(recorded: event.json) {
    case .view(let view)?:
      let report = ViewReport(
        view: view.view, coordinate: view.position, seq: view.seq,
        cause: view.cause.flatMap { ViewCause(rawValue: $0.rawValue) })
      return (try? registry.report(report, from: Self.session, at: instant)) ?? []
    case .setFollow(let view, let enable)?:
      return (try? registry.set(following: enable, view: view, session: Self.session, at: instant)) ?? []
    default: return []
    }
  }

  private static func changed(
    _ actions: [FollowAction], at instant: MonotonicInstant
  ) -> [(state: FollowState, at: MonotonicInstant)] {
    actions.compactMap {
      guard case .changed(let state) = $0 else { return nil }
      return (state, instant)
    }
  }
}

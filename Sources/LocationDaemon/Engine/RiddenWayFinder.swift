import Dispatch
import LocationCore
import Recordings
import Synchronization

/// Looks in the recorded rides for the way on from where the fix is lost, while it is estimated: on a thread of its
/// own, as that takes seconds. What a replay estimates does not depend on the rides that there are.
final class RiddenWayFinder: EngineObserver {
  /// The search of an outage, shared with the thread.
  private final class Search: Sendable {
    let isWanted = Atomic(true)
    let found = Mutex<RiddenWay?>(nil)
  }

  private unowned let engineLoop: EngineLoop
  /// Where rides are recorded; `nil` if they are not.
  private let directory: () -> String?
  let thread = DispatchQueue(label: "handlebard.ways")
  private var search: Search?

  init(for engineLoop: EngineLoop, in directory: @escaping () -> String?) {
    (self.engineLoop, self.directory) = (engineLoop, directory)
  }

  func turnDidEnd() {
    guard engineLoop.engine.desk.outage != nil else {
      search?.isWanted.store(false, ordering: .relaxed)
      return search = nil
    }
    guard let search else { return begin() }
    guard let way = search.found.withLock({ exchange(&$0, with: nil) }) else { return }
    engineLoop.engine.desk.outage?.riddenWay = way
  }

  private func begin() {
    guard engineLoop.engine.lead.setup.isLive, engineLoop.engine.desk.courses.followed?.state != .on,
      let path = directory(), let last = engineLoop.engine.desk.newest?.fix, last.course != nil
    else { return }
    let search = Search()
    self.search = search
    thread.async {
      guard let directory = try? RideDirectory(existing: path) else { return }
      let way = directory.way(from: last) { search.isWanted.load(ordering: .relaxed) }
      search.found.withLock { $0 = way }
    }
  }
}

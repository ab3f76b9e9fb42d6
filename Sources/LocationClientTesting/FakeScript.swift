import GPSDProtocol
import LocationClient
import LocationCore

/// The state of a fake daemon and its answers: the desk's, or what the test sets instead. Lines carry their ends.
struct FakeScript: Sendable {
  struct Answer {
    var toClient = ""
    /// To every subscriber, which may include that client.
    var toSubscribers = ""
  }

  /// Answers that the test sets in place of those that follow from what it sent.
  struct Orders {
    /// The error that every request but subscriptions is refused with.
    var refusal: ErrorReport?
    var status: StatusReport?
    var devices: [DeviceReport]?
    var receiver: ReceiverReport?
  }

  var orders: Orders
  private(set) var subscribers: Set<ClientID> = []
  private(set) var state: StateReport?
  private(set) var sky: (sky: Sky, device: String)?

  private static let test = ClientID(0)
  private let clock: ClientClock
  private let begin: ContinuousClock.Instant
  private let desk = ClientDesk(hasFix: true)
  private var events = EngineEvents()
  /// What the test sent as the newest fix of the desk.
  private var position: Position?
  /// The reports that the test sent, which are among the answers to a question.
  private var sent: [(question: Request, name: String, report: any CodedReport)] = []
  /// Those who read courses and sensors.
  private var readers: [String: Set<ClientID>] = ["COURSE": [], "SENSOR": []]
  private var unsent = ""

  init(orders: Orders = Orders(), clock: ClientClock) {
    self.orders = orders
    self.clock = clock
    begin = clock.now
    desk.connect(Self.test)
  }

  mutating func connected(_ client: ClientID) { desk.connect(client) }

  /// Returns lines for every other subscriber.
  mutating func disconnected(_ client: ClientID) -> String {
    subscribers.remove(client)
    for name in readers.keys { readers[name]?.remove(client) }
    desk.disconnect(client, at: now, into: &events)
    return takeEvents().toSubscribers
  }

  private var now: MonotonicInstant { .zero + uptime }
  var uptime: Duration { clock.now - begin }
  var clientCount: Int { desk.clients.keys.count { $0 != Self.test } }
  var newest: (fix: PublishedFix, position: Position)? {
    guard let fix = desk.newest, let position else { return nil }
    return (fix, position)
  }
  /// Time since the newest position was received; a test makes it by another clock.
  var age: Duration? { position.map { max(clock.now - $0.received, .zero) } }

  mutating func lines(of position: Position) -> String {
    let seq = position.seq ?? (desk.newest?.seq ?? 0) + 1
    let reason: Position.Reason = position.reason ?? (self.position == nil ? .first : .moved)
    self.position = position
    self.position?.reason = reason
    desk.publish(PublishedFix(fix: Fix(position, received: now), seq: seq, source: 0), at: now, into: &events)
    return takeEvents().toSubscribers
  }

  mutating func lines(of state: StateReport) -> String {
    self.state = state
    if state.phase == .lost { desk.lost(at: now, into: &events) }
    return Self.line { state.write(counts: [], into: &$0) } + takeEvents().toSubscribers
  }

  mutating func setFollowing(_ following: Bool, view: String) -> String {
    try? desk.handle(.setFollow(view: view, enable: following), from: Self.test, at: now, into: &events)
    return takeEvents().toSubscribers
  }

  mutating func lines(of sky: SkyReport) -> String {
    guard case .sky(let device, let sky) = GPSDReport(.sky(sky), at: .zero) else { return "" }
    self.sky = (sky, device)
    return skyLine
  }

  private var skyLine: String {
    guard let (sky, device) = sky else { return "" }
    return Self.line { SkyReport.write(sky, device: device.isEmpty ? nil : device, into: &$0) }
  }

  /// Keeps a report as an answer to a question, in place of the one of its name, unless it is the last of that name.
  mutating func keep(
    _ report: some CodedReport, for question: Request, named name: String = "", isLast: Bool = false
  ) -> String {
    let index = sent.firstIndex { $0.question == question && $0.name == name } ?? sent.endIndex
    let kept: [(Request, String, any CodedReport)] = isLast ? [] : [(question, name, report)]
    sent.replaceSubrange(index..<min(index + 1, sent.count), with: kept)
    return Self.line { report.write(into: &$0) }
  }

  func kept<Kept: CodedReport>(for question: Request, named name: String = "") -> Kept? {
    sent.first { $0.question == question && $0.name == name }?.report as? Kept
  }

  func lines(_ lines: String, for client: ClientID) -> String {
    readers.filter { !$0.value.contains(client) }.reduce(lines) { lines, unread in
      let start = #"{"class":"\#(unread.key)""#
      guard lines.contains(start) else { return lines }
      return lines.split(separator: "\r\n").filter { !$0.hasPrefix(start) }.map { $0 + "\r\n" }.joined()
    }
  }

  /// Lines that are in no snapshot: while there is no subscriber, they wait for the first.
  mutating func once(_ lines: String) -> String {
    guard subscribers.isEmpty else { return lines }
    unsent += lines
    return ""
  }

  static func line(_ write: (inout JSONLine) -> Void) -> String {
    var line = JSONLine(capacity: 512)
    write(&line)
    return String(decoding: line.bytes, as: UTF8.self)
  }

  private func line(of fix: PublishedFix, reason: Position.Reason? = nil, age: Duration?) -> String {
    guard let position else { return "" }
    return Self.line {
      TPV.body(fix.fix, device: position.device, into: &$0)
      TPV.finish(
        &$0, heading: fix.fix.heading, seq: fix.seq, reason: (reason ?? position.reason ?? .moved).rawValue,
        reasons: position.reasons.count > 1 ? position.reasons.map(\.rawValue).joined(separator: ",") : nil,
        age: age?.inSeconds, source: position.source, suspect: position.isSuspect, bend: position.bend ?? fix.bend)
    }
  }

  private mutating func takeEvents() -> Answer {
    var answer = Answer()
    func tell(_ line: String, _ readers: Set<ClientID>, and client: ClientID?) {
      answer.toSubscribers += line
      if let client, !readers.contains(client) { answer.toClient += line }
    }
    for entry in events.list {
      switch entry.event {
      case .told(let event, let recipients):
        let line = Self.line { event.write(into: &$0) }
        switch recipients {
        case .subscribers(let client): tell(line, subscribers, and: client)
        case .subscribersInTime: tell(line, subscribers, and: nil)
        case .courseReaders(let client): tell(line, readers["COURSE"] ?? [], and: client)
        case .sensorReaders(let client): tell(line, readers["SENSOR"] ?? [], and: client)
        case .client: answer.toClient += line
        }
      case .fix(let fix, _, _): answer.toSubscribers += self.line(of: fix, age: position?.age)
      case .sendNewest(let fix): answer.toSubscribers += self.line(of: fix, reason: .requested, age: nil)
      default: break
      }
    }
    events.removeAll()
    return answer
  }

  mutating func answer(_ request: Request, from client: ClientID) -> Answer {
    desk.expire(at: now, into: &events)
    if case .watch(let change) = request { return Answer(toClient: watch(change, from: client)) }
    if let refusal = orders.refusal { return Answer(toClient: Self.line { refusal.write(into: &$0) }) }
    do {
      switch request {
      case .engine(.trip(let trip)): return try change(trip, from: client)
      case .engine(.locate(_, let maxAge)): return Answer(toClient: located(maxAge: maxAge))
      case .engine(let request):
        try desk.handle(request, from: client, at: now, into: &events)
        return takeEvents()
      case .record(let change): return try answer(change, from: client)
      case .playback(let change): return try answer(change, from: client)
      default: return Answer(toClient: try report(request))
      }
    } catch {
      let report = ErrorReport(message: "\(error)", code: .request, request: "\(request.name)")
      return Answer(toClient: Self.line { report.write(into: &$0) })
    }
  }

  func shared(_ question: DeskQuestion) throws -> String {
    (try question.reports(of: desk, at: now) + sent.filter { $0.question == .question(question) }.map(\.report))
      .map { report in Self.line { report.write(into: &$0) } }.joined()
  }

  /// What changed goes to every subscriber, and to the client that asked for it.
  func changed(_ lines: String, by client: ClientID) -> Answer {
    Answer(toClient: subscribers.contains(client) ? "" : lines, toSubscribers: lines)
  }

  /// Trips have the figures that the test sends, not those of the desk.
  private mutating func change(_ request: TripRequest, from client: ClientID) throws -> Answer {
    let known: TripReport? = kept(for: .question(.trips), named: request.name)
    guard var trip = known ?? (request.change == .start ? TripReport(name: request.name) : nil) else {
      throw RequestRefusal.missing(.trip, name: request.name)
    }
    switch request.change {
    case .start: if known != nil { return Answer(toClient: Self.line { trip.write(into: &$0) }) }
    case .lap: (trip.lap, trip.lapDistance, trip.lapMovingTime) = (trip.lap + 1, 0, .zero)
    case .reset: trip = TripReport(name: trip.name, state: trip.state)
    case .end: trip.state = .ended
    }
    return changed(keep(trip, for: .question(.trips), named: trip.name, isLast: trip.state == .ended), by: client)
  }

  private mutating func watch(_ change: WatchRequest?, from client: ClientID) -> String {
    var report = WatchReport(enable: subscribers.contains(client), json: true)
    guard let change else { return Self.line { report.write(into: &$0) } }
    report = WatchReport(change)
    let line = Self.line { report.write(into: &$0) }
    guard change.enable else {
      subscribers.remove(client)
      return line
    }
    subscribers.insert(client)
    if change.course == true { readers["COURSE"]?.insert(client) }
    if change.sensors == true { readers["SENSOR"]?.insert(client) }
    let position = desk.newest.map { self.line(of: $0, reason: .snapshot, age: age) }
    let state = state.map { state in Self.line { state.write(counts: [], into: &$0) } }
    let questions =
      DeskQuestion.snapshot + (change.course == true ? [.courses] : []) + (change.sensors == true ? [.sensors] : [])
    let states = questions.compactMap { try? shared($0) }.joined()
    defer { unsent = "" }
    return [line, position ?? "", skyLine, state ?? "", states, unsent].joined()
  }

  private func located(maxAge: Double?) -> String {
    var error = ErrorReport(message: "no fix in time", code: .timedOut, request: "LOCATE")
    if let (fix, position) = newest, let age {
      if age <= .seconds(maxAge ?? 2) { return line(of: fix, reason: .requested, age: age) }
      error.lastKnown = LastKnown(fix, age: age, source: position.source)
    }
    return Self.line { error.write(into: &$0) }
  }
}

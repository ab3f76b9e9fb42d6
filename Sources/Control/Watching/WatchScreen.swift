import GPSDProtocol
import LocationClient
import LocationCore
import RideTools

/// The screen of `watch`: newest position, satellites as bars, the last events. Pure: updates in, lines out.
struct WatchScreen {
  /// Seconds without a position after which its age is shown.
  private static let staleAge = 3.0
  private static let maxEvents = 50

  private(set) var wasConnected = false
  private(set) var position: Position?
  private let units: Units
  private let endpoint: String
  private let note: String?
  private var release = ""
  private var connectionError: LocationClientError?
  private var receivedAt = 0.0
  private var sky: SkyReport?
  private var state: StateReport?
  private var follow: FollowReport?
  /// The trip that was reported first.
  private var trip: TripReport?
  private var course: CourseReport?
  private var replay: ReplayBar?
  /// The last events, with the times that the newest position had.
  private var events: [ScreenLine] = []

  init(units: Units, endpoint: String, note: String? = nil) {
    self.units = units
    self.endpoint = endpoint
    self.note = note
  }

  /// Takes an update, received at `seconds` on any clock.
  mutating func show(_ update: LocationClient.Update, at seconds: Double) {
    switch update {
    case .connected(let version):
      wasConnected = true
      connectionError = nil
      release = version.release.printable
    case .position(let position):
      self.position = position
      receivedAt = seconds - (position.age?.inSeconds ?? 0)
    case .sky(let sky): self.sky = sky
    case .state(let state):
      let isNew = state.phase != self.state?.phase || state.error != nil || state.leadReason != nil
      if isNew || state.reason != self.state?.reason || state.isEstimating != self.state?.isEstimating
        || ReportText.interference(state) != self.state.flatMap({ ReportText.interference($0) })
      {
        add(texts.line(state), Self.colour(state))
      }
      self.state = state
    case .follow(let report):
      if let follow, follow.isFollowing != report.isFollowing { add(texts.line(report), .yellow) }
      if follow == nil || follow?.view == report.view || report.view == "main" { follow = report }
    case .trip(let report):
      if trip == nil || trip?.name == report.name { trip = report.state == .ended ? nil : report }
    case .record(let report): add(texts.line(report), report.state == .failed ? .red : .yellow)
    case .course(let report):
      switch report.state {
      case .kept: break
      case .ended: if course?.name == report.name { course = nil }
      default:
        if course?.name == report.name, course?.state != report.state { add(texts.line(report), .yellow) }
        course = report
      }
    case .playback(let playback):
      replay = replay ?? ReplayBar(units: units)
      replay?.show(playback, at: seconds)
    case .disconnected(let error):
      connectionError = error
      sky = nil
      if wasConnected { add("\(error)".printable, .red) }
    case .error: add(texts.line(update), .red)
    default: add(texts.line(update), .yellow)
    }
  }

  private var texts: ReportText { ReportText(units: units) }

  private mutating func add(_ text: String?, _ colour: Style.Colour?) {
    guard let text else { return }
    events.append(ScreenLine([(clock + "  ", .dim), (text, colour)]))
    if events.count > Self.maxEvents { events.removeFirst() }
  }

  private static func colour(_ state: StateReport) -> Style.Colour {
    switch state.phase {
    case .tracking: .green
    case .failed, .lost: .red
    default: .yellow
    }
  }

  func lines(size: TerminalSize, style: Style, at seconds: Double) -> [String] {
    var lines = header(size.columns, at: seconds) + fields(size.columns, at: seconds)
    let footer = ScreenLine([("q", .bold), (" quits", .dim), (note.map { "   \($0)" } ?? "", nil)])
    // Room below the fields: a footer, at least one event, and blank lines only on a high terminal.
    let isHigh = size.rows >= 20
    let eventRows = events.isEmpty ? 0 : min(events.count, isHigh ? 5 : 2)
    if isHigh { lines.insert(ScreenLine(), at: 2) }
    let barRows = min(size.rows - lines.count - eventRows - 1 - (isHigh ? 5 : 2), 8)
    if let sky, barRows >= 1 {
      if isHigh { lines.append(ScreenLine()) }
      lines += SatelliteBars(satellites: sky.satellites).lines(
        rows: barRows, columns: size.columns, isUnicode: size.isUnicode, isHigh: isHigh)
    }
    if isHigh, !events.isEmpty { lines.append(ScreenLine()) }
    let room = max(0, size.rows - lines.count - 1)
    lines += events.suffix(room)
    lines = Array(lines.prefix(max(0, size.rows - 1)))
    lines += Array(repeating: ScreenLine(), count: max(0, size.rows - 1 - lines.count)) + [footer]
    return lines.map { $0.text(size, style) }
  }

  private var clock: String { position?.time.map { String($0.text.dropFirst(11).prefix(8)) } ?? "--:--:--" }

  private func header(_ columns: Int, at seconds: Double) -> [ScreenLine] {
    var name = ("handlebard \(release)", Style.Colour?.some(.bold))
    var device = ""
    var text = ""
    if connectionError != nil {
      name = ("no daemon at \(endpoint)", .red)
    } else if let state {
      name.0 = state.source?.printable ?? name.0
      device = state.device.map { " \($0.printable)" } ?? ""
      text = "  \(state.phase.rawValue.printable)" + (state.mode.map { " \($0)D" } ?? "")
      if state.isEstimating { text += ", position estimated" }
    }
    let age = seconds - receivedAt
    let stale = position != nil && age >= Self.staleAge ? "  no position for \(Int(age)) s" : ""
    let time = "\(clock) UTC"
    let room = columns - name.0.count - text.count - stale.count - time.count - 2
    if device.count > room { device = room > 8 ? " …" + device.suffix(room - 2) : "" }
    let gap = max(2, room + 2 - device.count)
    return [
      ScreenLine([
        name, (device, nil), (text, state.map(Self.colour)), (stale, .yellow), (time.right(time.count + gap), nil),
      ]), ScreenLine([(String(repeating: "─", count: columns), .dim)]),
    ]
  }

  private func fields(_ columns: Int, at seconds: Double) -> [ScreenLine] {
    let accuracy = position?.horizontalAccuracy.map { "±\(units.length($0, decimals: 1)) (95 %)" }
    let left: [(String, String?, Style.Colour?)] = [
      ("Position", position.map { PositionText.place($0.coordinate) }, .bold), ("Accuracy", accuracy, nil),
      ("Altitude", position?.altitudeMSL.map { units.length($0, decimals: 0) }, nil),
    ]
    let right: [(String, String?, Style.Colour?)] = [
      ("Speed", position?.speed.map { units.speed($0) }, .bold), ("Heading", heading, nil),
      (
        "Follow", follow.map { $0.isFollowing ? "following" : "not following" },
        follow?.isFollowing == false ? .yellow : nil
      ),
    ]
    func parts(_ field: (String, String?, Style.Colour?), _ width: Int) -> [(String, Style.Colour?)] {
      [(field.0.left(10), .dim), ((field.1 ?? "-").left(width), field.2)]
    }
    let lines: [ScreenLine]
    if columns >= 60 {
      lines = zip(left, right).map { ScreenLine(parts($0, columns >= 70 ? 31 : 26) + parts($1, 0)) }
    } else {
      lines = [left[0], right[0], right[1], left[1], left[2], right[2]].map { ScreenLine(parts($0, 0)) }
    }
    let more: [(String, String?, Style.Colour?)] = [
      ("No fix", state.flatMap { ReportText.absence($0) }, .yellow),
      ("Signals", state.flatMap { ReportText.interference($0) }, .red),
      ("Trip", trip.map { "\($0.name.printable): \(texts.figures(of: $0))" }, nil),
      (
        "Course", course.map { "\($0.name.printable): \(texts.progress(on: $0))" },
        course?.state == .off ? .yellow : nil
      ),
      ("Replay", replay?.line(at: seconds, width: columns - 10), nil),
    ]
    return lines + more.filter { $0.1 != nil }.map { ScreenLine(parts($0, 0)) }
  }

  private var heading: String? {
    guard let heading = position?.course else { return nil }
    let points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
    return "\(Int(heading.rounded()) % 360)° \(points[Int((heading / 45).rounded()) % 8])"
  }
}

extension BundledRide {
  /// What happens on the ride.
  var script: RideScript {
    var script = RideScript()
    switch self {
    case .city: script.at(20, .target("office", radius: 100))
    case .motorway: Self.dragTheMap(&script)
    case .mountain:
      script.at(140, .unplug)
      script.at(144.5, .plug)
    case .tunnel: break
    }
    return script
  }

  /// A renderer whose camera lags 1.5 s behind the fix, and a rider who looks elsewhere three times.
  private static func dragTheMap(_ script: inout RideScript) {
    // Lagging reports, of unstated and of stated cause: none of them may disengage.
    for step in 0..<30 { script.at(5.4 + 2 * Double(step), .view(lag: 1.5, behind: 30, aside: 0, cause: nil)) }
    for step in 0..<10 { script.at(65.4 + Double(step), .view(lag: 1.5, behind: 45, aside: 0, cause: "follow")) }
    // A small drag stays within 100 m; a map that zooms, turns or is resized is no drag at all.
    script.at(80.5, .view(lag: 1.5, behind: 0, aside: 60, cause: "user"))
    script.at(84.5, .view(lag: 1.5, behind: 0, aside: 900, cause: "zoom"))
    script.at(85.5, .view(lag: 1.5, behind: 0, aside: -900, cause: "rotate"))
    script.at(86.5, .view(lag: 1.5, behind: 0, aside: 900, cause: "resize"))
    // Dragged 250 m away: free. More dragging changes nothing.
    script.at(100.5, .view(lag: 1.5, behind: 0, aside: 250, cause: "user"))
    script.at(101.5, .view(lag: 2.5, behind: 0, aside: 400, cause: "user"))
    script.at(102.5, .view(lag: 3.5, behind: 200, aside: 600, cause: "user"))
    // Brought back; the drag that was still under way then must not disengage again.
    script.at(130.4, .follow(true))
    script.at(130.7, .view(lag: 3.0, behind: 0, aside: 500, cause: "user"))
    for step in 0..<20 { script.at(132.4 + 2 * Double(step), .view(lag: 1.5, behind: 30, aside: 0, cause: nil)) }
    // Released and taken back by request.
    script.at(200.4, .follow(false))
    script.at(206.4, .view(lag: 1.5, behind: 0, aside: 0, cause: "user"))
    script.at(215.4, .follow(true))
    for step in 0..<20 { script.at(220.4 + 4 * Double(step), .view(lag: 1.5, behind: 30, aside: 0, cause: nil)) }
    // Over midnight the map is away again.
    script.at(297.5, .view(lag: 1.5, behind: 0, aside: -180, cause: "user"))
    script.at(330.4, .follow(true))
    for step in 0..<20 { script.at(335.4 + 4 * Double(step), .view(lag: 1.5, behind: 30, aside: 0, cause: nil)) }
  }
}

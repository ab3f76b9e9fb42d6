extension EpochContent {
  /// What sentences say about a fix.
  enum Status: Equatable {
    /// Nothing.
    case unstated
    /// There is none.
    case void
    /// It was made so.
    case valid(FixStatus)

    /// What two sentences of one epoch say together: the worse. An estimate is worse than a measurement;
    /// otherwise the first is the one that tells more.
    func worse(_ other: Status) -> Status {
      switch (self, other) {
      case (.void, _), (_, .void): .void
      case (.unstated, _): other
      case (_, .unstated): self
      case (.valid, .valid(.deadReckoning)): other
      case (.valid, .valid): self
      }
    }
  }

  /// The worst of GGA quality, GNS letters, RMC status and mode letter, GLL status and mode letter, and GSA.
  ///
  /// The navigational status of RMC and GNS never counts: V there means that none is provided. A status letter that
  /// nobody knows is none that says valid, whatever the mode letter beside it.
  var status: Status {
    let solution = ggaStatus.worse(gnsStatus).worse(rmcStatus).worse(gllStatus)
    return active?.fix == .noFix ? solution.worse(.void) : solution
  }

  private var ggaStatus: Status {
    switch gga?.quality {
    case nil: .unstated
    case .notValid: .void
    case .autonomous, .vendor: .valid(.normal)
    case .differential: .valid(.dgps)
    case .pps: .valid(.pps)
    case .rtk: .valid(.rtkFixed)
    case .floatRTK: .valid(.rtkFloat)
    case .estimated: .valid(.deadReckoning)
    case .manual: .valid(.surveyed)
    case .simulator: .valid(.simulated)
    }
  }

  /// One letter per system; a system that takes no part says N beside the others.
  private var gnsStatus: Status {
    guard let modes = gns?.modes, modes.count > 0 else { return .unstated }
    var best: PositioningMode?
    for index in 0..<min(modes.count, modes.letters.count) {
      guard let mode = PositioningMode(rawValue: modes.letters[index]) else { continue }
      if best.map({ mode.rank > $0.rank }) ?? true { best = mode }
    }
    return best.map { $0.status } ?? .unstated
  }

  private var rmcStatus: Status {
    guard let rmc else { return .unstated }
    return rmc.problems.contains(RMC.statusField) ? .void : Self.status(rmc.status, rmc.mode)
  }

  private var gllStatus: Status {
    guard let gll else { return .unstated }
    return gll.problems.contains(GLL.statusField) ? .void : Self.status(gll.status, gll.mode)
  }

  /// A status letter together with the mode letter of NMEA 2.3. V with E is u-blox's dead reckoning beyond
  /// its own limits: an estimate. A with N is no fix.
  private static func status(_ status: RMCStatus?, _ mode: PositioningMode?) -> Status {
    switch (status, mode) {
    case (_, .notValid): .void
    case (.void, .estimated): .valid(.deadReckoning)
    case (.void, _): .void
    case (.differential, nil), (.differential, .autonomous): .valid(.dgps)
    case (.valid, nil): .valid(.normal)
    case (nil, nil): .unstated
    case (_, .some(let mode)): mode.status
    }
  }
}

extension PositioningMode {
  fileprivate var status: EpochContent.Status {
    switch self {
    case .notValid: .void
    case .autonomous: .valid(.normal)
    case .differential: .valid(.dgps)
    case .estimated: .valid(.deadReckoning)
    case .floatRTK: .valid(.rtkFloat)
    case .rtk: .valid(.rtkFixed)
    case .precise: .valid(.pps)
    case .manual: .valid(.surveyed)
    case .simulator: .valid(.simulated)
    }
  }

  /// Orders the letters of one GNS sentence: the best system makes the solution.
  fileprivate var rank: Int {
    switch self {
    case .notValid: 0
    case .simulator: 1
    case .manual: 2
    case .estimated: 3
    case .autonomous: 4
    case .differential: 5
    case .precise: 6
    case .floatRTK: 7
    case .rtk: 8
    }
  }
}

/// Assembler of the satellites in view from GSV sentences, with those in use from GSA. A set counts when its last part
/// has arrived in order; otherwise it is dropped. Sets are stored per talker and signal until newer ones replace them;
/// a set that is missing while another one arrives three times is removed: a line can be lost. Memory is bounded.
package struct SkyCollector: Sendable {
  package static let satelliteBound = 120
  /// Maximum number of sets: talkers times signals.
  static let groupBound = 32

  package private(set) var droppedSets: UInt64 = 0
  private var groups: [SkyGroup] = []
  private var used: [SatelliteIdentity] = []
  private var completions: UInt64 = 0
  /// Whether a set was completed since the last `take` or `pass`.
  package private(set) var isFresh = false
  private var usedIsStale = false
  /// The sky before `last`, whose storage is reused because it is no longer referenced.
  private var spare: [Satellite] = []
  private var last: [Satellite] = []
  /// The satellites of a UBX message, and whether it arrived since the last `take` or `pass`.
  private var whole: [Satellite] = []
  private var hasWhole = false

  package init() {}

  package mutating func add(_ gsv: GSV, talker: Talker) {
    let key = SkyGroup.Key(talker: talker, signalID: gsv.signalID, systemID: gsv.systemID)
    guard var index = index(of: key) else { return }
    if let part = gsv.part, part > 1, !groups[index].expects(part, of: gsv.parts) {
      // Some receivers number the parts of all signals of a system at once.
      let series = groups.indices.first {
        groups[$0].key.talker == talker && groups[$0].key.systemID == gsv.systemID
          && groups[$0].expects(part, of: gsv.parts)
      }
      index = series ?? index
    }
    switch groups[index].add(gsv) {
    case .waiting:
      break
    case .dropped:
      droppedSets &+= 1
    case .complete:
      isFresh = true
      completions &+= 1
      let before = groups[index].completions.earlier
      groups[index].completions = (completions, groups[index].completions.newest)
      // Sets that did not arrive during a complete round of this one.
      for other in groups.indices where groups[other].completions.newest < before { groups[other].clear() }
    }
  }

  var usedCount: Int { used.count }

  package mutating func add(_ gsa: GSA, talker: Talker) {
    if usedIsStale {
      used.removeAll(keepingCapacity: true)
      usedIsStale = false
    }
    guard let satellites = gsa.satellites else { return }
    let system = GNSS(systemID: gsa.systemID, talker: talker)
    for index in 0..<satellites.count {
      let identity = SatelliteIdentity(number: Int(satellites[index]), in: system)
      if isUsed(identity) { continue }
      guard used.count < Self.satelliteBound else { return }
      used.append(identity)
    }
  }

  /// Adds the satellites of a whole NAV-SAT or NAV-SVINFO: all systems in one message, which takes the place of GSV's.
  package mutating func add(_ frame: UBXFrame) {
    whole.removeAll(keepingCapacity: true)
    let isSAT = frame.type == .navSAT
    for number in 0..<Int(frame.u1(isSAT ? 5 : 4)) {
      let at = 8 + 12 * number
      let known =
        isSAT
        ? SatelliteIdentity(ubxSystem: frame.u1(at), number: frame.u1(at + 1))
        : SatelliteIdentity(svinfo: frame.u1(at + 1))
      guard let known else { continue }
      guard whole.count < Self.satelliteBound else {
        droppedSets &+= 1
        break
      }
      var satellite = Satellite(prn: known.prn, gnss: known.gnss, svid: known.svid)
      let elevation = Double(frame.i1(at + (isSAT ? 3 : 5)))
      let azimuth = Double(frame.i2(at + (isSAT ? 4 : 6)))
      if (-90...90).contains(elevation), (0...360).contains(azimuth) {
        satellite.elevation = elevation
        satellite.azimuth = azimuth == 360 ? 0 : azimuth
      }
      let level = frame.u1(at + (isSAT ? 2 : 4))
      satellite.signal = level > 0 ? Double(level) : nil
      satellite.used = isSAT ? frame.flag(at + 8, 3) : frame.flag(at + 2, 0)
      whole.append(satellite)
    }
    hasWhole = true
    isFresh = true
  }

  /// The satellites, if a set was completed since the last `take` or `pass`. Later GSA begin a new list of used ones.
  package mutating func take() -> [Satellite]? {
    defer { pass() }
    guard isFresh else { return nil }
    guard hasWhole else { return merged() }
    let sky = whole
    (whole, spare, last) = (spare, last, sky)
    return sky
  }

  /// Continues as after `take`, without the cost of merging the sets.
  package mutating func pass() {
    usedIsStale = true
    isFresh = false
    hasWhole = false
  }

  /// Each satellite once, with the highest carrier to noise density of its signals.
  private mutating func merged() -> [Satellite] {
    var sky: [Satellite] = []
    swap(&sky, &spare)
    sky.removeAll(keepingCapacity: true)
    sky.reserveCapacity(min(groups.reduce(0) { $0 + $1.satellites.count }, Self.satelliteBound))
    for group in groups where group.completions.newest > 0 {
      let system = GNSS(systemID: group.key.systemID, talker: group.key.talker)
      for seen in group.satellites {
        guard let number = seen.number, number > 0 else { continue }
        let identity = SatelliteIdentity(number: number, in: system)
        if let index = sky.firstIndex(where: { $0.prn == identity.prn && $0.gnss == identity.gnss }) {
          sky[index].take(seen)
        } else if sky.count < Self.satelliteBound {
          var satellite = Satellite(prn: identity.prn, gnss: identity.gnss, svid: identity.svid)
          satellite.used = isUsed(identity)
          satellite.take(seen)
          sky.append(satellite)
        }
      }
    }
    spare = last
    last = sky
    return sky
  }

  /// Whether a satellite is in use. Comparing `prn` first rejects nearly all others.
  private func isUsed(_ identity: SatelliteIdentity) -> Bool {
    used.contains { $0.prn == identity.prn && $0 == identity }
  }

  private mutating func index(of key: SkyGroup.Key) -> Int? {
    if let index = groups.firstIndex(where: { $0.key == key }) { return index }
    guard groups.count < Self.groupBound else { return nil }
    groups.append(SkyGroup(key: key))
    return groups.count - 1
  }
}

extension Satellite {
  /// Adds the values of one signal's set. Some receivers send 0 for a signal that is not tracked.
  fileprivate mutating func take(_ seen: GSVSatellite) {
    elevation = elevation ?? seen.elevation
    azimuth = azimuth ?? seen.azimuth
    if let level = seen.signal, level > signal ?? 0 { signal = level }
  }
}

/// The satellites of one talker and signal: the last complete set and the incoming one.
struct SkyGroup: Sendable {
  struct Key: Hashable, Sendable {
    let talker: Talker
    let signalID: Int?
    let systemID: Int?
  }

  enum Outcome {
    case waiting
    case complete
    case dropped
  }

  static let partBound = 32

  let key: Key
  private(set) var satellites: [GSVSatellite] = []
  /// Sequence numbers of its last two completions; 0 without.
  var completions: (newest: UInt64, earlier: UInt64) = (0, 0)
  private var incoming: [GSVSatellite] = []
  private var parts = 0
  private var next = 1

  init(key: Key) { self.key = key }

  /// Adds a part. Part 1 always begins a set; later parts must follow in order and may omit the number of parts.
  mutating func add(_ gsv: GSV) -> Outcome {
    let hadBegun = next > 1
    guard let part = gsv.part else { return abandon(.dropped) }
    if part == 1 {
      _ = abandon(.dropped)
      guard let count = gsv.parts, (1...Self.partBound).contains(count) else { return .dropped }
      parts = count
    } else if !expects(part, of: gsv.parts) {
      return abandon(.dropped)
    }
    if let list = gsv.satellites {
      for index in 0..<list.count { incoming.append(list[index]) }
    }
    next = part + 1
    if part == parts {
      swap(&satellites, &incoming)
      _ = abandon(.dropped)
      return .complete
    }
    return part == 1 && hadBegun ? .dropped : .waiting
  }

  /// Whether the incoming set continues with that part.
  func expects(_ part: Int, of parts: Int?) -> Bool { part == next && parts ?? self.parts == self.parts }

  mutating func clear() {
    satellites.removeAll(keepingCapacity: true)
    completions = (0, 0)
  }

  private mutating func abandon(_ outcome: Outcome) -> Outcome {
    incoming.removeAll(keepingCapacity: true)
    next = 1
    parts = 0
    return outcome
  }
}

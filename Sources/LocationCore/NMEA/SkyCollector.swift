/// Puts GSV sentences together to the satellites in view, and marks those that GSA sentences name.
///
/// A set of parts counts once its last part has come in order; anything else drops it. Sets are kept per
/// talker and signal until newer ones replace them; one that is missing while another comes twice is
/// forgotten. Whatever arrives, memory stays bounded, and what does not fit is counted.
package struct SkyCollector: Sendable {
  /// Most satellites in one sky.
  package static let satelliteBound = 120
  /// Most sets kept: talkers times signals.
  static let groupBound = 32

  /// Sets given up because a part was missing, out of order or without a number.
  package private(set) var droppedSets: UInt64 = 0
  /// Satellites and sets that did not fit.
  package private(set) var overflowed: UInt64 = 0

  private var groups: [SkyGroup] = []
  private var used: [SatelliteIdentity] = []
  private var completions: UInt64 = 0
  /// Whether a set has become whole since the last `take` or `pass`.
  package private(set) var isFresh = false
  private var usedIsStale = false
  /// The last sky but one: nobody holds it any more when the next is made, so its room is used again.
  private var spare: [Satellite] = []
  private var last: [Satellite] = []

  package init() {}

  /// Takes a part of a set.
  package mutating func add(_ gsv: GSV, talker: Talker) {
    let key = SkyGroup.Key(talker: talker, signalID: gsv.signalID, systemID: gsv.systemID)
    guard let index = index(of: key) else { return }
    switch groups[index].add(gsv) {
    case .waiting:
      break
    case .dropped:
      droppedSets &+= 1
    case .overflowed:
      overflowed &+= 1
      droppedSets &+= 1
    case .whole:
      isFresh = true
      completions &+= 1
      let before = groups[index].completion
      groups[index].completion = completions
      if before > 0 { forgetGroups(completedBefore: before) }
    }
  }

  /// Takes the satellites in use of one system, or of all.
  package mutating func add(_ gsa: GSA, talker: Talker) {
    if usedIsStale {
      used.removeAll(keepingCapacity: true)
      usedIsStale = false
    }
    guard let satellites = gsa.satellites else { return }
    for index in 0..<satellites.count {
      let identity = SatelliteIdentity(
        number: Int(satellites.numbers[index]), systemID: gsa.systemID, talker: talker)
      if isUsed(identity) { continue }
      guard used.count < Self.satelliteBound else {
        overflowed &+= 1
        return
      }
      used.append(identity)
    }
  }

  /// The satellites, when a set has become whole since the last `take` or `pass`, else `nil`. GSA sentences that come
  /// after this call begin a new list of those in use.
  package mutating func take() -> [Satellite]? {
    defer { pass() }
    return isFresh ? merged() : nil
  }

  /// Goes on as if the satellites had been taken: to put them together for nobody is work.
  package mutating func pass() {
    usedIsStale = true
    isFresh = false
  }

  /// Every satellite once, with the best carrier to noise density of its signals.
  private mutating func merged() -> [Satellite] {
    var sky: [Satellite] = []
    swap(&sky, &spare)
    sky.removeAll(keepingCapacity: true)
    sky.reserveCapacity(min(groups.reduce(0) { $0 + $1.satellites.count }, Self.satelliteBound))
    for group in groups where group.completion > 0 {
      for seen in group.satellites {
        guard let number = seen.number, number > 0 else { continue }
        let identity = SatelliteIdentity(number: number, systemID: group.key.systemID, talker: group.key.talker)
        if let index = sky.firstIndex(where: { $0.prn == identity.prn && $0.gnss == identity.gnss }) {
          sky[index].take(seen)
        } else if sky.count < Self.satelliteBound {
          var satellite = Satellite(prn: identity.prn, gnss: identity.gnss, svid: identity.svid)
          satellite.used = isUsed(identity)
          satellite.take(seen)
          sky.append(satellite)
        } else {
          overflowed &+= 1
        }
      }
    }
    spare = last
    last = sky
    return sky
  }

  /// Whether a GSA sentence has named it. Nearly every other one differs in the first number compared.
  private func isUsed(_ identity: SatelliteIdentity) -> Bool {
    used.contains { $0.prn == identity.prn && $0 == identity }
  }

  private mutating func index(of key: SkyGroup.Key) -> Int? {
    if let index = groups.firstIndex(where: { $0.key == key }) { return index }
    guard groups.count < Self.groupBound else {
      overflowed &+= 1
      return nil
    }
    groups.append(SkyGroup(key: key))
    return groups.count - 1
  }

  /// Forgets what has not come again during a whole round of another set.
  private mutating func forgetGroups(completedBefore round: UInt64) {
    for index in groups.indices where groups[index].completion < round {
      groups[index].forget()
    }
  }
}

extension Satellite {
  /// Completes this satellite by what one signal's set says about it. No carrier is stronger than none; 0 is
  /// what some receivers write for none.
  fileprivate mutating func take(_ seen: GSVSatellite) {
    elevation = elevation ?? seen.elevation
    azimuth = azimuth ?? seen.azimuth
    if let level = seen.signal, level > signal ?? 0 { signal = level }
  }
}

/// The satellites that one talker gives for one signal: the last whole set, and the one that is coming in.
struct SkyGroup: Sendable {
  /// What tells sets apart.
  struct Key: Hashable, Sendable {
    let talker: Talker
    let signalID: Int?
    let systemID: Int?
  }

  /// What a part did.
  enum Outcome {
    case waiting
    case whole
    case dropped
    case overflowed
  }

  /// Most parts of a set.
  static let partBound = 32

  let key: Key
  /// The last whole set.
  private(set) var satellites: [GSVSatellite] = []
  /// Number of the completion that made it, 0 when there is none.
  var completion: UInt64 = 0

  private var incoming: [GSVSatellite] = []
  private var parts = 0
  private var next = 1

  init(key: Key) {
    self.key = key
  }

  /// Takes a part. Part 1 always begins a set; later ones must follow in order, and may leave the number of
  /// parts to the first.
  mutating func add(_ gsv: GSV) -> Outcome {
    let hadBegun = next > 1
    guard let part = gsv.part else { return abandon(.dropped) }
    if part == 1 {
      _ = abandon(.dropped)
      guard let count = gsv.parts, count > 0 else { return .dropped }
      guard count <= Self.partBound else { return .overflowed }
      parts = count
    } else if part != next || gsv.parts ?? parts != parts {
      return abandon(.dropped)
    }
    if let list = gsv.satellites {
      for index in 0..<list.count { incoming.append(list.elements[index]) }
    }
    next = part + 1
    if part == parts {
      swap(&satellites, &incoming)
      _ = abandon(.dropped)
      return .whole
    }
    return part == 1 && hadBegun ? .dropped : .waiting
  }

  /// Drops both sets.
  mutating func forget() {
    satellites.removeAll(keepingCapacity: true)
    completion = 0
  }

  private mutating func abandon(_ outcome: Outcome) -> Outcome {
    incoming.removeAll(keepingCapacity: true)
    next = 1
    parts = 0
    return outcome
  }
}

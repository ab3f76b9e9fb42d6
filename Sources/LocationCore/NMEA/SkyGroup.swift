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

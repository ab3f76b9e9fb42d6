import Testing

@testable import LocationCore

@Suite("Arrival at targets")
struct TargetWatchTests {
  private var ride = RideFixture()

  /// The states reported for fixes at these distances east of a target, one per second.
  private func states(_ metres: [Double], radius: Double = 100, accuracy: Double? = nil) throws -> [ArrivalState?] {
    var (watch, ride) = (TargetWatch(), ride)
    try watch.set(Target(name: "home", coordinate: here, radius: radius))
    return metres.enumerated().map { second, distance in
      let fix = ride.fix(here.moved(distance), at: at(Double(second)), accuracy: accuracy)
      return watch.published(fix, at: at(Double(second))).first?.state
    }
  }

  @Test func `Arriving begins below 100 m`() throws {
    #expect(try states([130, 110, 100.001, 99.999, 50]) == [nil, nil, nil, .arriving, nil])
    #expect(try states([20]) == [.arriving])
  }

  @Test func `Arriving ends beyond 120 m on two consecutive fixes`() throws {
    #expect(try states([50, 119, 121, 119, 121, 122, 200]) == [.arriving, nil, nil, nil, nil, .away, nil])
    #expect(try states([50, 119.9, 119.9, 119.9]) == [.arriving, nil, nil, nil])
  }

  @Test func `Arriving ends only when the error circle is clear too`() throws {
    #expect(try states([50, 150, 160, 171, 172], accuracy: 50) == [.arriving, nil, nil, nil, .away])
    #expect(try states([50, 130, 150, 169, 169.9], accuracy: 50) == [.arriving, nil, nil, nil, nil])
  }

  @Test func `An extrapolation without an error decides neither, and no way leads from it`() throws {
    var (watch, ride) = (TargetWatch(), ride)
    try watch.set(Target(name: "home", coordinate: here, radius: 20))
    func state(_ metres: Double, _ second: Double, guessed: Bool, accuracy: Double? = nil) -> ArrivalState? {
      var fix = ride.fix(here.moved(metres), at: at(second), accuracy: accuracy)
      if guessed { fix.fix.status = .deadReckoning }
      return watch.published(fix, at: at(second)).first?.state
    }
    #expect(state(-50, 0, guessed: false) == nil)
    #expect(state(0, 1, guessed: true) == nil && state(-40, 2, guessed: true) == nil)
    #expect(state(50, 3, guessed: false) == nil)
    // With an error it is a measurement.
    #expect(state(10, 4, guessed: true, accuracy: 30) == .arriving)
    #expect(state(500, 5, guessed: true) == nil && state(500, 6, guessed: true) == nil)
    #expect(state(500, 7, guessed: false) == nil && state(500, 8, guessed: false) == .away)
  }

  @Test func `Each target has its own radius`() throws {
    #expect(try states([13, 11, 9, 11.9, 12.1, 12.2], radius: 10) == [nil, nil, .arriving, nil, nil, .away])
  }

  @Test func `Passing between two fixes is an arrival`() throws {
    #expect(try states([150, -150, -300], radius: 30) == [nil, .arriving, .away])
    var (watch, ride) = (TargetWatch(), ride)
    try watch.set(Target(name: "by", coordinate: here, radius: 30))
    let (one, other) = (here.offset(north: 29.9, east: -100), here.offset(north: 29.9, east: 100))
    #expect(watch.published(ride.fix(one, at: at(0)), at: at(0)).isEmpty)
    #expect(watch.published(ride.fix(other, at: at(1)), at: at(1)).map(\.state) == [.arriving])
    try watch.set(Target(name: "by", coordinate: here, radius: 29.8))
    #expect(watch.published(ride.fix(one, at: at(2)), at: at(2)).isEmpty, "the segment passes outside")
  }

  @Test func `Fixes of two sources, over a jump or over a long loss are not joined`() throws {
    for (changes, gap) in [(FixChanges.source, 1.0), (.suspect, 1), ([], 10.1)] as [(FixChanges, Double)] {
      var (watch, ride) = (TargetWatch(), ride)
      try watch.set(Target(name: "home", coordinate: here, radius: 30))
      _ = watch.published(ride.fix(here.moved(150), at: at(0)), at: at(0))
      let next = ride.fix(here.moved(-150), at: at(gap), changes: changes)
      #expect(watch.published(next, at: at(gap)).isEmpty)
    }
  }

  @Test func `Targets are independent, replaced by name and removable`() throws {
    var (watch, ride) = (TargetWatch(), ride)
    try watch.set(Target(name: "a", coordinate: here))
    try watch.set(Target(name: "b", coordinate: here.moved(1_000)))
    try watch.set(Target(name: "a", coordinate: here.moved(1_000)))
    try watch.set(Target(name: "c", coordinate: here))
    #expect(watch.published(ride.fix(here, at: at(0)), at: at(0)).map(\.name) == ["c"])
    let removals = [watch.remove("c")?.name, watch.remove("c")?.name]
    #expect(removals == ["c", nil])
    #expect(watch.states.map(\.name) == ["a", "b"])
  }

  @Test func `A target ends with its client's connection unless it is persistent`() throws {
    var watch = TargetWatch()
    try watch.set(Target(name: "mine", coordinate: here), from: 1)
    try watch.set(Target(name: "kept", coordinate: here), isPersistent: true, from: 1)
    try watch.set(Target(name: "taken over", coordinate: here), from: 1)
    try watch.set(Target(name: "taken over", coordinate: here), from: 2)
    let ended = [watch.clientDisconnected(ClientID(1)), watch.clientDisconnected(ClientID(1))]
    #expect(ended.map { $0.map(\.name) } == [["mine"], []])
    #expect(watch.states.map(\.name) == ["kept", "taken over"])
    try watch.set(Target(name: "kept", coordinate: here), from: 2)
    let last = watch.clientDisconnected(ClientID(2))
    #expect(last.map(\.name) == ["kept", "taken over"], "the newest setting counts")
  }

  @Test func `A client sets 8 targets; replacing one needs no place`() throws {
    var watch = TargetWatch()
    for number in 0..<8 { try watch.set(named: "\(number)", isPersistent: number < 4, from: 1) }
    for isPersistent in [true, false] {
      #expect(throws: RequestRefusal.full(.targetsOfConnection)) {
        try watch.set(named: "one more", isPersistent: isPersistent, from: 1)
      }
    }
    try watch.set(named: "3", from: 1)
    try watch.set(named: "one more", from: 2)
    _ = watch.clientDisconnected(ClientID(1))
    for number in 0..<8 { try watch.set(named: "new \(number)", from: 1) }
  }

  @Test func `A program with many connections cannot keep out another client's target, nor displace it`() throws {
    var watch = TargetWatch()
    let crowd = ClientPeer.process(666, user: 1000)
    for number in 0..<8 { try watch.set(named: "rider's \(number)", from: 1) }
    for client in 100..<120 {
      for number in 0..<8 { try watch.set(named: "\(client) \(number)", from: UInt64(client), of: crowd) }
    }
    #expect(watch.states.count == 64)
    let home = try Target(name: "home", coordinate: here)
    let displaced = try watch.set(home, from: ClientID(2), of: .connection(ClientID(2)))
    #expect(displaced?.name.hasPrefix("1") == true)
    let kept = watch.states.map(\.name).filter { (name: String) -> Bool in name.hasPrefix("rider's") || name == "home" }
    #expect(kept.count == 9)
  }

  @Test func `One user's persistent targets cannot keep out another's, and displace none`() throws {
    var watch = TargetWatch()
    func fill(_ peer: (UInt64) -> ClientPeer, from first: UInt64) throws -> Int {
      var count = 0
      for client in first..<first + 100 {
        do throws(RequestRefusal) {
          try watch.set(named: "\(client)", isPersistent: true, from: client, of: peer(client))
          count += 1
        } catch {
          #expect(error == .full(.persistentTargetsOfUser) || error == .full(.persistentTargets))
        }
        _ = watch.clientDisconnected(ClientID(client))
      }
      return count
    }
    #expect(try fill({ .process(Int32($0), user: 1000) }, from: 100) == 16)
    #expect(try fill({ .host("192.0.2.\($0)") }, from: 200) == 16, "all of TCP count as one user")
    #expect(try fill({ .process(Int32($0), user: 1001) }, from: 300) == 16)
    #expect(try fill({ .process(Int32($0), user: 0) }, from: 400) == 16)
    #expect(try fill({ .process(Int32($0), user: 1002) }, from: 500) == 0)
    try watch.set(named: "of a connection", from: 1)
    #expect(watch.states.count == 65)
    _ = watch.remove("100")
    try watch.set(named: "another", isPersistent: true, from: 2, of: .process(2, user: 1000))
  }

  @Test func `Persistent targets of an earlier run keep their state and count for their user`() throws {
    var (earlier, ride) = (TargetWatch(), ride)
    let rider = ClientPeer.process(1, user: 1000)
    for number in 0..<16 { try earlier.set(named: "\(number)", isPersistent: true, from: UInt64(number), of: rider) }
    try earlier.set(named: "of TCP", isPersistent: true, from: 20, of: .host("192.0.2.1"))
    try earlier.set(named: "of the connection", from: 21)
    try earlier.set(named: "of a recording", isPersistent: true, from: 22, of: .replay)
    #expect(!earlier.published(ride.fix(here, at: at(0)), at: at(0)).isEmpty)
    let kept = earlier.persistent
    #expect(kept.count == 17 && kept.allSatisfy { $0.state == .arriving })
    #expect(kept.map(\.user) == Array(repeating: 1000, count: 16) + [nil])

    var watch = TargetWatch()
    watch.restore(kept)
    #expect(watch.persistent == kept)
    #expect(watch.published(ride.fix(here, at: at(0)), at: at(0)).isEmpty, "no second arrival")
    #expect(throws: RequestRefusal.full(.persistentTargetsOfUser)) {
      try watch.set(named: "one more", isPersistent: true, from: 1, of: .process(2, user: 1000))
    }
    try watch.set(named: "another's", isPersistent: true, from: 1, of: .process(2, user: 1001))
  }

  @Test func `A recording does not change the persistent target of a user`() throws {
    var watch = TargetWatch()
    try watch.set(named: "home", isPersistent: true, from: 1)
    _ = try watch.set(Target(name: "home", coordinate: here.moved(500)), from: ClientID(2), of: .replay)
    #expect(watch.remove("home", from: .replay) == nil)
    #expect(watch.persistent.map(\.target.coordinate) == [here])
    try watch.set(named: "recorded", isPersistent: true, from: 2, of: .replay)
    #expect(watch.remove("recorded", from: .replay)?.name == "recorded")
    #expect(watch.remove("home", from: .process(1, user: 1000))?.name == "home")
  }

  @Test(arguments: [Double.nan, 0, -5, .infinity, 10_000.1])
  func `Invalid radii and names are errors`(_ radius: Double) {
    #expect(throws: RequestRefusal.self) { try Target(name: "x", coordinate: here, radius: radius) }
    for name in ["", String(repeating: "x", count: 65)] {
      #expect(throws: RequestRefusal.invalid("the name of a target is invalid: use 1 to 64 bytes")) {
        try Target(name: name, coordinate: here)
      }
    }
  }
}

extension TargetWatch {
  /// Sets a target as a client of which nothing else is known.
  fileprivate mutating func set(_ target: Target, isPersistent: Bool = false, from client: UInt64 = 1) throws {
    let client = ClientID(client)
    _ = try set(target, isPersistent: isPersistent, from: client, of: .connection(client))
  }

  /// Sets a target of that name.
  fileprivate mutating func set(
    named name: String, isPersistent: Bool = false, from client: UInt64, of peer: ClientPeer? = nil
  ) throws(RequestRefusal) {
    let client = ClientID(client)
    _ = try set(
      Target(name: name, coordinate: here), isPersistent: isPersistent, from: client, of: peer ?? .connection(client))
  }
}

import LocationCore
import Testing

@testable import Forwarding

/// A machine on virtual time, with the queue and the broker played by the test.
struct Drive {
  var machine: ForwardMachine
  var now = MonotonicInstant.zero
  /// Numbers and messages as they were sent.
  var sent: [(number: UInt64, id: ForwardMachine.MessageID)] = []
  var acknowledged: [UInt64] = []
  var connections = 0
  var saves = 0
  var reports: [String] = []
  var announcements: [Bool] = []
  var announcementIDs: [ForwardMachine.MessageID] = []
  var outcome: ForwardMachine.Outcome?
  private var nextNumber: UInt64 = 0

  init(once: Bool = false) {
    machine = ForwardMachine(endsWhenDrained: once, at: .zero) { 1 }
  }

  mutating func handle(_ event: ForwardMachine.Event) {
    for action in machine.handle(event, at: now) {
      switch action {
      case .connect: connections += 1
      case .disconnect: break
      case .send(let fix, let id): sent.append((fix.numbers.upperBound, id))
      case .announce(let online, let id):
        announcements.append(online)
        announcementIDs.append(id)
      case .acknowledge(let fix): acknowledged.append(fix.numbers.upperBound)
      case .save: saves += 1
      case .report(let text): reports.append(text)
      case .end(let outcome): self.outcome = outcome
      }
    }
  }

  mutating func connect() {
    handle(.time)
    handle(.connected)
  }

  /// Hands over so many fixes, as far as they are wanted.
  mutating func offer(_ count: Int) {
    guard let place = Coordinate(latitude: 48, longitude: 11) else { return }
    let fix = Fix(position: place, mode: .threeD, received: .zero)
    for _ in 0..<count where machine.wantsFix {
      nextNumber += 1
      handle(.fix(QueuedFix(ride: "ride", numbers: nextNumber...nextNumber, fix: fix)))
    }
  }

  /// Advances to the machine's next deadline.
  mutating func advance() {
    now = machine.deadline ?? now
    handle(.time)
  }
}

struct ForwardMachineTests {
  @Test func `Fixes are wanted only while connected, and no more than the window`() {
    var drive = Drive()
    #expect(!drive.machine.wantsFix)
    drive.connect()
    drive.offer(1000)
    // The status is a message, too.
    #expect(drive.sent.count == ForwardMachine.window - 1)
    drive.handle(.acknowledged(drive.sent[3].id))
    #expect(drive.acknowledged == [4])
    #expect(drive.machine.wantsFix)
  }

  @Test func `What is not acknowledged is sent again in order, before anything else`() {
    var drive = Drive()
    drive.connect()
    drive.offer(5)
    for index in [0, 2] { drive.handle(.acknowledged(drive.sent[index].id)) }
    drive.handle(.disconnected(.init(reason: "lost")))
    #expect(!drive.machine.wantsFix)
    let stale = drive.sent[1].id
    drive.advance()
    drive.handle(.connected)
    drive.offer(1)
    #expect(drive.sent.map(\.number) == [1, 2, 3, 4, 5, 2, 4, 5, 6])
    drive.handle(.acknowledged(stale))
    #expect(drive.acknowledged == [1, 3])
  }

  @Test func `Fixes survive a second loss before they are sent again`() {
    var drive = Drive()
    drive.connect()
    drive.offer(2)
    drive.handle(.disconnected(.init(reason: "lost")))
    drive.advance()
    drive.handle(.disconnected(.init(reason: "refused")))
    drive.advance()
    drive.handle(.connected)
    #expect(drive.sent.map(\.number) == [1, 2, 1, 2])
    #expect(drive.reports == ["lost; trying again", "refused; trying again", "connected"])
  }

  @Test
  func `Attempts are further and further apart, up to a minute, until a fix is acknowledged or a connection lasts`()
    throws
  {
    var drive = Drive()
    var waits: [Duration] = []
    for _ in 0..<10 {
      drive.handle(.time)
      drive.handle(.disconnected(.init(reason: "refused")))
      let deadline = try #require(drive.machine.deadline)
      waits.append(deadline - drive.now)
      drive.now = deadline
    }
    #expect(waits == [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    #expect(drive.reports.count == 1)
    // A broker can take the status and refuse the fixes.
    drive.connect()
    drive.handle(.acknowledged(drive.announcementIDs[0]))
    drive.handle(.disconnected(.init(reason: "refused")))
    #expect(drive.machine.deadline == drive.now + .seconds(60))
    drive.advance()
    drive.handle(.connected)
    drive.offer(1)
    drive.handle(.acknowledged(drive.sent[0].id))
    drive.handle(.disconnected(.init(reason: "lost")))
    #expect(drive.machine.deadline == drive.now + .milliseconds(500))
    drive.advance()
    drive.handle(.connected)
    drive.handle(.acknowledged(drive.announcementIDs[2]))
    drive.now = drive.now + .seconds(60)
    drive.handle(.disconnected(.init(reason: "lost")))
    #expect(drive.machine.deadline == drive.now + .milliseconds(500))
  }

  @Test func `A slow line is kept while acknowledgements come, five minutes for one message`() {
    var drive = Drive()
    drive.connect()
    drive.handle(.acknowledged(drive.announcementIDs[0]))
    drive.offer(20)
    for message in drive.sent[1...14] {
      drive.now = drive.now + .seconds(20)
      drive.handle(.acknowledged(message.id))
    }
    drive.now = .zero + .seconds(299)
    drive.handle(.time)
    #expect(drive.acknowledged.count == 14 && drive.reports.isEmpty)
    drive.now = .zero + .seconds(300)
    drive.handle(.time)
    #expect(drive.reports == ["the broker does not answer; trying again"])
  }

  @Test func `A connection that is not answered is left after 300 s, a broker that does not acknowledge after 30 s`() {
    var drive = Drive()
    drive.handle(.time)
    drive.now = .zero + .seconds(300)
    drive.handle(.time)
    #expect(drive.reports == ["the broker does not answer; trying again"])
    drive.advance()
    drive.handle(.connected)
    drive.handle(.acknowledged(drive.announcementIDs[0]))
    drive.offer(1)
    drive.now = drive.now + .seconds(30)
    drive.handle(.time)
    drive.advance()
    drive.handle(.connected)
    #expect(drive.connections == 3)
    #expect(drive.sent.map(\.number) == [1, 1])
  }

  @Test func `The state is written a second after an acknowledgement, and again 5 s after a failure`() {
    var drive = Drive()
    drive.connect()
    drive.handle(.acknowledged(drive.announcementIDs[0]))
    drive.offer(2)
    drive.handle(.acknowledged(drive.sent[0].id))
    #expect(drive.saves == 0)
    #expect(drive.machine.deadline == .zero + .seconds(1))
    drive.handle(.acknowledged(drive.sent[1].id))
    drive.advance()
    #expect(drive.saves == 1)
    drive.handle(.saved(failure: "full"))
    drive.advance()
    #expect(drive.now == .zero + .seconds(6))
    #expect(drive.saves == 2)
    drive.handle(.saved(failure: "full"))
    drive.advance()
    drive.handle(.saved(failure: nil))
    #expect(drive.reports == ["full; until then, fixes are sent again after a restart", "the state is written again"])
    #expect(drive.machine.deadline == nil)
  }

  @Test func `Another change of the state is written within a second, also without a broker`() {
    var drive = Drive()
    drive.handle(.changed)
    #expect(drive.machine.deadline.map { $0 <= .zero + .seconds(1) } == true)
    drive.now = .zero + .milliseconds(700)
    drive.handle(.changed)
    drive.now = .zero + .seconds(1)
    drive.handle(.time)
    #expect(drive.saves == 1)
  }

  @Test func `Once: it ends when everything is acknowledged and written`() {
    var drive = Drive(once: true)
    drive.connect()
    drive.offer(2)
    drive.handle(.drained)
    drive.handle(.acknowledged(drive.announcementIDs[0]))
    drive.handle(.acknowledged(drive.sent[0].id))
    #expect(drive.outcome == nil)
    drive.handle(.acknowledged(drive.sent[1].id))
    #expect((drive.saves, drive.outcome) == (1, nil))
    drive.handle(.saved(failure: nil))
    #expect(drive.outcome == .done)
    #expect(drive.announcements == [true, false])
  }

  @Test func `Once: a state that cannot be written is an error, a refusal too, an outage is not`() {
    var drive = Drive(once: true)
    drive.connect()
    drive.offer(1)
    drive.handle(.drained)
    drive.handle(.acknowledged(drive.announcementIDs[0]))
    drive.handle(.acknowledged(drive.sent[0].id))
    drive.handle(.saved(failure: "full"))
    #expect(drive.outcome == .notSaved)

    drive = Drive(once: true)
    drive.handle(.time)
    drive.handle(.disconnected(.init(reason: "unreachable")))
    #expect(drive.outcome == nil)
    drive.advance()
    drive.handle(.disconnected(.init(reason: "bad password", isPermanent: true)))
    #expect(drive.outcome == .refused("bad password"))
  }

  @Test func `The service tries again even after a refusal`() {
    var drive = Drive()
    drive.handle(.time)
    drive.handle(.disconnected(.init(reason: "expired", isPermanent: true)))
    drive.advance()
    #expect((drive.connections, drive.outcome) == (2, nil))
  }

  @Test func `A stop writes the state and announces it`() {
    var drive = Drive()
    drive.connect()
    drive.offer(1)
    drive.handle(.acknowledged(drive.sent[0].id))
    drive.handle(.stop)
    #expect((drive.saves, drive.outcome, drive.announcements) == (1, .done, [true, false]))
    drive.handle(.connected)
    #expect(drive.sent.count == 1)
  }
}

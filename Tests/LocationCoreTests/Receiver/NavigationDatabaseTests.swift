import Testing

@testable import LocationCore

@Suite("Navigation database of a receiver")
struct NavigationDatabaseTests {
  private let database = NavigationDatabase(
    (0..<20).map { AidedReceiver.entry($0) }, of: AidedReceiver.key,
    time: UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000), boot: "b1", instant: .zero)

  /// Reads a receiver's database; returns how long it took.
  private func run(_ dump: inout DatabaseDump, _ receiver: inout AidedReceiver) -> Duration {
    let begin = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    var now = begin
    var actions = dump.start(at: now)
    for _ in 0..<2000 where !dump.isFinished {
      let written = actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
      let answers = written.isEmpty ? [] : receiver.answer(written)
      now = now + .milliseconds(20)
      if answers.isEmpty {
        guard let deadline = dump.deadline else { break }
        now = max(now, deadline)
        actions = dump.expire(at: now)
      } else {
        actions = answers.withUnsafeBytes { dump.receive($0, at: now) }
      }
    }
    #expect(dump.isFinished && dump.deadline == nil)
    for case .write(let bytes) in actions { _ = receiver.answer([bytes]) }
    return now - begin
  }

  @Test func `It is read whole, as the receiver states the number of its messages`() {
    var receiver = AidedReceiver()
    receiver.database = database.frames
    var dump = DatabaseDump(acknowledges: true, limit: .seconds(3))
    #expect(run(&dump, &receiver) < .seconds(1))
    #expect(dump.frames == database.frames && dump.problem == nil)
    for stated in [19, 21, 0, Int(UInt32.max)] {
      receiver.stated = stated
      var dump = DatabaseDump(acknowledges: true, limit: .seconds(3))
      _ = run(&dump, &receiver)
      #expect(dump.frames.isEmpty && dump.problem == "20 of \(stated) messages arrived")
    }
  }

  @Test(arguments: AidedReceiver.Trouble.allCases)
  func `A receiver that does not answer, refuses or garbles costs the limit at most`(trouble: AidedReceiver.Trouble) {
    var receiver = AidedReceiver()
    (receiver.trouble, receiver.database) = (trouble, database.frames)
    var dump = DatabaseDump(acknowledges: receiver.acknowledges, limit: .milliseconds(2800))
    #expect(run(&dump, &receiver) <= .milliseconds(2820))
    switch trouble {
    case .silent: #expect(dump.problem == "the receiver does not answer")
    case .refusesAcknowledgements: #expect(dump.problem == "the receiver refuses")
    default: #expect(dump.frames == database.frames && dump.problem == nil)
    }
  }

  @Test func `A receiver that sends for ever is left at the limit, or at the largest size`() {
    var receiver = AidedReceiver()
    var dump = DatabaseDump(acknowledges: true, limit: .seconds(20))
    var now = MonotonicInstant.zero
    var actions = dump.start(at: now)
    for number in 0..<5000 where !dump.isFinished {
      let written = actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
      // Its end is never stated.
      let isAsked = written.contains(AidingMessage.database)
      let bytes = (isAsked ? [] : receiver.answer(written)) + AidedReceiver.entry(number, size: 150)
      now = now + .milliseconds(1)
      actions = bytes.withUnsafeBytes { dump.receive($0, at: now) }
    }
    #expect(dump.problem == "it is larger than that of any receiver" && now < .zero + .seconds(2))
    // Slowly, each message within the time for one.
    dump = DatabaseDump(acknowledges: true, limit: .milliseconds(2800))
    (now, receiver) = (.zero, AidedReceiver())
    actions = dump.start(at: now)
    for number in 0..<100 where !dump.isFinished {
      let written = actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
      let isAsked = written.isEmpty || written.contains(AidingMessage.database)
      let answers = isAsked ? AidedReceiver.entry(number) : receiver.answer(written)
      now = now + .milliseconds(200)
      actions = answers.withUnsafeBytes { dump.receive($0, at: now) } + dump.expire(at: now)
    }
    #expect(dump.problem == "its end did not arrive")
    #expect(now <= .zero + .seconds(3))
  }

  @Test func `On request the receiver stores it in its flash memory, at rest, and goes on`() {
    var receiver = AidedReceiver()
    receiver.database = database.frames
    var dump = DatabaseDump(acknowledges: true, limit: .milliseconds(2800), storesInFlash: true)
    #expect(run(&dump, &receiver) < .seconds(1))
    #expect(dump.frames == database.frames && dump.isStored && receiver.isReceiving)
    #expect(receiver.backup == 2)
    // Also one that has no such memory.
    receiver.trouble = .silent
    dump = DatabaseDump(acknowledges: true, limit: .milliseconds(2800), storesInFlash: true)
    #expect(run(&dump, &receiver) <= .milliseconds(2840))
    #expect(!dump.isStored && receiver.commands.last == AidingMessage.startReception)
  }

  @Test func `Its lines are read back, and only whole`() throws {
    let lines = database.lines
    #expect(NavigationDatabase(lines: lines) == database)
    for index in lines.indices {
      var shorter = lines
      shorter.remove(at: index)
      #expect(NavigationDatabase(lines: shorter) == nil)
      for bit: UInt8 in [1, 4] {
        var damaged = lines
        var bytes = Array(lines[index].utf8)
        guard let middle = bytes.indices.randomElement() else { continue }
        bytes[middle] ^= bit
        damaged[index] = String(decoding: bytes, as: UTF8.self)
        #expect(NavigationDatabase(lines: damaged) == nil)
      }
    }
    #expect(NavigationDatabase(lines: [String]()) == nil)
  }

  @Test func `It is of use to the same receiver with the same firmware for 14 days`() {
    let day = Duration.seconds(86_400)
    #expect(database.objection(of: AidedReceiver.key, age: day * 13.9) == nil)
    #expect(database.objection(of: AidedReceiver.key, age: nil) == nil)
    #expect(database.objection(of: AidedReceiver.key, age: day * 15)?.contains("15 days old") == true)
    var other = AidedReceiver.key
    other.firmware = "NEO-M8N SPG 3.05 18.00"
    #expect(database.objection(of: other, age: .zero)?.contains("firmware was NEO-M8N SPG 3.01") == true)
    other.id = "0102030406"
    #expect(database.objection(of: other, age: .zero)?.contains("another receiver") == true)
  }
}

import Glibc
import LocationCore
import Testing

@testable import Forwarding
@testable import Recordings

struct RideQueueTests {
  @Test func `Rides are sent in order, each fix once, numbered by file and fix`() throws {
    let rides = TestRides()
    for _ in 0..<2 {
      try rides.start()
      try rides.ride(10)
      try rides.stop()
      rides.pause(5000)
    }
    let sender = try TestSender(rides)
    try sender.take()
    #expect(sender.sent.count == 20)
    #expect(sender.sent[..<10].map(\.numbers.upperBound) == (1_000_001...1_000_010).map { $0 })
    #expect(Set(sender.sent.map(\.ride)).count == 2)
    #expect(sender.sent.times == sender.sent.times.sorted())
    #expect(try sender.take().isEmpty)
    #expect(sender.queue.state.rides.values.allSatisfy { $0.completeBytes != nil })
    #expect(try TestSender(rides, state: sender.restored).take().isEmpty)
  }

  @Test(arguments: [0, 1, 7, 19, 20])
  func `Only what was acknowledged is not sent again after a restart`(count: Int) throws {
    let rides = TestRides()
    try rides.start()
    try rides.ride(20)
    try rides.stop()
    let first = try TestSender(rides)
    try first.take(count)
    try first.take(5, acknowledges: false)
    let second = try TestSender(rides, state: first.restored)
    try second.take()
    let all = try TestSender(rides).take()
    #expect(first.sent.prefix(count).map { $0 } + second.sent == all)
    #expect(all.count == 20)
  }

  @Test func `A ride is sent while it is recorded, a burst behind, and its rest at its end`() throws {
    let rides = TestRides()
    try rides.start()
    try rides.ride(3)
    let sender = try TestSender(rides)
    #expect(try sender.take().count == 2)
    for _ in 0..<5 {
      try rides.ride(4)
      #expect(try sender.take().count == 4)
    }
    try rides.stop()
    #expect(try sender.take().count == 1)
    #expect(sender.queue.state.rides.values.allSatisfy { $0.completeBytes != nil })
    #expect(sender.sent.times == (try TestSender(rides).take().times))
  }

  @Test func `A rotated and a continued ride is one ride`() throws {
    let rides = TestRides()
    try rides.start()
    try rides.ride(10)
    let sender = try TestSender(rides)
    try sender.take()
    try rides.ride(370, every: 10)
    try sender.take()
    try rides.stop()
    try sender.take()
    try rides.start()
    try rides.ride(10)
    try sender.take()
    try rides.stop()
    try sender.take()
    #expect(rides.files.filter { $0.hasSuffix(".nmea") }.count == 3)
    #expect(Set(sender.sent.keys).count == sender.sent.count)
    #expect(sender.sent.count == 390)
    #expect(sender.sent.last?.numbers.upperBound == 3_000_010)
    #expect(sender.sent == (try TestSender(rides).take()))
  }

  @Test func `Numbers of fixes that a power cut took are not used again`() throws {
    let rides = TestRides()
    try rides.start()
    try rides.ride(20)
    let sender = try TestSender(rides)
    try sender.take()
    rides.cutPower()
    let file = rides.path + "/" + rides.files[0]
    #expect(truncate(file, 1500) == 0)
    try rides.start(boot: "2e0c9a7e")
    try rides.ride(20)
    try sender.take()
    try rides.stop()
    try sender.take()
    let restarted = try TestSender(rides, state: sender.restored)
    #expect(try restarted.take().isEmpty)
    #expect(Set(sender.sent.keys).count == sender.sent.count)
    #expect(sender.sent.times == sender.sent.times.sorted())
    #expect(sender.sent.filter { $0.numbers.upperBound > 2_000_000 }.count == 20)
  }

  @Test func `A ride that is renamed by its first date is sent under its final name only`() throws {
    let rides = TestRides()
    try rides.start(hasClock: false)
    let sender = try TestSender(rides)
    try rides.ride(10, hasDate: false)
    #expect(try sender.take().isEmpty)
    try rides.ride(1)
    #expect(try sender.take().isEmpty)
    try rides.ride(9)
    try sender.take()
    try rides.stop()
    try sender.take()
    #expect(sender.sent.count == 10)
    let name = try #require(rides.files.first { $0.hasSuffix(".nmea") })
    #expect(!name.hasPrefix("boot-"))
    #expect(sender.sent.allSatisfy { $0.ride + ".nmea" == name })
    #expect(sender.queue.state.lostRides == 0)
  }

  @Test func `Live first: new fixes precede the backlog, of which nothing is forgotten`() throws {
    let rides = TestRides()
    try rides.start()
    try rides.ride(30)
    try rides.stop()
    rides.pause(5000)
    try rides.start()
    try rides.ride(20)
    let sender = try TestSender(rides, liveFirst: true)
    try sender.beginLive()
    try sender.take(5)
    try rides.ride(3)
    let live = try sender.take(3)
    #expect(live.map(\.numbers.upperBound) == [1_000_020, 1_000_021, 1_000_022])
    try sender.take(10)
    let restarted = try TestSender(rides, state: sender.restored, liveFirst: true)
    try restarted.beginLive()
    try rides.ride(2)
    #expect(try restarted.take(2).map(\.numbers.upperBound) == [1_000_023, 1_000_024])
    try restarted.take()
    try rides.stop()
    try restarted.take()
    let all = sender.sent.keys + restarted.sent.keys
    #expect(all.count == 55)
    #expect(Set(all) == Set(try TestSender(rides).take().keys))
    #expect(restarted.queue.state.rides.values.allSatisfy { $0.acknowledged.ranges.count == 1 })
  }

  @Test func `Live first: without a ride in progress the backlog is sent at once`() throws {
    let rides = TestRides()
    try rides.start()
    try rides.ride(5)
    try rides.stop()
    let sender = try TestSender(rides, liveFirst: true)
    try sender.beginLive()
    #expect(try sender.next() != nil)
  }

  @Test func `With a filter, what is left out is not read as missing after a restart`() throws {
    let rides = TestRides()
    try rides.start()
    try rides.ride(100)
    try rides.stop()
    let all = try TestSender(rides, filter: 50).take()
    #expect((10...60).contains(all.count))
    let first = try TestSender(rides, filter: 50)
    try first.take(5)
    #expect(first.queue.state.rides.values.allSatisfy { $0.acknowledged.ranges.count == 1 })
    let second = try TestSender(rides, state: first.restored, filter: 50)
    #expect(first.sent + (try second.take()) == all)
  }

  @Test func `Retention waits for the rest of a ride, up to twice the number, and the loss is reported`() throws {
    let rides = TestRides()
    for _ in 0..<3 {
      try rides.start()
      try rides.ride(5)
      try rides.stop()
      rides.pause(5000)
    }
    let oldest = rides.files[0]
    let sender = try TestSender(rides)
    try sender.take(2)
    for _ in 0..<2 {
      try sender.hold()
      try rides.start(maximumRides: 2)
      try rides.ride(5)
      try rides.stop()
      rides.pause(5000)
    }
    #expect(!rides.files.contains(oldest))
    #expect(sender.queue.isChanged)
    sender.queue.isChanged = false
    try sender.take()
    #expect(sender.queue.isChanged && sender.queue.state.lostRides == 1)
    // A late acknowledgement is not another loss.
    sender.queue.acknowledge(sender.sent[0], at: nil)
    try sender.take()
    #expect(sender.queue.state.lostRides == 1)
    #expect(sender.queue.notices.count == 1)
    #expect(Set(sender.sent.map(\.ride)).count == 5)
    rides.wait { RecordingFile.isHeld($0) }
    try rides.start(maximumRides: 2)
    try rides.stop()
    #expect(rides.files.filter { $0.hasSuffix(".nmea") }.count <= 2)
  }

  @Test func `An empty directory is a disk that is not mounted: behind it nothing is sent again`() throws {
    let rides = TestRides()
    try rides.start()
    try rides.ride(5)
    try rides.stop()
    let sender = try TestSender(rides)
    #expect(try sender.take().count == 5)
    let disk = rides.path + ".disk"
    #expect(rename(rides.path, disk) == 0 && mkdir(rides.path, 0o700) == 0)
    #expect(try sender.take().isEmpty)
    #expect(rmdir(rides.path) == 0 && rename(disk, rides.path) == 0)
    #expect(try sender.take().isEmpty)
    #expect(sender.queue.notices.isEmpty && sender.queue.state.lostRides == 0)
  }

  @Test
  func `A ride in progress whose name has no date waits for its final name, and not longer than its recorder`() throws {
    let rides = TestRides()
    try rides.start()
    try rides.ride(5)
    try rides.stop()
    let name = try #require(rides.files.first { $0.hasSuffix(".nmea") })
    let bytes = try #require(try RecordingFile.contents(of: "\(rides.path)/\(name)", limit: 1 << 20))
    #expect(unlink("\(rides.path)/\(name)") == 0)
    let sender = try TestSender(rides)
    do {
      var file = try RecordingFile(creating: "\(rides.path)/boot-1f0c9a7e-5.nmea")
      try file.append(bytes)
      #expect(try sender.take().isEmpty)
      try file.rename(to: "\(rides.path)/\(name)")
      #expect(try sender.take().count == 4)
      try file.rename(to: "\(rides.path)/boot-1f0c9a7e-5.nmea")
      #expect(try sender.take().isEmpty)
    }
    rides.wait { RecordingFile.isBeingWritten($0) }
    #expect(try sender.take().count == 5)
  }

  @Test func `A ride that cannot be read is reported once and does not stop the others`() throws {
    let rides = TestRides()
    for _ in 0..<2 {
      try rides.start()
      try rides.ride(5)
      try rides.stop()
      rides.pause(5000)
    }
    // A GPX file without times and of more than 5,000 km is an error, a file without contents is not.
    let route = #"<gpx><trk><trkseg><trkpt lat="0" lon="0"/><trkpt lat="50" lon="100"/></trkseg></trk></gpx>"#
    for (name, text) in [("20200101T000000Z", ""), ("20200102T000000Z", route)] {
      let file = open("\(rides.path)/\(name).nmea", O_WRONLY | O_CREAT, 0o600)
      #expect(write(file, text, text.utf8.count) == text.utf8.count)
      close(file)
    }
    let sender = try TestSender(rides)
    #expect(try sender.take().count == 10)
    #expect(try sender.take().isEmpty)
    #expect(sender.queue.notices.count == 1)
    #expect(sender.queue.hasUnreadableRides)
    #expect(sender.queue.state.rides["20200101T000000Z"]?.completeBytes == 0)
  }
}

import GPSDProtocol
import Glibc
import LocationClient
import LocationClientTesting
import LocationCore
import NIOCore
import Recordings
import Testing

@testable import LocationDaemon
@testable import Control

/// A fix as every user of a recording has it.
private struct UserFix: Equatable {
  var time: UTCInstant?
  let lat: Double
  let lon: Double
  let mode: Int

  init?(_ line: TPV) {
    guard line.mode >= 2, let lat = line.lat, let lon = line.lon else { return nil }
    (time, self.lat, self.lon, mode) = (line.time, lat, lon, line.mode)
  }

  init?(line: some Collection<UInt8>) {
    guard case .tpv(let line)? = try? Report(line: Array(line)[...]) else { return nil }
    self.init(line)
  }

  init(_ position: Position) {
    (time, lat, lon) = (position.time, position.coordinate.latitude, position.coordinate.longitude)
    mode = position.mode.rawValue
  }
}

@Suite("Every user of a recording has the same fixes", .timeLimit(.minutes(5)))
struct OnePlayerTests {
  /// A program or library that reads recordings.
  enum User: String, CaseIterable, CustomTestStringConvertible {
    case decode, rides, growing, library, daemon, seekForward, seekBack, loop

    var testDescription: String {
      switch self {
      case .decode: "decode prints the fixes of a ride"
      case .rides: "rides, exports and plots read a ride as it was recorded"
      case .growing: "a ride that is read while it is recorded has the same fixes"
      case .library: "LocationUpdates.recording yields the fixes of a ride"
      case .daemon: "the daemon publishes the fixes of a ride at full speed"
      case .seekForward: "the daemon publishes the fixes behind a position that is sought"
      case .seekBack: "the daemon publishes the fixes again after a seek back"
      case .loop: "the daemon publishes the fixes of the first pass of a loop in the second"
      }
    }
  }

  private static let bundled: [MatrixRecording] = ["city", "motorway", "mountain", "tunnel"].map { name in
    var recording = MatrixRecording("The bundled \(name) ride")
    let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    if var reader = FileContent("\(root)/recordings/\(name).nmea") { recording.files = [reader.bytes()] }
    return recording
  }

  @Test(arguments: bundled + MatrixRecording.odd + MatrixRecording.ubx, User.allCases)
  fileprivate func sameFixes(_ recording: MatrixRecording, user: User) async throws {
    if recording.isGPX, user == .growing { return }
    let directory = try ScratchDirectory()
    for (index, bytes) in recording.files.enumerated() { try directory.write(bytes, to: "\(index).nmea") }
    let files = recording.files.indices.map { directory / "\($0).nmea" }
    try directory.write(Array(recording.files.joined()), to: "whole.nmea")
    var expected = try Self.rides(files)
    var fixes: [UserFix]
    switch user {
    case .decode: fixes = Self.decode(recording.files)
    case .rides: fixes = try Self.rides([directory / "whole.nmea"])
    case .growing: fixes = try Self.growing(recording, in: directory)
    case .library: fixes = try await Self.library(directory / "whole.nmea")
    case .daemon: fixes = try Self.daemon(files)
    case .seekForward:
      // Behind the target, the first epoch begins one that is whole.
      fixes = try Self.daemon(files, beginning: 12)
      #expect(fixes.count <= expected.count)
      if !recording.stepsBack, let sought = expected.first?.time.map({ $0 + .seconds(14) }) {
        #expect(fixes.count >= expected.count { $0.time.map { $0 > sought } ?? false })
      }
      expected = expected.suffix(fixes.count)
    case .seekBack:
      fixes = try Self.daemon(files, isSoughtBack: true)
      expected += expected
    case .loop:
      fixes = try Self.loop(files, count: 2 * expected.count)
      expected += expected
    }
    if recording.stepsBack || user == .seekBack || user == .loop || user == .seekForward && recording.stepsBack {
      // A replay shifts these measured times.
      for index in fixes.indices { fixes[index].time = nil }
      for index in expected.indices { expected[index].time = nil }
    }
    #expect(fixes.count == expected.count)
    let different = zip(fixes, expected).first { $0 != $1 }
    #expect(different == nil)
  }

  @Test(
    "The odd recordings have fixes, but for sentences that nothing accepts",
    arguments: MatrixRecording.odd + MatrixRecording.ubx)
  fileprivate func hasFixes(_ recording: MatrixRecording) throws {
    let directory = try ScratchDirectory()
    for (index, bytes) in recording.files.enumerated() { try directory.write(bytes, to: "\(index).nmea") }
    let fixes = try Self.rides(recording.files.indices.map { directory / "\($0).nmea" })
    #expect(recording.testDescription.contains("does not accept") ? fixes.isEmpty : fixes.count >= 15)
  }

  private static func decode(_ files: [[UInt8]]) -> [UserFix] {
    var decoder = OfflineDecoder(file: "ride.nmea", result: .epochs(.everyFix))
    var input = InputDecoder()
    Array(files.joined()).withUnsafeBufferPointer { input.feed($0) }
    input.end()
    while let item = input.next() { decoder.decode(item) }
    decoder.finish()
    return decoder.output.bytes.split(separator: UInt8(ascii: "\n")).compactMap { UserFix(line: $0) }
  }

  private static func rides(_ files: [String]) throws -> [UserFix] {
    var reader = try RideReader(files: files)
    var fixes: [UserFix] = []
    while try reader.advance() { add(reader.moments, to: &fixes) }
    return fixes
  }

  private static func growing(_ recording: MatrixRecording, in directory: ScratchDirectory) throws -> [UserFix] {
    let bytes = Array(recording.files.joined())
    try directory.write(Array(bytes.prefix(bytes.count / 2)), to: "growing.nmea")
    var reader = try RideReader(files: [directory / "growing.nmea"])
    reader.mayGrow = true
    var fixes: [UserFix] = []
    while try reader.advance() { add(reader.moments, to: &fixes) }
    try directory.write(bytes, to: "growing.nmea", truncates: false)
    reader.mayGrow = false
    while try reader.advance() { add(reader.moments, to: &fixes) }
    return fixes
  }

  private static func add(_ moments: [RideMoment], to fixes: inout [UserFix]) {
    for moment in moments {
      guard case .fix(let track) = moment else { continue }
      var line = JSONLine(capacity: 512)
      TPV.body(track.fix, device: nil, into: &line)
      line.end()
      if let fix = UserFix(line: line.bytes) { fixes.append(fix) }
    }
  }

  private static func library(_ file: String) async throws -> [UserFix] {
    var fixes: [UserFix] = []
    for await update in try LocationUpdates.recording(file) {
      if case .position(let position) = update { fixes.append(UserFix(position)) }
    }
    return fixes
  }

  private static func daemon(_ files: [String], beginning: Double? = nil, isSoughtBack: Bool = false) throws
    -> [UserFix]
  {
    let options = RecordingOptions(paths: files, speed: .max, start: .watch)
    let daemon = try VirtualDaemon(sources: [SourceURI(options)])
    let source = RecordingSource(options, into: daemon.inlet())
    daemon.sources.all[0].transport = source
    source.start()
    let client = daemon.connect()
    if let beginning { try client.send(#"?PLAYBACK={"seek":\#(beginning)};"#) }
    try client.send(#"?WATCH={"enable":true,"json":true,"distanceFilter":0};"#)
    var lines: [ReceivedLine] = []
    func play() throws {
      for _ in 0..<100_000 {
        daemon.loop.advanceTime(by: .milliseconds(2))
        let new = try client.take()
        lines += new
        if new.contains(where: { $0.text.contains(#""class":"PLAYBACK""#) && $0.text.contains(#""ended":true"#) }) {
          return
        }
      }
      Issue.record("the replay does not end")
    }
    try play()
    if isSoughtBack {
      try client.send(#"?PLAYBACK={"seek":0};"#)
      try play()
    }
    source.stop()
    let fixes = lines.fixes.filter { $0.mode >= 2 }
    #expect(fixes.compactMap(\.seq) == fixes.indices.map { UInt64($0 + 1) })
    return fixes.compactMap { UserFix($0) }
  }

  private static func loop(_ files: [String], count: Int) throws -> [UserFix] {
    let setup = SourceSetup(id: 0, form: .either)
    var sources = RecordedSources(setup)
    var engine = LocationEngine(sources: [setup], at: .zero)
    var events = EngineEvents()
    var replay = try RecordingReplay(files: files, loop: true)
    var fixes: [UserFix] = []
    var newest: UTCInstant?
    while fixes.count < count, let item = try replay.next(), item.pass < 3 {
      try? engine.replay(item.input, of: &sources, into: &events)
      for entry in events.list {
        guard case .fix(let published, _, _) = entry.event else { continue }
        var line = JSONLine(capacity: 512)
        TPV.body(published.fix, device: nil, into: &line)
        line.end()
        guard let fix = UserFix(line: line.bytes) else { continue }
        if let newest, let time = fix.time { #expect(time > newest) }
        newest = fix.time ?? newest
        fixes.append(fix)
      }
      events.removeAll()
    }
    return fixes
  }
}

/// The content of a file.
private struct FileContent {
  private let descriptor: Int32

  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  mutating func bytes() -> [UInt8] {
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(descriptor, &piece, piece.count), count > 0 { bytes += piece[..<count] }
    return bytes
  }
}

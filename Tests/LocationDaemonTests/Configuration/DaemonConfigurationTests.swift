import Testing

@testable import LocationDaemon

@Suite("The daemon's configuration")
struct DaemonConfigurationTests {
  private func valid(_ change: (inout DaemonConfiguration) -> Void = { _ in }) -> DaemonConfiguration {
    var configuration = DaemonConfiguration()
    configuration.sources = [.serial(SerialOptions(path: "/dev/gps0"))]
    change(&configuration)
    return configuration
  }

  @Test("defaults are those of the design")
  func defaults() {
    let configuration = DaemonConfiguration()
    #expect(configuration.socketPath == "/run/handlebar/location.sock")
    #expect(configuration.socketMode == 0o660)
    #expect(configuration.socketGroup == nil)
    #expect(configuration.distanceFilter == 10)
    #expect(configuration.driftLimit == 100)
    #expect(configuration.maxClients == 256)
    #expect(configuration.recordDirectory == nil)
    #expect(configuration.sources == [.serial(SerialOptions(path: "/dev/gps0"))])
    #expect(configuration.logLevel == .info)
    #expect(throws: Never.self) { try valid().validate() }
  }

  @Test("the bounds are inside")
  func bounds() {
    #expect(throws: Never.self) { try valid { $0.distanceFilter = 0 }.validate() }
    #expect(throws: Never.self) { try valid { $0.driftLimit = 0.001 }.validate() }
    #expect(throws: Never.self) { try valid { $0.socketPath = String(repeating: "x", count: 107) }.validate() }
  }

  static let wrong: [(key: String, words: String, @Sendable (inout DaemonConfiguration) -> Void)] = [
    ("sources", "--source serial:/dev/gps0?speed=auto", { $0.sources = [] }),
    ("distance-filter", "0 or more", { $0.distanceFilter = -1 }),
    ("distance-filter", "0 or more", { $0.distanceFilter = .nan }),
    ("distance-filter", "0 or more", { $0.distanceFilter = .infinity }),
    ("drift-limit", "more than 0", { $0.driftLimit = 0 }),
    ("drift-limit", "more than 0", { $0.driftLimit = .nan }),
    ("socket", "1 to 107 bytes", { $0.socketPath = "" }),
    ("socket", "1 to 107 bytes", { $0.socketPath = String(repeating: "x", count: 108) }),
    ("socket", "1 to 107 bytes", { $0.socketPath = String(repeating: "é", count: 54) }),
    (
      "sources", "only source",
      { $0.sources.append(.recording(RecordingOptions(paths: ["a"], speed: .times(10)))) }
    ),
    ("sources", "only source", { $0.sources.append(.recording(RecordingOptions(paths: ["a"], speed: .max))) }),
  ]

  @Test("what cannot be is refused with its key and what would be right", arguments: wrong.indices)
  func refuses(index: Int) throws {
    let (key, words, change) = Self.wrong[index]
    let error = try #require(throws: ConfigurationError.self) { try valid(change).validate() }
    #expect(error.key == key)
    #expect(error.message.contains(words))
  }

  @Test("a recording in real time may stand beside other sources")
  func recordingBeside() {
    let recording = SourceURI.recording(RecordingOptions(paths: ["a"]))
    #expect(throws: Never.self) { try valid { $0.sources.append(recording) }.validate() }
  }

  @Test("time is virtual only for a replay at full speed")
  func virtualTime() {
    #expect(!valid().hasVirtualTime)
    for (speed, isVirtual) in [(RecordingOptions.Speed.times(1), false), (.times(1000), false), (.max, true)] {
      let recording = SourceURI.recording(RecordingOptions(paths: ["a"], speed: speed))
      #expect(valid { $0.sources = [recording] }.hasVirtualTime == isVirtual)
    }
  }
}

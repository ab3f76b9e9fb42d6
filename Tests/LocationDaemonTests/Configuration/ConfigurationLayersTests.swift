import Glibc
import Testing

@testable import LocationDaemon

@Suite("Configuration layers")
struct ConfigurationLayersTests {
  private func load(
    file: String? = nil, _ environment: [String: String] = [:], standard: String = "/nowhere/handlebard.toml",
    flags: (inout DaemonConfiguration) -> Void = { _ in }
  ) throws(ConfigurationError) -> DaemonConfiguration {
    try DaemonConfiguration(file: file, environment: environment, standard: standard, flags: flags)
  }

  @Test func `Without a file the defaults apply`() throws {
    #expect(try load() == DaemonConfiguration())
  }

  @Test func `A named file replaces the standard one, which may be absent`() throws {
    let directory = try ScratchDirectory()
    try directory.write("drift-limit = 1", to: "standard")
    try directory.write("drift-limit = 2", to: "variable")
    try directory.write("drift-limit = 3", to: "flag")
    let standard = directory / "standard"
    let variable = ["HANDLEBAR_CONFIG": directory / "variable"]
    #expect(try load(standard: standard).driftLimit == 1)
    #expect(try load(["HANDLEBAR_CONFIG": ""], standard: standard).driftLimit == 1)
    #expect(try load(variable, standard: standard).driftLimit == 2)
    #expect(try load(file: directory / "flag", variable, standard: standard).driftLimit == 3)
    #expect(throws: ConfigurationError.self) { try load(file: directory / "absent", standard: standard) }
  }

  @Test func `Each layer overrides the one below, and loading again reads the file again`() throws {
    let directory = try ScratchDirectory()
    let path = directory / "f"
    try directory.write("drift-limit = 1\ndistance-filter = 1\nmax-clients = 1", to: "f")
    let variables = ["HANDLEBAR_DISTANCE_FILTER": "2", "HANDLEBAR_MAX_CLIENTS": "2"]
    let first = try load(file: path, variables) { $0.maxClients = 3 }
    #expect((first.driftLimit, first.distanceFilter, first.maxClients) == (1, 2, 3))
    try directory.write("drift-limit = 4", to: "f")
    #expect(try load(file: path, variables) { $0.maxClients = 3 }.driftLimit == 4)
  }

  @Test func `The service manager's first state directory is the default of the key`() throws {
    let directory = try ScratchDirectory()
    try directory.write("state = \"/file\"", to: "f")
    let environment = ["STATE_DIRECTORY": "/var/lib/handlebar:/var/lib/other"]
    #expect(try load(environment).stateDirectory == "/var/lib/handlebar")
    #expect(try load(file: directory / "f", environment).stateDirectory == "/file")
    #expect(try load(environment.merging(["HANDLEBAR_STATE": ""]) { $1 }).stateDirectory == nil)
    #expect(try load(["STATE_DIRECTORY": ""]).stateDirectory == nil)
  }

  @Test func `A validation error carries the line of its key if the file causes it`() throws {
    let directory = try ScratchDirectory()
    try directory.write("\ndrift-limit = 0", to: "f")
    let own = try #require(throws: ConfigurationError.self) { try load(file: directory / "f") }
    #expect("\(own)".hasPrefix("\(directory / "f"):2: drift-limit: "))
    try directory.write("distance-filter = 1", to: "f")
    let flag = try #require(throws: ConfigurationError.self) {
      try load(file: directory / "f") { $0.distanceFilter = -1 }
    }
    #expect("\(flag)".hasPrefix("distance-filter: "))
  }

  @Test func `The installed file documents every key with its default`() throws {
    let here = #filePath.split(separator: "/").dropLast(4)
    let path = "/" + here.joined(separator: "/") + "/systemd/handlebard.toml"
    let text = try Self.text(of: path)
    #expect(try ConfigurationFile(path: path).entries.isEmpty)
    let keys = ConfigurationKey.allCases.map(\.rawValue)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      keys.contains { line.hasPrefix("#\($0) =") } ? line.dropFirst() : line
    }
    let file = try ConfigurationFile(path: path, bytes: Array(lines.joined(separator: "\n").utf8))
    #expect(file.entries.map(\.key) == keys, "every key, in their order")
    var configuration = DaemonConfiguration()
    configuration.distanceFilter = 1
    configuration.driftLimit = 1
    configuration.sources = []
    configuration.socketMode = 0
    configuration.maxClients = 1
    configuration.logLevel = .trace
    try configuration.apply(file)
    // Not configured means false, but for an address that other machines can reach.
    #expect(configuration.tcpControl == false)
    configuration.tcpControl = nil
    // Not configured it is learned: the file has an example.
    #expect(configuration.wheelCircumference == 2.1)
    configuration.wheelCircumference = nil
    #expect(configuration == DaemonConfiguration())
  }

  private static func text(of path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("open \(path)") }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}

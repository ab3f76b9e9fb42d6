// swift-tools-version: 6.2
import PackageDescription

/// The parsers' own code, compiled with coverage for libFuzzer: `Sources` links to the rooms of the main package.
let instrumented: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-sanitize=fuzzer,address"]),
]
let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]

func fuzzer(_ name: String, of target: Target.Dependency) -> Target {
  .executableTarget(
    name: name, dependencies: ["CLibFuzzer", target], swiftSettings: instrumented, linkerSettings: linked)
}

let package = Package(
  name: "handlebar",
  targets: [
    .target(name: "CLibFuzzer"),
    .target(name: "LocationCore", swiftSettings: instrumented),
    .target(name: "GPSDProtocol", dependencies: ["LocationCore"], swiftSettings: instrumented),
    .target(name: "Recordings", dependencies: ["LocationCore"], swiftSettings: instrumented),
    fuzzer("FuzzNMEA", of: "LocationCore"),
    fuzzer("FuzzEpochs", of: "LocationCore"),
    fuzzer("FuzzRequests", of: "GPSDProtocol"),
    fuzzer("FuzzRecordings", of: "Recordings"),
  ]
)

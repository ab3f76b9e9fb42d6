// swift-tools-version: 6.2
import PackageDescription

/// The core as it is built for release, for what only tells something there: `Sources` links to the rooms of the main
/// package.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// What libFuzzer runs for long, on a driver that needs no instruments.
func fuzzer(_ name: String, of targets: Target.Dependency...) -> Target {
  .executableTarget(
    name: name, dependencies: ["CLibFuzzer"] + targets,
    swiftSettings: Array(settings.dropLast()))
}

let package = Package(
  name: "handlebar",
  targets: [
    .target(name: "LocationCore", swiftSettings: settings),
    .target(name: "GPSDProtocol", dependencies: ["LocationCore"], swiftSettings: settings),
    .target(name: "Recordings", dependencies: ["LocationCore", "GPSDProtocol"], swiftSettings: settings),
    .target(name: "CGPSD"),
    .target(name: "CLibFuzzer"),
    .target(name: "CAllocations"),
    // Millions of damaged sentences.
    .executableTarget(name: "Mutations", dependencies: ["LocationCore"], swiftSettings: settings),
    // Recorded sentences whose cost callgrind counts.
    .executableTarget(
      name: "Instructions", dependencies: ["LocationCore", "GPSDProtocol", "CAllocations"], swiftSettings: settings),
    fuzzer("FuzzNMEA", of: "LocationCore"),
    fuzzer("FuzzSentence", of: "LocationCore", "GPSDProtocol"),
    fuzzer("FuzzEpochs", of: "LocationCore"),
    fuzzer("FuzzRequests", of: "GPSDProtocol"),
    fuzzer("FuzzRecording", of: "LocationCore", "Recordings"),
    fuzzer("FuzzGPSDLines", of: "LocationCore", "GPSDProtocol", "CGPSD"),
    fuzzer("FuzzReplay", of: "LocationCore", "GPSDProtocol", "Recordings"),
  ]
)

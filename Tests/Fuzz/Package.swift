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

func fuzzer(_ name: String, of targets: Target.Dependency...) -> Target {
  .executableTarget(
    name: name, dependencies: ["CLibFuzzer"] + targets, swiftSettings: instrumented, linkerSettings: linked)
}

let package = Package(
  name: "handlebar",
  targets: [
    .target(name: "CLibFuzzer"),
    .target(name: "LocationCore", swiftSettings: instrumented),
    .target(name: "GPSDProtocol", dependencies: ["LocationCore"], swiftSettings: instrumented),
    .target(name: "Recordings", dependencies: ["LocationCore", "GPSDProtocol"], swiftSettings: instrumented),
    .target(name: "CGPSD", cSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]),
    fuzzer("FuzzNMEA", of: "LocationCore"),
    fuzzer("FuzzSentence", of: "LocationCore", "GPSDProtocol"),
    fuzzer("FuzzEpochs", of: "LocationCore"),
    fuzzer("FuzzRequests", of: "GPSDProtocol"),
    fuzzer("FuzzRecording", of: "LocationCore", "Recordings"),
    // The file that decodes a gpsd's lines is a link in this target's folder.
    fuzzer("FuzzGPSDLines", of: "LocationCore", "GPSDProtocol", "CGPSD"),
    fuzzer("FuzzReplay", of: "LocationCore", "GPSDProtocol", "Recordings"),
  ]
)

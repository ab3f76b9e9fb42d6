// swift-tools-version: 6.2
import PackageDescription

/// The benchmark drives the built daemon from outside; only the parser is measured in this process, and `Sources`
/// links to its room of the main package for it.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "handlebar",
  targets: [
    .target(name: "CBench", cSettings: [.unsafeFlags(["-O2"])]),
    .target(name: "CAllocations"),
    .target(name: "LocationCore", swiftSettings: settings),
    .executableTarget(
      name: "Bench", dependencies: ["CBench", "CAllocations", "LocationCore"], swiftSettings: settings),
  ]
)

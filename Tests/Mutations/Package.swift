// swift-tools-version: 6.2
import PackageDescription

/// Millions of damaged sentences for the parser as it is built for release: `Sources` links to its room of the main package.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "handlebar",
  targets: [
    .target(name: "LocationCore", swiftSettings: settings),
    .executableTarget(name: "Mutations", dependencies: ["LocationCore"], swiftSettings: settings),
  ]
)

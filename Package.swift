// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target: Swift 6 mode, upcoming features on, warnings are errors.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
]
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let toml: Target.Dependency = .product(name: "TOMLKit", package: "TOMLKit")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "handlebar",
  products: [
    .library(name: "LocationClient", targets: ["LocationClient"]),
    .executable(name: "handlebard", targets: ["handlebard"]),
    .executable(name: "handlebarctl", targets: ["handlebarctl"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
  ],
  targets: [
    .target(name: "LocationCore", swiftSettings: strict),
    .target(name: "GPSDProtocol", dependencies: ["LocationCore"], swiftSettings: strict),
    .target(name: "Recordings", dependencies: ["LocationCore"], swiftSettings: strict),
    // libgps is loaded when a gpsd source is first used; only its header is needed here, and that only if it is there.
    .target(name: "CGPSD"),
    .target(
      name: "LocationDaemon",
      dependencies: ["LocationCore", "GPSDProtocol", "Recordings", "CGPSD", logging, deque, toml] + nio,
      swiftSettings: strict),
    .executableTarget(
      name: "handlebard", dependencies: ["LocationDaemon", argumentParser, logging], swiftSettings: strict),
    .target(
      name: "LocationClient", dependencies: ["LocationCore", "GPSDProtocol"] + nio, swiftSettings: strict),
    .executableTarget(
      name: "handlebarctl",
      dependencies: ["LocationClient", "LocationCore", "GPSDProtocol", "Recordings", argumentParser, subprocess, system],
      swiftSettings: strict),
    .testTarget(
      name: "LocationCoreTests", dependencies: ["LocationCore"], resources: [.copy("Vectors")], swiftSettings: strict),
    .testTarget(name: "GPSDProtocolTests", dependencies: ["GPSDProtocol"], swiftSettings: strict),
    .testTarget(name: "CGPSDTests", dependencies: ["CGPSD"], swiftSettings: strict),
    .testTarget(name: "RecordingsTests", dependencies: ["Recordings"], swiftSettings: strict),
    .target(
      name: "TestDaemon", dependencies: ["LocationClient", "GPSDProtocol"] + nio, path: "Tests/TestDaemon",
      swiftSettings: strict),
    .testTarget(
      name: "LocationClientTests", dependencies: ["LocationClient", "TestDaemon"] + nio, swiftSettings: strict),
    .testTarget(
      name: "handlebarctlTests", dependencies: ["handlebarctl", "TestDaemon"] + nio, swiftSettings: strict),
    .testTarget(
      name: "LocationDaemonTests",
      dependencies: [
        "LocationDaemon", "LocationClient", "GPSDProtocol", "LocationCore", "Recordings", logging,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ] + nio,
      swiftSettings: strict),
  ]
)

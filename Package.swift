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

// Packages of the programs alone: a user of LocationClient who leaves out the trait (`traits: []`) fetches none of them.
let programsOnly: TargetDependencyCondition? = .when(traits: ["Programs"])
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections", condition: programsOnly)
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log", condition: programsOnly)
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess", condition: programsOnly)
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system", condition: programsOnly)
let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: programsOnly)

// LocationClient and LocationClientTesting depend on no platform but by the target Libc. Everything else is for Linux only.
let package = Package(
  name: "handlebar",
  // `InlineArray` and `Array.span` need these.
  platforms: [.macOS(.v26), .iOS(.v26)],
  products: [
    .library(name: "LocationClient", targets: ["LocationClient"]),
    .library(name: "LocationClientTesting", targets: ["LocationClientTesting"]),
    .executable(name: "handlebard", targets: ["handlebard"]),
    .executable(name: "handlebarctl", targets: ["handlebarctl"]),
  ],
  traits: [
    .default(enabledTraits: ["Programs", "Foundation"]),
    .trait(name: "Programs", description: "Build handlebard and handlebarctl, with the packages that only they need."),
    .trait(name: "Foundation", description: "Convert between UTCInstant and Date, which links FoundationEssentials."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    .target(name: "Libc", swiftSettings: strict),
    .target(name: "LocationCore", dependencies: ["Libc"], swiftSettings: strict),
    .target(name: "GPSDProtocol", dependencies: ["LocationCore"], swiftSettings: strict),
    .target(name: "Recordings", dependencies: ["Libc", "LocationCore", "GPSDProtocol"], swiftSettings: strict),
    .target(
      name: "RideTools", dependencies: ["LocationCore", "GPSDProtocol", "Recordings"], swiftSettings: strict),
    // libgps is loaded when a gpsd source is first used; only its header is needed here, and that only if it is there.
    .target(name: "CGPSD"),
    .target(name: "CGPIO"),
    .target(
      name: "LocationDaemon",
      dependencies: [
        "Libc", "LocationCore", "GPSDProtocol", "Recordings", "RideTools", "CGPSD", "CGPIO", logging, deque, system,
      ] + nio,
      swiftSettings: strict),
    .executableTarget(
      name: "handlebard", dependencies: ["Libc", "LocationDaemon", argumentParser, logging], swiftSettings: strict),
    .target(
      name: "LocationClient", dependencies: ["Libc", "LocationCore", "GPSDProtocol"] + nio, swiftSettings: strict),
    .target(
      name: "LocationClientTesting",
      dependencies: ["Libc", "LocationClient", "LocationCore", "GPSDProtocol", "Recordings"] + nio,
      swiftSettings: strict),
    // The files of the page are embedded by the C compiler.
    .target(name: "MapPage", exclude: ["Page"]),
    .target(
      name: "MapServer",
      dependencies: [
        "MapPage", "Libc", "LocationClient", "LocationCore", "GPSDProtocol", "Recordings", "RideTools",
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ] + nio,
      swiftSettings: strict),
    // libmosquitto is loaded when rides are forwarded.
    .target(name: "Forwarding", dependencies: ["LocationCore", "GPSDProtocol", "Recordings"], swiftSettings: strict),
    // Apart from its program, which is linked with the static runtime: the tests can't be.
    .target(
      name: "Control",
      dependencies: [
        "Libc", "LocationClient", "LocationCore", "GPSDProtocol", "Recordings", "RideTools", "MapServer", "Forwarding",
        argumentParser, subprocess, system,
      ],
      swiftSettings: strict),
    .executableTarget(name: "handlebarctl", dependencies: ["Control"], swiftSettings: strict),
    // Rides with a known truth, for tests and the programs that measure.
    .target(
      name: "TestRides", dependencies: ["Libc", "LocationCore"], path: "Tests/TestRides", swiftSettings: strict),
    .testTarget(
      name: "LocationCoreTests", dependencies: ["LocationCore", "TestRides"], resources: [.copy("Vectors")],
      swiftSettings: strict),
    .testTarget(name: "GPSDProtocolTests", dependencies: ["GPSDProtocol", "LocationCore"], swiftSettings: strict),
    .testTarget(name: "CGPSDTests", dependencies: ["CGPSD"], swiftSettings: strict),
    .testTarget(
      name: "RecordingsTests", dependencies: ["Recordings", "RideTools", "GPSDProtocol", "LocationCore"],
      swiftSettings: strict),
    .testTarget(
      name: "RideToolsTests", dependencies: ["RideTools", "Recordings", "GPSDProtocol", "LocationCore"],
      swiftSettings: strict),
    .testTarget(
      name: "LocationClientTests",
      dependencies: ["LocationClient", "LocationClientTesting", "LocationCore", "GPSDProtocol", "Recordings"] + nio,
      swiftSettings: strict),
    .testTarget(
      name: "MapServerTests",
      dependencies: ["MapServer", "GPSDProtocol", "LocationCore", .product(name: "NIOHTTP1", package: "swift-nio")],
      swiftSettings: strict),
    .testTarget(
      name: "ForwardingTests", dependencies: ["Forwarding", "Recordings", "GPSDProtocol", "LocationCore"],
      swiftSettings: strict),
    .testTarget(
      name: "ControlTests", dependencies: ["Control", "LocationClientTesting", "RideTools"] + nio,
      swiftSettings: strict),
    .testTarget(
      name: "LocationDaemonTests",
      dependencies: [
        "Libc", "CGPIO", "LocationDaemon", "LocationClient", "LocationClientTesting", "Control", "GPSDProtocol",
        "LocationCore", "Recordings", "RideTools", "TestRides", logging, system,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ] + nio,
      swiftSettings: strict),
  ]
)

// What the scripts build:
//   programs   handlebard and handlebarctl alone, planned and built together (make build)
//   tests      the tests and the fuzzer, around the objects of the programs (make build-tests)
//   core       the programs that measure the pure targets, around the same objects and without dependencies (make core)
//   libfuzzer  the fuzzer, instrumented for libFuzzer (Tests/Fuzz/run)
if let what = Context.environment["HANDLEBAR_BUILD"] {
  let pure = ["Libc", "LocationCore", "GPSDProtocol", "Recordings", "RideTools", "TestRides"]
  if what == "programs" {
    package.products.removeAll { $0.name.hasPrefix("LocationClient") }
    package.targets.removeAll { $0.type == .test || ["LocationClientTesting", "TestRides"].contains($0.name) }
  } else if what == "core" {
    package.products = []
    package.dependencies = []
    package.targets.removeAll { !pure.contains($0.name) }
    package.targets += [
      .target(name: "CBench", path: "Tests/Bench/CBench"),
      .target(name: "CAllocations", path: "Tests/Bench/CAllocations"),
      .executableTarget(
        name: "Bench", dependencies: ["CBench", "CAllocations", "LocationCore"], path: "Tests/Bench/Bench",
        swiftSettings: strict),
      .executableTarget(
        name: "Instructions", dependencies: ["CAllocations", "LocationCore", "GPSDProtocol", "RideTools"],
        path: "Tests/Bench/Instructions", swiftSettings: strict),
      .executableTarget(
        name: "Motion",
        dependencies: ["CAllocations", "LocationCore", "GPSDProtocol", "Recordings", "RideTools", "TestRides"],
        path: "Tests/Bench/Motion", swiftSettings: strict),
      .executableTarget(
        name: "Courses", dependencies: ["CAllocations", "LocationCore", "RideTools", "TestRides"],
        path: "Tests/Bench/Courses", swiftSettings: strict),
      .executableTarget(
        name: "Mutations", dependencies: ["LocationCore"], path: "Tests/Fuzz/Mutations", swiftSettings: strict),
    ]
  } else {
    package.targets += [
      .target(
        name: "CLibFuzzer", path: "Tests/Fuzz/CLibFuzzer",
        cSettings: what == "libfuzzer" ? [.define("LIBFUZZER")] : []),
      .executableTarget(
        name: "Fuzz", dependencies: ["CLibFuzzer", "LocationCore", "GPSDProtocol", "Recordings", "LocationDaemon"],
        path: "Tests/Fuzz/Fuzz", swiftSettings: strict),
    ]
  }
  for target in package.targets where what != "libfuzzer" {
    switch target.type {
    // Tests are compiled once for each run, and nothing waits for their interface.
    case .test: target.swiftSettings = strict + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])]
    // The static runtime has no Testing, so only programs are linked with it, and not by --static-swift-stdlib: with that
    // option objects name its parts of FoundationEssentials, without it the linker must.
    case .executable:
      target.linkerSettings = [.unsafeFlags(["-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections"])]
    default: target.swiftSettings = target.swiftSettings.map { $0 + [.unsafeFlags(["-enable-testing"])] }
    }
  }
  if what == "libfuzzer" {
    for target in package.targets {
      switch target.name {
      case "Fuzz":
        target.swiftSettings = strict + [.unsafeFlags(["-sanitize=fuzzer,address"])]
        target.linkerSettings = [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]
      case "LocationDaemon":
        target.swiftSettings = strict + [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])]
      case "CGPSD":
        target.cSettings = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]
      case let name where pure.contains(name):
        target.swiftSettings = strict + [.unsafeFlags(["-sanitize=fuzzer,address"])]
      default: break
      }
    }
  }
}

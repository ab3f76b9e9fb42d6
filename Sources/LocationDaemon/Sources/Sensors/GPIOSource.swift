import CGPIO
import Libc
import LocationCore
import SystemPackage

/// A wheel's contact between a line of a GPIO chip and ground: `gpio:gpiochip0/17`.
struct GPIOOptions: Hashable, Sendable {
  /// Its name in `/dev`, or a path.
  var chip: String
  var line: UInt32
}

extension GPIOOptions: SourceKind {
  var scheme: String { "gpio" }
  var device: String { "gpio:\(chip)/\(line)" }
  var isSensor: Bool { true }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    let path = query.path
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex,
      let line = UInt32(path[path.index(after: slash)...])
    else { throw query.error("write chip and number of the line, for example gpio:gpiochip0/17") }
    self.init(chip: String(path[..<slash]), line: line)
  }

  func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    PolledSensor(into: inlet, read: GPIOLine(self).reading)
  }

  func open() throws(SourceError) -> FileDescriptor {
    let path = chip.hasPrefix("/") ? chip : "/dev/\(chip)"
    let result = cgpio_open(path, line)
    guard result < 0 else { return FileDescriptor(rawValue: result) }
    throw sourceError(for: Errno(rawValue: -result), path: path)
  }

  func sourceError(for error: Errno, path: String) -> SourceError {
    switch error {
    case .permissionDenied:
      .denied(device: device, group: SerialDiagnosis.groupName(of: path), user: nil, for: .permission)
    // By the device rules of the service, not by the mode.
    case .notPermitted: .denied(device: device, group: nil, user: nil, for: .other)
    case .noSuchFileOrDirectory:
      .notFound(
        device: device,
        present: Directory.names(in: "/dev").filter { $0.hasPrefix("gpiochip") }.sorted().map { "gpio:\($0)/\(line)" })
    case .resourceBusy: .busy(device: device, holder: "a driver or another program")
    case .inappropriateIOCTLForDevice: .misconfigured(source: device, reason: "\(path) is not a GPIO chip")
    case .invalidArgument: .misconfigured(source: device, reason: "\(path) has no line \(line) with edges")
    default: .unavailable(source: device, reason: "\(error)")
    }
  }
}

struct EdgeCounter {
  /// An edge sooner after another one is the contact's bouncing, nanoseconds: a wheel turns 60 times a second at most.
  private static let bounce: UInt64 = 10_000_000

  private(set) var count: UInt32 = 0
  /// Nanoseconds of the kernel's clock at the last one.
  private(set) var time: UInt64 = 0
  /// Of the newest edge; `nil` before the first of the line.
  var number: UInt32?

  /// Takes an edge. Those lost before it, for want of room, are counted: no more than a wheel turns in that time.
  mutating func take(_ edge: cgpio_edge) {
    let edges = number.map { edge.number &- $0 } ?? 1
    number = edge.number
    guard edge.time >= time &+ Self.bounce else { return }
    count &+= UInt32(min(UInt64(edges), (edge.time - time) / Self.bounce))
    time = edge.time
  }

  var reading: SensorRequest? {
    guard number != nil else { return nil }
    var reading = SensorRequest(kind: .wheel, count: UInt64(count), time: Double(time / 1000))
    reading.ticksPerSecond = 1_000_000
    return reading
  }
}

/// The edges of a line, which is opened again when it is gone. One thread reads it.
final class GPIOLine: @unchecked Sendable {
  private let options: GPIOOptions
  private var line: FileDescriptor?
  private var counter = EdgeCounter()

  init(_ options: GPIOOptions) { self.options = options }
  deinit { try? line?.close() }

  func reading() throws(SourceError) -> SensorRequest? {
    if line == nil { line = try options.open() }
    guard let line else { return nil }
    var edge = cgpio_edge()
    // The kernel keeps no more.
    for _ in 0..<CGPIO_EDGES {
      let result = cgpio_next(line.rawValue, &edge)
      if result < 0 {
        try? line.close()
        self.line = nil
        // The edges of a line that is opened again are numbered from 1.
        counter.number = nil
        throw .unavailable(source: options.device, reason: "the line is gone")
      }
      if result == 0 { break }
      counter.take(edge)
    }
    return counter.reading
  }
}

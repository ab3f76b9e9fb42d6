import CGPIO
import Libc
import LocationCore
import NIOCore
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
    GPIOSource(self, into: SensorInlet(inlet))
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
  private var number: UInt32?

  /// Takes an edge. Those lost before it, for want of room, are counted: no more than a wheel turns in that time.
  mutating func take(_ edge: cgpio_edge) {
    let edges = number.map { edge.number &- $0 } ?? 1
    number = edge.number
    guard edge.time >= time &+ Self.bounce else { return }
    count &+= UInt32(min(UInt64(edges), (edge.time - time) / Self.bounce))
    time = edge.time
  }

  /// The line was opened again: its edges are numbered anew.
  mutating func reopen() { number = nil }

  var reading: SensorRequest {
    var reading = SensorRequest(kind: .wheel, count: UInt64(count), time: Double(time / 1000))
    reading.ticksPerSecond = 1_000_000
    return reading
  }
}

/// Reads the edges of a line, and looks for one that is gone. There is a reading for each turn, up to 16 a second.
final class GPIOSource: ReceiverSource {
  private static let pause = Duration.milliseconds(60)
  private static let retry = Duration.seconds(2)

  private let options: GPIOOptions
  private let inlet: SensorInlet
  private var counter = EdgeCounter()
  private var sent: (count: UInt32, at: MonotonicInstant)?
  private var channel: (any Channel)?
  private var timer: Scheduled<Void>?
  private var isStopped = false

  init(_ options: GPIOOptions, into inlet: SensorInlet) {
    (self.options, self.inlet) = (options, inlet)
  }

  func start() {
    guard !isStopped else { return }
    let line: FileDescriptor
    do throws(SourceError) {
      line = try options.open()
    } catch {
      return fail(error)
    }
    counter.reopen()
    inlet.settle(.acquiring)
    let gone = SourceError.unavailable(source: options.device, reason: "the line is gone")
    ByteHandler(onRead: { [weak self] in self?.didRead($0) }, onEnd: { [weak self] in self?.fail(gone) })
      .read(line, on: inlet.eventLoop).whenComplete { [weak self] result in
        switch result {
        case .success(let channel):
          self?.channel = channel
          if self?.isStopped != false { channel.close(promise: nil) }
        case .failure: self?.fail(gone)
        }
      }
  }

  func stop() {
    isStopped = true
    timer?.cancel()
    channel?.close(promise: nil)
    inlet.close()
  }

  func didRead(_ bytes: ByteBuffer) {
    var bytes = bytes
    while let event = bytes.readSlice(length: Int(CGPIO_EVENT_SIZE)) {
      event.withUnsafeReadableBytes { if let start = $0.baseAddress { counter.take(cgpio_edge_of(start)) } }
    }
    report()
  }

  private func report() {
    guard counter.count != sent?.count else { return }
    let now = inlet.now
    if let sent, now - sent.at < Self.pause {
      if timer == nil { schedule(in: Self.pause) { $0.report() } }
      return
    }
    sent = (counter.count, now)
    inlet.send(counter.reading)
  }

  private func schedule(in wait: Duration, _ body: @escaping (GPIOSource) -> Void) {
    timer?.cancel()
    timer = inlet.eventLoop.schedule(in: wait) { [weak self] in
      guard let self, !self.isStopped else { return }
      self.timer = nil
      body(self)
    }
  }

  private func fail(_ error: SourceError) {
    guard !isStopped else { return }
    channel = nil
    inlet.fail(error)
    schedule(in: Self.retry) { $0.start() }
  }
}

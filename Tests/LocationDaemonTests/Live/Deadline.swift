import Glibc

/// A deadline for a condition of a test.
struct Deadline {
  /// A condition that was not met in time.
  struct Late: Error, CustomStringConvertible {
    let description: String
  }

  /// The default timeout, for a debug build on a busy machine; required latencies are measured separately.
  static let timeout = Duration.seconds(20)

  private let end: ContinuousClock.Instant

  init(in duration: Duration = timeout) {
    end = .now + duration
  }

  var isOver: Bool { ContinuousClock.now >= end }

  /// Milliseconds left, for poll(2).
  var milliseconds: Int32 {
    let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
    return left <= 0 ? 0 : Int32(min(left, 1e6)) + 1
  }

  /// Waits until a descriptor is ready; returns `false` after the deadline.
  func wait(for descriptor: Int32, _ events: Int32) -> Bool {
    repeat {
      var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
      if poll(&entry, 1, milliseconds) > 0 { return true }
    } while !isOver
    return false
  }
}

/// Polls a condition and returns its first value.
func until<Value>(
  _ what: String, within duration: Duration = Deadline.timeout, _ condition: () throws -> Value?
) throws -> Value {
  let deadline = Deadline(in: duration)
  while true {
    if let value = try condition() { return value }
    if deadline.isOver { throw Deadline.Late(description: "\(what): not within \(duration)") }
    usleep(2000)
  }
}

/// Elapsed time without the time for which this thread or the daemon waited for a processor, so that a busy machine
/// does not affect measurements.
struct Stopwatch {
  private let begin = ContinuousClock.now
  private let tasks: [String]
  private let before: Duration

  /// Starts a stopwatch for `daemon`.
  init(_ daemon: DaemonUnderTest) {
    tasks = ["/proc/thread-self/schedstat", "/proc/\(daemon.pid)/schedstat"]
    before = Self.withheld(from: tasks)
  }

  var elapsed: Duration { begin.duration(to: .now) - (Self.withheld(from: tasks) - before) }

  /// Time for which the tasks waited for a processor; zero if the kernel does not count it.
  private static func withheld(from tasks: [String]) -> Duration {
    var sum = Duration.zero
    for path in tasks {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var text = [UInt8](repeating: 0, count: 128)
      let count = read(descriptor, &text, text.count)
      let fields = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).split(separator: " ")
      sum += .nanoseconds(fields.count > 1 ? Int64(fields[1]) ?? 0 : 0)
    }
    return sum
  }
}

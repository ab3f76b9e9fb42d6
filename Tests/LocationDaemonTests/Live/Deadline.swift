import Glibc

/// By when something must have happened.
struct Deadline {
  /// What did not happen in time.
  struct Late: Error, CustomStringConvertible {
    let description: String
  }

  /// A build for debugging on a busy machine: what must be quick is measured by itself, all else may take this.
  static let patience = Duration.seconds(20)

  private let end: ContinuousClock.Instant

  init(in duration: Duration = patience) {
    end = .now + duration
  }

  var isOver: Bool { ContinuousClock.now >= end }

  /// Milliseconds that are left, for poll(2).
  var milliseconds: Int32 {
    let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
    return left <= 0 ? 0 : Int32(min(left, 1e6)) + 1
  }

  /// Waits until a descriptor is ready; `false` when the time is over before.
  func wait(for descriptor: Int32, _ events: Int32) -> Bool {
    repeat {
      var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
      if poll(&entry, 1, milliseconds) > 0 { return true }
    } while !isOver
    return false
  }
}

/// Waits for a condition that no descriptor tells of; returns its first value.
func until<Value>(
  _ what: String, within duration: Duration = Deadline.patience, _ condition: () throws -> Value?
) throws -> Value {
  let deadline = Deadline(in: duration)
  while true {
    if let value = try condition() { return value }
    if deadline.isOver { throw Deadline.Late(description: "\(what): not within \(duration)") }
    usleep(2000)
  }
}

/// Time since its start, less that for which this thread or a process was ready to run and others ran: what must be
/// quick is not measured by how busy the machine is.
struct Stopwatch {
  private let begin = ContinuousClock.now
  private let tasks: [String]
  private let before: Duration

  /// A stopwatch for what `daemon` does.
  init(_ daemon: DaemonUnderTest) {
    tasks = ["/proc/thread-self/schedstat", "/proc/\(daemon.pid)/schedstat"]
    before = Self.withheld(from: tasks)
  }

  var elapsed: Duration { begin.duration(to: .now) - (Self.withheld(from: tasks) - before) }

  /// How long they have waited for a processor; nothing where the kernel does not count it.
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

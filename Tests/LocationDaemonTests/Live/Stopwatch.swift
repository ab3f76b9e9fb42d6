import Glibc

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

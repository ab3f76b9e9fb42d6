import Glibc

@testable import LocationDaemon

/// A configuration file of arbitrary bytes: an error is one short line that names a line of the file, and neither a valid
/// nor an invalid file takes long.
enum ConfigurationTarget {
  /// What an instrumented build needs for the slowest files; time beyond it grows faster than the file.
  private static func limit(_ count: Int) -> Int { 10_000 + count }

  static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
    let bytes = Array(input)
    // Another process can delay one attempt.
    for attempt in 1... {
      let begin = microseconds()
      load(bytes)
      if microseconds() - begin <= limit(bytes.count) { break }
      precondition(attempt < 3, "a configuration takes too long")
    }
    return 0
  }

  private static func load(_ bytes: [UInt8]) {
    do throws(ConfigurationError) {
      var configuration = DaemonConfiguration()
      try configuration.apply(try ConfigurationFile(path: "f", bytes: bytes))
      try configuration.validate()
      for path in [configuration.socketPath, configuration.nmeaSocketPath, configuration.recordDirectory] {
        precondition(path?.utf8.contains(0) != true)
      }
    } catch {
      let text = "\(error)"
      precondition(
        text.utf8.count < 6000 && !text.unicodeScalars.contains { $0.properties.generalCategory == .control })
      guard let place = error.place else { return }
      let lines = 1 + bytes.count { $0 == UInt8(ascii: "\n") }
      precondition(Int(place.dropFirst(2)).map { 1...lines ~= $0 } ?? false, "the error names no line of the file")
    }
  }

  /// CPU time of this thread.
  private static func microseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
}

import GPSDProtocol

/// A source of receiver data: a serial line, a gpsd, the network, a recording. All calls come from one event loop.
package protocol ReceiverSource: AnyObject {
  /// Starts to read; errors are reported to the inlet and retried until `stop()`.
  func start()
  func stop()
  /// Stores the navigation database of the receiver, which takes some seconds at most, then stops and calls back.
  func retire(then done: @escaping () -> Void)
  var link: LinkCounters { get }
}

extension ReceiverSource {
  package var link: LinkCounters { LinkCounters() }
  package func retire(then done: @escaping () -> Void) {
    stop()
    done()
  }
}

package struct PlaybackRefusal: Error, Hashable, CustomStringConvertible {
  /// One line: the cause and the remedy.
  package let description: String

  static let noRecording = PlaybackRefusal(description: "no source is a recording; configure one: recording:FILE")
  static let sharedTime = PlaybackRefusal(
    description:
      "a recording beside other sources or sensors cannot be paused or change its speed; make it the only source"
  )
  static let endless = PlaybackRefusal(description: "a loop at full speed would never end; use a speed up to 1000")
  static let stopped = PlaybackRefusal(description: "the daemon is stopping")
}

package struct LinkCounters: Hashable, Sendable {
  package var connections: UInt64 = 0
  package var reports: UInt64 = 0
  package var malformed: UInt64 = 0
  package var overlong: UInt64 = 0
  package var unknown: UInt64 = 0
  /// Members of reports skipped because they are unexpected objects.
  package var nested: UInt64 = 0
  package var errors: UInt64 = 0
}

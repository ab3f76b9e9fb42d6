import LocationCore
import Logging
import NIOCore

/// The way of one source into the engine: its number, and doors for bytes, reports and conditions of its link.
package final class SourceInlet {
  let source: ConfiguredSource
  private var id: SourceID { source.id }
  let loop: EngineLoop
  var eventLoop: any EventLoop { loop.eventLoop }
  var log: Logger { loop.log }
  private var byteCount: UInt64 = 0
  /// What the source sends instead of messages, and their number when it was opened; `nil` once it has sent one.
  private var search: (binary: BinarySearch, messages: UInt64)?

  package init(_ source: ConfiguredSource, into loop: EngineLoop) {
    self.source = source
    self.loop = loop
  }

  package func receive(_ bytes: ByteBuffer, at instant: MonotonicInstant) {
    byteCount &+= UInt64(bytes.readableBytes)
    loop.turn(at: instant) { instant in
      loop.observe(bytes, from: id, at: instant)
      bytes.withUnsafeReadableBytes { loop.engine.receive(.bytes($0), from: id, at: instant, into: &loop.events) }
    }
    guard let messages = search?.messages else { return }
    if received.messages == messages {
      search?.binary.read(bytes.readableBytesView, at: instant)
    } else {
      search = nil
    }
  }

  /// The protocol in which it sends, if it has sent no message since it was opened.
  package var binary: BinaryProtocol? { search?.binary.found }

  /// One line of a gpsd, without its end, and its report; `nil` for a class without positions.
  package func receive(_ report: GPSDReport?, line: ArraySlice<UInt8>, at instant: MonotonicInstant) {
    byteCount &+= UInt64(line.count) + 1
    loop.turn(at: instant) { instant in
      if loop.wishes.contains(.input) {
        var whole = ByteBuffer(bytes: line)
        whole.writeStaticString("\n")
        loop.observe(whole, from: id, at: instant)
      }
      loop.engine.receive(.report(report), from: id, at: instant, into: &loop.events)
    }
  }

  /// A sentence that a gpsd sends besides its reports, with its line end. It is only passed through.
  package func pass(sentence: [UInt8]) {
    guard wantsSentences else { return }
    loop.turn { loop.publish(.sentences(sentence), at: $0) }
  }

  /// The link changed its condition: `opening`, `opened`, `lineSpeed`, `poweredOn`, `failed`, `unplugged`, `ended`.
  package func note(_ condition: SourceInput, at instant: MonotonicInstant? = nil) {
    loop.turn(at: instant) { loop.engine.receive(condition, from: id, at: $0, into: &loop.events) }
    if case .opened = condition { search = (BinarySearch(), received.messages) }
  }

  /// Valid sentences and UBX messages, and bytes, so far.
  package var received: (messages: UInt64, bytes: UInt64) {
    (loop.engine.index(of: id).map { loop.engine.sources[$0].messageCount } ?? 0, byteCount)
  }

  package var sentenceCount: UInt64 { loop.engine.index(of: id).map { loop.engine.sources[$0].sentenceCount } ?? 0 }

  package var starts: UInt64 { loop.engine.index(of: id).map { loop.engine.sources[$0].counters.starts } ?? 0 }

  /// UTC by the source's newest fix; `nil` unless it has a fix.
  func utc(at instant: MonotonicInstant) -> UTCInstant? {
    guard let index = loop.engine.index(of: id), loop.engine.supervisor.states[index].phase == .tracking,
      loop.engine.desk.newest?.source == id
    else { return nil }
    return loop.engine.utc(at: instant)
  }

  /// The time between epochs; `nil` until it is learned.
  package var period: Duration? { loop.engine.index(of: id).flatMap { loop.engine.sources[$0].period } }
  /// Whether sentences of this source are read: it leads, and a client wants them.
  package var wantsSentences: Bool { loop.sources.lead(in: loop.engine).id == id && loop.wishes.contains(.sentences) }
}

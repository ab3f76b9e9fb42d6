import LocationCore
import NIOCore

/// One configured source: the door through which what its transport reads enters the engine.
package final class SourceFeed {
  /// Identifies the source for as long as the daemon runs; never reused.
  package let id: Int
  /// The source as configured.
  package let uri: SourceURI
  /// Name sent to clients: the scheme, numbered when several sources share it.
  package internal(set) var name: String
  /// The transport that reads the device.
  package var source: (any ReceiverSource)?
  /// Bytes read so far.
  private var byteCount: UInt64 = 0
  private unowned let host: EngineHost

  init(id: Int, uri: SourceURI, name: String, host: EngineHost) {
    self.id = id
    self.uri = uri
    self.name = name
    self.host = host
  }

  /// The engine's part of this source; `nil` once it is removed.
  package var receiver: SourceReceiver? { host.engine.index(of: id).map { host.engine.sources[$0] } }

  /// Sentences with a valid checksum and bytes so far, for finding a line's speed.
  package var received: (sentences: UInt64, bytes: UInt64) {
    (host.engine.index(of: id).map { host.engine.sources[$0].sentenceCount } ?? 0, byteCount)
  }

  /// An attempt to open the device begins.
  package func sourceIsOpening() { host.receive(.opening, from: self) }

  /// The device is open; bytes may follow.
  package func sourceDidOpen() { host.receive(.opened, from: self) }

  /// Bytes of one read, and when they were read.
  package func sourceDidReceive(_ bytes: ByteBuffer, at instant: MonotonicInstant) {
    byteCount &+= UInt64(bytes.readableBytes)
    host.receive(bytes, from: self, at: instant)
  }

  /// A report of a gpsd about positions, and its line without the line end.
  package func sourceDidReport(_ report: GPSDReport, line: ArraySlice<UInt8>, at instant: MonotonicInstant) {
    receive(report, line: line, at: instant)
  }

  /// A line of a gpsd about anything else, without the line end.
  package func sourceDidRead(line: ArraySlice<UInt8>, at instant: MonotonicInstant) {
    receive(nil, line: line, at: instant)
  }

  /// A sentence that came beside the reports of a gpsd, with its line end: only passed through.
  package func sourceDidPass(sentence: ByteBuffer) {
    guard wantsSentences else { return }
    host.turn { _ in host.server?.publish(sentences: sentence) }
  }

  /// The device cannot be opened, or sends nothing usable.
  package func sourceDidFail(_ error: SourceError) { host.receive(.failed(error), from: self) }

  /// The device was unplugged and may return.
  package func sourceDidLose(_ error: SourceError) { host.receive(.lost(error), from: self) }

  /// The input is complete: a recording has ended.
  package func sourceDidEnd(at instant: MonotonicInstant) { host.receive(.ended, from: self, at: instant) }

  /// The device is open since `instant`: what a recording says, or implies by its bytes.
  func open(at instant: MonotonicInstant) { host.receive(.opened, from: self, at: instant) }

  /// A recording continues with another measurement.
  func restart(at instant: MonotonicInstant) { host.receive(.restart, from: self, at: instant) }

  /// A recording continues at another position.
  func seek(at instant: MonotonicInstant) { host.receive(.seek, from: self, at: instant) }

  /// What follows precedes a position that is sought.
  func beginLeadIn() { host.receive(.leadIn, from: self) }

  /// Input that precedes the position that is sought; time does not pass.
  func prime(_ input: SourceInput, at instant: MonotonicInstant) {
    host.engine.prime(input, from: id, at: instant)
  }

  /// The position that was sought is reached.
  func endLeadIn(at instant: MonotonicInstant) { host.receive(.seekTarget, from: self, at: instant) }

  /// Added to every measured time: a looped recording is measured later in each pass.
  var timeShift = Duration.zero {
    didSet { if timeShift != oldValue { host.engine.shiftTime(of: id, by: timeShift) } }
  }

  /// Whether a client wants the sentences of this source.
  package var wantsSentences: Bool { host.lead === self && host.server?.wantsSentences == true }

  /// The serial source that reads the device at `path`, under whatever name; `nil` when none does.
  package func serialSource(of path: String) -> String? {
    guard let target = SerialDiagnosis.realPath(path) else { return nil }
    for feed in host.feeds {
      guard case .serial(let options) = feed.uri, SerialDiagnosis.realPath(options.path) == target else { continue }
      return "serial:\(options.path)"
    }
    return nil
  }

  /// A serial source that has its device open; `nil` when none has.
  package var openSerialSource: String? {
    for feed in host.feeds {
      if case .serial(let options) = feed.uri, feed.receiver?.isOpen == true { return "serial:\(options.path)" }
    }
    return nil
  }

  private func receive(_ report: GPSDReport?, line: ArraySlice<UInt8>, at instant: MonotonicInstant) {
    byteCount &+= UInt64(line.count) + 1
    host.turn(at: instant) { instant in
      if host.recorder != nil {
        var whole = ByteBuffer(bytes: line)
        whole.writeStaticString("\n")
        host.record(whole, from: self, at: instant)
      }
      host.receive(.report(report), from: self, at: instant)
    }
  }
}

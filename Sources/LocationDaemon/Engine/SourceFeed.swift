import LocationCore
import NIOCore

/// A configured source: passes the data and events of its transport to the engine.
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

  /// The source's state in the engine; `nil` once it is removed.
  package var receiver: SourceReceiver? { host.engine.index(of: id).map { host.engine.sources[$0] } }

  /// Sentences with a valid checksum and bytes so far, used to detect a line's speed.
  package var received: (sentences: UInt64, bytes: UInt64) {
    (host.engine.index(of: id).map { host.engine.sources[$0].sentenceCount } ?? 0, byteCount)
  }

  /// An attempt to open the device begins.
  package func sourceIsOpening() { host.receive(.opening, from: self) }

  /// The device is open; bytes may follow.
  package func sourceDidOpen() { host.receive(.opened, from: self) }

  /// Bytes of one read, with its instant.
  package func sourceDidReceive(_ bytes: ByteBuffer, at instant: MonotonicInstant) {
    byteCount &+= UInt64(bytes.readableBytes)
    host.turn(at: instant) { instant in
      host.record(bytes, from: self, at: instant)
      bytes.withUnsafeReadableBytes { host.engine.receive(.bytes($0), from: id, at: instant, into: &host.events) }
    }
  }

  /// The line has another speed, bit/s; `nil` if it is closed, or if bytes take no time on it.
  package func sourceDidSetSpeed(_ speed: Int?) { host.engine.setLineSpeed(speed, of: id) }

  /// A positioning report of a gpsd, and its line without the line end.
  package func sourceDidReport(_ report: GPSDReport, line: ArraySlice<UInt8>, at instant: MonotonicInstant) {
    receive(report, line: line, at: instant)
  }

  /// Any other line of a gpsd, without the line end.
  package func sourceDidRead(line: ArraySlice<UInt8>, at instant: MonotonicInstant) {
    receive(nil, line: line, at: instant)
  }

  /// A sentence sent along with the reports of a gpsd, with its line end; only passed through.
  package func sourceDidPass(sentence: ByteBuffer) {
    guard wantsSentences else { return }
    host.turn { _ in host.server?.publish(sentences: sentence) }
  }

  /// The device cannot be opened, or sends nothing usable.
  package func sourceDidFail(_ error: SourceError) { host.receive(.failed(error), from: self) }

  /// The device was unplugged and may return.
  package func sourceDidLose(_ error: SourceError) { host.receive(.unplugged(error), from: self) }

  /// The input is complete: a recording has ended.
  package func sourceDidEnd(at instant: MonotonicInstant) { host.receive(.ended, from: self, at: instant) }

  /// The recorded device is open since `instant`, by an event or by its bytes.
  func open(at instant: MonotonicInstant) { host.receive(.opened, from: self, at: instant) }

  /// A recording states the policy with which its receiver was read.
  func setChecksums(_ policy: ChecksumPolicy) { host.engine.setChecksums(policy, of: id) }

  /// A recording continues after an unknown time.
  func gap(at instant: MonotonicInstant) { host.receive(.gap, from: self, at: instant) }

  /// A recording continues with another measurement.
  func restart(at instant: MonotonicInstant) { host.receive(.restart, from: self, at: instant) }

  /// A recording continues at another position.
  func seek(at instant: MonotonicInstant) { host.receive(.seek, from: self, at: instant) }

  /// The following input precedes a seek target.
  func beginLeadIn() { host.receive(.leadIn, from: self) }

  /// Input that precedes the seek target; time does not advance.
  func prime(_ input: SourceInput, at instant: MonotonicInstant) {
    host.engine.prime(input, from: id, at: instant)
  }

  /// The seek target is reached.
  func endLeadIn(at instant: MonotonicInstant) { host.receive(.seekTarget, from: self, at: instant) }

  /// Offset added to every measured time; grows with each pass of a looped recording.
  var timeShift = Duration.zero {
    didSet { if timeShift != oldValue { host.engine.shiftTime(of: id, by: timeShift) } }
  }

  /// Whether a client reads the sentences of this source.
  package var wantsSentences: Bool { host.lead === self && host.server?.wantsSentences == true }

  /// The serial source that reads the device at `path`, under any name; `nil` if there is none.
  package func serialSource(of path: String) -> String? {
    guard let target = SerialDiagnosis.realPath(path) else { return nil }
    for feed in host.feeds {
      guard case .serial(let options) = feed.uri, SerialDiagnosis.realPath(options.path) == target else { continue }
      return "serial:\(options.path)"
    }
    return nil
  }

  /// A serial source with an open device; `nil` if there is none.
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

import LocationCore
import NIOCore

/// One configured source and what reads it: its bytes become epochs here.
package final class Lane: ReceiverSink {
  /// Place in the configured order, from 0.
  package internal(set) var index: Int
  /// Stays the same when the order changes, and is never given again.
  package let id: Int
  /// The source as configured.
  package let uri: SourceURI
  /// The name that clients see: the scheme, with a number when there are several of one.
  package internal(set) var name: String
  /// The newest satellites.
  package internal(set) var sky: Sky?
  /// The errors of the newest fix, as the receiver estimates them.
  package internal(set) var noise: PseudorangeNoise?
  /// Seconds that a looped recording has moved on: its second round is measured after the first.
  package var timeShift = Duration.zero
  /// Opened and read for this lane.
  package var source: (any ReceiverSource)?
  private(set) var bytes: UInt64 = 0
  private var reader: LaneReader
  /// What the readers before it have counted.
  private var counted = ReceiverCounters()
  private var closed = ClosedEpochs()
  /// Whether what is read came before a place of a recording that is sought.
  private var isLeadIn = false
  /// When a place was reached behind which no epoch was told yet, and whether one is at hand that began before it.
  private var place: (instant: MonotonicInstant, isWithinEpoch: Bool)?
  /// Whether the device is open, as far as was told.
  private var isOpen = false
  /// The sentences there were when it was told that none come; `nil` while that is not told.
  private var sentencesWhenDeaf: UInt64?
  private unowned let pipeline: Pipeline

  init(index: Int, id: Int, uri: SourceURI, name: String, pipeline: Pipeline) {
    self.index = index
    self.id = id
    self.uri = uri
    self.name = name
    self.pipeline = pipeline
    reader = LaneReader(uri)
  }

  /// What was counted while reading.
  package var counters: ReceiverCounters { counted + reader.counters }

  /// From epoch to epoch, once known.
  package var period: Duration? { reader.period }

  /// When silence closes the open epoch.
  var deadline: MonotonicInstant? { isLeadIn ? nil : reader.deadline }

  package var received: (sentences: UInt64, bytes: UInt64) { (counters.nmea.sentences, bytes) }

  package func sourceIsOpening() {
    pipeline.turn { $0.laneIsOpening(self, at: $1) }
  }

  package func sourceDidOpen() { open(at: nil) }

  package func sourceDidLose(_ error: SourceError) { lose(error, at: nil) }

  package func sourceDidReceive(_ bytes: ByteBuffer, at instant: MonotonicInstant) {
    self.bytes &+= UInt64(bytes.readableBytes)
    pipeline.turn(at: instant) { pipeline, instant in
      pipeline.record(bytes, from: self, at: instant)
      // Of a recording the file decides what comes: bytes after a loss mean that the source was found again.
      open(at: instant)
      pipeline.laneDidReceive(self, at: instant)
      bytes.withUnsafeReadableBytes { buffer in
        if let sink = pipeline.sink, sink.wantsSentences, pipeline.lead === self {
          var sentences = ByteBuffer()
          reader.receive(buffer, at: instant, passing: &sentences) { closed.append($0) }
          if sentences.readableBytes > 0 { sink.pipelineDidRead(sentences) }
        } else {
          reader.receive(buffer, at: instant) { closed.append($0) }
        }
      }
      // The trouble is over with the first sentence, even if it brings no fix yet.
      if let sentencesWhenDeaf, counters.nmea.sentences > sentencesWhenDeaf { reopen(at: instant) }
      takeClosed(at: instant)
    }
  }

  package func sourceDidReport(_ report: GPSDReport, line: ArraySlice<UInt8>, at instant: MonotonicInstant) {
    pipeline.turn(at: instant) { _, instant in
      sourceDidRead(line: line, at: instant)
      reader.take(report, at: instant) { closed.append($0) }
      takeClosed(at: instant)
    }
  }

  package func sourceDidRead(line: ArraySlice<UInt8>, at instant: MonotonicInstant) {
    bytes &+= UInt64(line.count) + 1
    pipeline.turn(at: instant) { pipeline, instant in
      if pipeline.recorder != nil {
        var whole = ByteBuffer(bytes: line)
        whole.writeStaticString("\n")
        pipeline.record(whole, from: self, at: instant)
      }
      pipeline.laneDidReceive(self, at: instant)
    }
  }

  package func sourceDidPass(sentence: ByteBuffer) {
    guard wantsSentences else { return }
    pipeline.turn { pipeline, _ in pipeline.sink?.pipelineDidRead(sentence) }
  }

  package var wantsSentences: Bool { pipeline.lead === self && pipeline.sink?.wantsSentences == true }

  package func serialSource(of path: String) -> String? {
    guard let target = SerialDiagnosis.realPath(path) else { return nil }
    for lane in pipeline.lanes {
      guard case .serial(let options) = lane.uri, SerialDiagnosis.realPath(options.path) == target else { continue }
      return "serial:\(options.path)"
    }
    return nil
  }

  package var openSerialSource: String? {
    for lane in pipeline.lanes {
      if case .serial(let options) = lane.uri, lane.isOpen { return "serial:\(options.path)" }
    }
    return nil
  }

  package func sourceDidFail(_ error: SourceError) {
    pipeline.turn { pipeline, instant in
      finishEpoch(at: instant)
      if case .noNMEA = error { sentencesWhenDeaf = counters.nmea.sentences } else { close() }
      pipeline.laneDidFail(self, error, at: instant)
    }
  }

  package func sourceDidEnd(at instant: MonotonicInstant) {
    pipeline.turn(at: instant) { pipeline, instant in
      finishEpoch(at: instant)
      close()
      pipeline.laneDidEnd(self, at: instant)
    }
  }

  /// The device is open, since `instant` or now.
  func open(at instant: MonotonicInstant?) {
    pipeline.turn(at: instant) { _, instant in
      if !isOpen { reopen(at: instant) }
    }
  }

  /// The device was unplugged, at `instant` or now.
  func lose(_ error: SourceError, at instant: MonotonicInstant?) {
    pipeline.turn(at: instant) { pipeline, instant in
      finishEpoch(at: instant)
      close()
      pipeline.laneDidLose(self, error, at: instant)
    }
  }

  /// Lets silence close the open epoch.
  func expire(at instant: MonotonicInstant) {
    guard let deadline, deadline <= instant else { return }
    reader.expire(at: instant) { closed.append($0) }
    takeClosed(at: instant)
  }

  /// Begins to read anew: what comes next has nothing to do with what came before.
  func restart(at instant: MonotonicInstant) {
    finishEpoch(at: instant)
    counted = counters
    reader = LaneReader(uri)
    isLeadIn = false
    place = nil
  }

  /// What is read from here on came before a place that is sought: it tells how to read what comes, and nothing more.
  func beginLeadIn() {
    counted = counters
    reader = LaneReader(uri)
    isLeadIn = true
  }

  /// Reads bytes from before the place.
  func leadIn(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant) {
    reader.receive(bytes, at: instant) { _ in }
  }

  /// Reads a report from before the place.
  func leadIn(_ report: GPSDReport, at instant: MonotonicInstant) {
    reader.take(report, at: instant) { _ in }
  }

  /// The place is reached. An epoch that began before it is measured before it, and is not told.
  func endLeadIn(at instant: MonotonicInstant) {
    isLeadIn = false
    place = (instant, reader.isEpochOpen)
  }

  /// Begins to read anew at another place of a recording. That the way there is not known is told like a loss: the next
  /// fix is a regained one.
  func leap(at instant: MonotonicInstant) {
    pipeline.turn(at: instant) { pipeline, instant in
      restart(at: instant)
      switch pipeline.supervisor.states[index].phase {
      case .tracking, .lost:
        close()
        pipeline.laneDidLose(self, .unavailable(source: uri.device, reason: "it goes on elsewhere"), at: instant)
        reopen(at: instant)
      case .idle, .opening, .acquiring, .failed: break
      }
    }
  }

  private func reopen(at instant: MonotonicInstant) {
    isOpen = true
    sentencesWhenDeaf = nil
    pipeline.laneDidOpen(self, at: instant)
  }

  private func close() {
    isOpen = false
    sentencesWhenDeaf = nil
  }

  private func finishEpoch(at instant: MonotonicInstant) {
    guard !isLeadIn else { return }
    reader.endOfInput(at: instant) { closed.append($0) }
    takeClosed(at: instant)
  }

  private func takeClosed(at instant: MonotonicInstant) {
    guard !closed.isEmpty else { return }
    // Taken out first: what it leads to may close another.
    closed.take().forEach { epoch, isNewest in
      if place == nil || isBehindPlace(epoch) {
        pipeline.laneDidClose(self, epoch, isNewest: isNewest, at: instant)
      }
    }
  }

  private func isBehindPlace(_ epoch: borrowing Epoch) -> Bool {
    guard let place else { return true }
    let isBehind = epoch.received >= place.instant && !place.isWithinEpoch
    self.place = isBehind ? nil : (place.instant, false)
    return isBehind
  }
}

/// Turns a receiver's bytes into sentences (NMEA 0183 2.1 to 4.11).
///
/// Bytes come in as they are read, cut anywhere: the events are the same for every cut. A sentence is handed
/// over at the second digit of its checksum, not at the line end. Sentences that lie whole in the input are
/// decoded in place; only what a cut separates is copied, into a buffer of fixed size. Nothing is allocated.
///
/// Binary frames (UBX, RTCM 3, CASIC), TAG blocks, noise, and comment lines (`#` first on its line, through
/// the line's end, whatever it contains) are passed by and counted.
package struct NMEADecoder {
  private var framer: Framer
  /// What a cut left over: the beginning of a line, a TAG block or a binary frame.
  private var carry: Framer.Carry
  private var carried: Int

  package init(checksums: ChecksumPolicy = .require) {
    framer = Framer(policy: checksums)
    carry = .init(repeating: 0)
    carried = 0
  }

  /// What has been seen so far.
  package var counters: NMEACounters { framer.counters }

  /// Takes the next bytes of the stream.
  package mutating func decode(_ bytes: UnsafeRawBufferPointer, _ body: (borrowing NMEAEvent) -> Void) {
    guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count > 0 else { return }
    framer.counters.bytes &+= UInt64(bytes.count)
    Self.run(&framer, &carry, &carried, start, bytes.count, body)
  }

  /// Ends the stream: what has begun and not ended is handed over as `truncated`. The decoder then stands as
  /// at the start of a stream, its counters kept.
  package mutating func finish(_ body: (borrowing NMEAEvent) -> Void) {
    Self.end(&framer, &carry, carried, body)
    carried = 0
  }

  private static func run(
    _ framer: inout Framer, _ carry: inout Framer.Carry, _ carried: inout Int, _ bytes: UnsafePointer<UInt8>,
    _ count: Int, _ body: (borrowing NMEAEvent) -> Void
  ) {
    Workspace.with { workspace in
      var position = 0
      withUnsafeMutableBytes(of: &carry) { buffer in
        guard carried > 0, let held = buffer.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        while carried > 0, position < count {
          let taken = min(count - position, Framer.carryBound - carried, Framer.carryStep)
          (held + carried).update(from: bytes + position, count: taken)
          let input = Framer.Input(
            bytes: UnsafePointer(held), count: carried + taken, readable: Framer.carryBound + Workspace.slack,
            until: carried, isLast: false, origin: position - carried)
          let used = framer.consume(input, workspace, body)
          if used >= carried {
            position += used - carried
            carried = 0
          } else {
            held.update(from: held + used, count: carried + taken - used)
            carried += taken - used
            position += taken
          }
        }
      }
      guard carried == 0, position < count else { return }
      let input = Framer.Input(
        bytes: bytes + position, count: count - position, readable: count - position, until: count - position,
        isLast: false, origin: position)
      position += framer.consume(input, workspace, body)
      withUnsafeMutableBytes(of: &carry) { buffer in
        buffer.copyMemory(from: UnsafeRawBufferPointer(start: bytes + position, count: count - position))
      }
      carried = count - position
    }
  }

  private static func end(
    _ framer: inout Framer, _ carry: inout Framer.Carry, _ carried: Int, _ body: (borrowing NMEAEvent) -> Void
  ) {
    Workspace.with { workspace in
      withUnsafeMutableBytes(of: &carry) { buffer in
        guard let held = buffer.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        let input = Framer.Input(
          bytes: UnsafePointer(held), count: carried, readable: Framer.carryBound + Workspace.slack, until: carried,
          isLast: true, origin: -carried)
        _ = framer.consume(input, workspace, body)
        framer.restart()
      }
    }
  }
}

/// One sentence, or one line that was rejected. It points into the decoder's input: use it during the
/// call that hands it over and keep only what you copy out.
package struct NMEAEvent {
  /// What the line turned out to be.
  package enum Payload: Hashable, Sendable {
    /// A well-formed sentence.
    case sentence(Sentence)
    /// A line that began like a sentence and is none; nothing of it may be used.
    case rejected(SentenceRejection)
  }

  let storage: UnsafePointer<Payload>

  /// What the line turned out to be.
  package var payload: Payload { storage.pointee }
  /// Who speaks; code 0 for a proprietary sentence and when the line was rejected before it was known.
  package let talker: Talker
  /// What about; code 0 when the line was rejected before it was known.
  package let type: SentenceType
  /// The bytes from `$` or `!` through `*hh`, or up to where the line was given up.
  package let raw: UnsafeRawBufferPointer
  /// The fields; none when the line was rejected before they were known.
  package let fields: SentenceFields
  /// How many bytes of this call's input had been read when the line was complete. It depends on how the
  /// input is cut; nothing else in an event does.
  package let offset: Int
}

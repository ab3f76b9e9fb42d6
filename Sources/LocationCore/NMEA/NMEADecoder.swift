/// Decoder of a receiver's byte stream into sentences (NMEA 0183 2.1 to 4.11).
///
/// The input may be split anywhere; the events do not depend on the split. A sentence is reported at the second digit
/// of its checksum, not at the line end. Sentences that are complete in the input are decoded in place; only those that
/// are split are copied, into a buffer of fixed size. Nothing is allocated.
///
/// Binary frames (UBX, RTCM 3, CASIC), TAG blocks, noise and comment lines (from a `#` at the start of a line to its
/// end) are skipped.
package struct NMEADecoder {
  private var framer: Framer
  /// Incomplete start of a line, TAG block or binary frame.
  private var carry: Framer.Carry
  private var carried: Int

  package init(checksums: ChecksumPolicy = .require) {
    framer = Framer(policy: checksums)
    carry = .init(repeating: 0)
    carried = 0
  }

  /// Totals so far.
  package var counters: NMEACounters { framer.counters }

  /// Decodes the next bytes of the stream.
  package mutating func decode(_ bytes: UnsafeRawBufferPointer, _ body: (borrowing NMEAEvent) -> Void) {
    guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count > 0 else { return }
    framer.counters.bytes &+= UInt64(bytes.count)
    Self.run(&framer, &carry, &carried, start, bytes.count, body)
  }

  /// Ends the stream: an incomplete sentence is reported as `truncated`. The decoder is then ready for another stream
  /// and keeps its counters.
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

/// A sentence or a rejected line. It points into the decoder's input and is valid only during the callback.
package struct NMEAEvent {
  package enum Payload: Hashable, Sendable {
    /// A well-formed sentence.
    case sentence(Sentence)
    /// A line that began like a sentence; its content must not be used.
    case rejected(SentenceRejection)
  }

  let storage: UnsafePointer<Payload>

  package var payload: Payload { storage.pointee }
  /// Talker; code 0 for a proprietary sentence or a rejected line.
  package let talker: Talker
  /// Type; code 0 for a line rejected while framing.
  package let type: SentenceType
  /// The bytes from `$` or `!` through `*hh`, or up to the point of rejection.
  package let raw: UnsafeRawBufferPointer
  /// The fields; none for a line rejected while framing.
  package let fields: SentenceFields
  /// Number of bytes of the current input up to the end of the line; the only property that depends on how the input is
  /// split.
  package let offset: Int
}

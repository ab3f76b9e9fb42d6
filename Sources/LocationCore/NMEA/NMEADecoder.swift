/// Decoder of a receiver's byte stream into sentences (NMEA 0183 2.1 to 4.11), each reported at the second digit of its
/// checksum, not at the line end. How the input is split has no effect, except where a pause is reported: complete
/// sentences are decoded in place, split ones in a buffer of fixed size. Nothing is allocated. UBX frames between them
/// are reported; other binary frames (RTCM 3, CASIC), TAG blocks, noise and comments (from a `#` at the start of a line
/// to its end or the first byte that is not printable) are skipped.
package struct NMEADecoder {
  private var framer: Framer
  /// Incomplete start of a line, TAG block or binary frame.
  private var carry: Framer.Carry
  private var carried: Int

  package init(checksums: ChecksumPolicy = .require, reportsCASIC: Bool = false) {
    framer = Framer(policy: checksums, reportsCASIC: reportsCASIC)
    carry = .init(repeating: 0)
    carried = 0
  }

  package var counters: NMEACounters { framer.counters }

  package mutating func decode(_ bytes: UnsafeRawBufferPointer, _ body: (borrowing NMEAEvent) -> Void) {
    guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count > 0 else { return }
    Workspace.with { workspace in
      var position = 0
      while carried > 0, position < bytes.count {
        let taken = min(bytes.count - position, Framer.carryBound - carried, Framer.carryStep)
        let held = carried
        withUnsafeMutableBytes(of: &carry) { buffer in
          UnsafeMutableRawBufferPointer(rebasing: buffer[held...]).copyMemory(
            from: UnsafeRawBufferPointer(start: start + position, count: taken))
        }
        let used = framer.consume(&carry, held + taken, until: held, origin: position - held, workspace, body)
        carried = used >= held ? 0 : held + taken - used
        position += used >= held ? used - held : taken
      }
      guard carried == 0, position < bytes.count else { return }
      let input = Framer.Input(
        bytes: start + position, count: bytes.count - position, readable: bytes.count - position,
        until: bytes.count - position, isLast: false, origin: position)
      position += framer.consume(input, workspace, body)
      carried = bytes.count - position
      withUnsafeMutableBytes(of: &carry) { buffer in
        buffer.copyMemory(from: UnsafeRawBufferPointer(start: start + position, count: bytes.count - position))
      }
    }
    framer.counters.bytes &+= UInt64(bytes.count)
  }

  package var isWithinFrame: Bool { carried > 0 && BinaryFrame.mayBegin(carry[0]) }

  /// A frame that is incomplete and holds a whole message is none: no frame holds another. A late rest loses nothing.
  package mutating func pause(_ body: (borrowing NMEAEvent) -> Void) {
    Workspace.with { workspace in
      while isWithinFrame, let begin = framer.message(within: &carry, carried, workspace) {
        withUnsafeMutableBytes(of: &carry) { buffer in
          buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[begin..<carried]))
        }
        carried -= begin
        framer.counters.noise &+= UInt64(begin)
        carried -= framer.consume(&carry, carried, until: carried, origin: -carried, workspace, body)
      }
    }
  }

  /// Ends the stream, reporting an incomplete sentence as `truncated`. The counters stay for the next stream.
  package mutating func finish(_ body: (borrowing NMEAEvent) -> Void) {
    Workspace.with { workspace in
      _ = framer.consume(&carry, carried, until: carried, isLast: true, origin: -carried, workspace, body)
    }
    framer.restart()
    carried = 0
  }
}

/// A sentence, a rejected line or a frame. It points into the decoder's input: valid only during the callback.
package struct NMEAEvent {
  package enum Payload: Hashable, Sendable {
    case sentence(Sentence)
    /// A line that began like a sentence; its content must not be used.
    case rejected(SentenceRejection)
    /// A UBX frame with a valid checksum; see ``UBXFrame``.
    case ubx
    /// A frame of CASIC with a valid checksum, if these are reported.
    case casic
  }

  let storage: UnsafePointer<Payload>

  package var payload: Payload { storage.pointee }
  /// Talker; code 0 for a proprietary sentence or a rejected line.
  package let talker: Talker
  /// Type; code 0 for a line rejected while framing.
  package let type: SentenceType
  /// The bytes from `$` or `!` through `*hh`, or up to the point of rejection; of a UBX frame, all.
  package let raw: UnsafeRawBufferPointer
  /// The fields; none for a line rejected while framing.
  package let fields: SentenceFields
  /// Number of bytes of the current input up to the end of the line; the only property that depends on the split.
  package let offset: Int
}

extension NMEAEvent {
  /// What the workspace holds about bytes without talker, type and fields.
  init(bare workspace: Workspace, _ base: UnsafePointer<UInt8>, length: Int, offset: Int) {
    self.init(
      storage: UnsafePointer(workspace.payload), talker: Talker(code: 0), type: .none,
      raw: UnsafeRawBufferPointer(start: base, count: length),
      fields: SentenceFields(base: base, map: workspace.map, count: 0), offset: offset)
  }
}

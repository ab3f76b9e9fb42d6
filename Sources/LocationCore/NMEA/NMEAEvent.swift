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

import LocationCore

/// What tells sentences of a receiver apart: who says what.
struct SentenceKind: Hashable {
  let talker: Talker
  let type: SentenceType

  /// As it begins on the wire: `GNRMC`, `PGRME`; numbered messages with their number: `PUBX,00`.
  var name: String { talker.description + type.description }
}

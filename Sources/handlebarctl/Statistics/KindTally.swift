import LocationCore

/// How one kind of sentence came.
struct KindTally {
  let kind: SentenceKind
  /// Whether this project knows the type.
  let isDecoded: Bool
  private(set) var count = 0
  /// Bytes on the wire, line ends included.
  private(set) var bytes = 0
  /// How many epochs had it.
  var epochs = 0
  /// How many fields the shortest and the longest one had.
  private(set) var fields: ClosedRange<Int>?
  /// How often a value was present and malformed or out of range, by its name.
  private(set) var malformed: [String: Int] = [:]

  init(_ kind: SentenceKind, isDecoded: Bool) {
    self.kind = kind
    self.isDecoded = isDecoded
  }

  mutating func add(bytes: Int, fields count: Int, problems: [String]) {
    self.count += 1
    self.bytes += bytes
    fields = min(fields?.lowerBound ?? count, count)...max(fields?.upperBound ?? count, count)
    for name in problems { malformed[name, default: 0] += 1 }
  }
}

/// A number that only grows, with the name under which it is reported.
package struct Counter: Sendable {
  /// The name, at most 30 characters.
  package var name: StaticString
  /// How often it happened since the daemon started.
  package var value: Int

  package init(_ name: StaticString, _ value: Int) {
    self.name = name
    self.value = value
  }
}

extension JSONLine {
  mutating func field(_ name: StaticString, _ counters: [Counter]) {
    guard !counters.isEmpty else { return }
    beginObject(name)
    for counter in counters { field(counter.name, counter.value) }
    endObject()
  }
}

/// A property that may be missing, in no more space than its value takes: a pattern that no value has says so.
///
/// Sentences, fixes and skies travel by value through every stage; in optionals of eight bytes and a flag they would be twice the size.
@propertyWrapper
package struct Compact<Value: Compactable>: Hashable, Sendable {
  private var pattern: Value.Pattern

  package init(wrappedValue: Value?) {
    pattern = wrappedValue?.pattern ?? Value.missing
  }

  package var wrappedValue: Value? {
    get { Value(pattern: pattern) }
    set { pattern = newValue?.pattern ?? Value.missing }
  }
}

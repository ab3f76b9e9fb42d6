/// A number that may be missing, kept to three decimals in four bytes.
@propertyWrapper
package struct Rounded: Hashable, Sendable {
  private var stored: Thousandths

  init(_ stored: Thousandths) {
    self.stored = stored
  }

  package init(wrappedValue: Double?) {
    stored = Thousandths(wrappedValue)
  }

  package var wrappedValue: Double? {
    get { stored.value }
    set { stored = Thousandths(newValue) }
  }
}

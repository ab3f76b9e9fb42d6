import LocationCore

extension Request {
  /// Throws the error with which a daemon refuses these values, also for those that no line can carry.
  package func validate() throws(RequestError) {
    let traits = traits
    guard var values = traits.fields else { return }
    var check = RequestCheck(request: "\(traits.name)")
    values.fields(&check)
    if let fault = check.fault { throw fault }
  }
}

/// Checks the fields of a request that is not on a line yet.
private struct RequestCheck: FieldCoder {
  let request: String
  private(set) var fault: RequestError?

  init(request: String) { self.request = request }

  mutating func field(_ name: StaticString, _ value: inout Bool?) {}
  mutating func field(_ name: StaticString, _ value: inout String?) {}
  mutating func field(_ name: StaticString, _ value: inout UTCInstant?) {}

  mutating func field(_ name: StaticString, _ value: inout Double?, decimals: Int, trimmed: Bool) {}

  mutating func field<Whole: FixedWidthInteger>(_ name: StaticString, _ value: inout Whole?, upTo limit: Double) {
    check(name, value.map { $0 >= 0 && Double($0) <= limit } ?? true, "a whole number from 0 to \(Int(limit))")
  }

  mutating func check(_ name: StaticString, _ isValid: Bool, _ right: @autoclosure () -> String) {
    guard !isValid, fault == nil else { return }
    fault = RequestError(.outOfRange, of: request, #"?\#(request): "\#(name)" must be \#(right())"#)
  }
}

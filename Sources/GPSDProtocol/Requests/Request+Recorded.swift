extension Request {
  /// The request that a recorded event stands for: `{"request":"VIEW",…}` is the wire's `?VIEW={…}`; `nil` for another event.
  package init?(recorded json: [UInt8]) {
    let prefix = Array(#"{"request":""#.utf8)
    guard json.starts(with: prefix) else { return nil }
    let rest = json[prefix.count...]
    guard let quote = rest.firstIndex(of: Byte.quote) else { return nil }
    var fields = rest[(quote + 1)...]
    if fields.first == Byte.comma { fields = fields.dropFirst() }
    let wire = Array("?".utf8) + rest[..<quote] + Array("={".utf8) + fields + [Byte.semicolon]
    var parser = RequestParser()
    var index = 0
    guard let request = try? parser.next(in: wire.span, from: &index) else { return nil }
    self = request
  }
}

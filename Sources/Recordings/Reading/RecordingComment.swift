import LocationCore

enum RecordingComment {
  /// `# handlebar-recording 1`: the beginning of a header.
  case mark
  case field(RecordingHeader.Field)
  case stamp(RecordingStamp)
  case event([UInt8])
  case bytes([UInt8])
  case cut
  case damage(RecordingDamage)
  case other

  /// Reads a whole line. `# x` and `# cut` have a meaning in recordings only, fields in a header only.
  init(_ line: UnsafeBufferPointer<UInt8>.SubSequence, inRecording: Bool, inHeader: Bool) {
    var text = line.dropFirst()
    if text.last == UInt8(ascii: "\n") { text = text.dropLast() }
    if text.last == UInt8(ascii: "\r") { text = text.dropLast() }
    guard text.first == UInt8(ascii: " ") else {
      self = .other
      return
    }
    text = text.dropFirst()
    if text.starts(with: "t=".utf8) {
      if let stamp = RecordingStamp(line: text) {
        self = .stamp(stamp)
      } else {
        self = inRecording ? .damage(.badStamp) : .other
      }
    } else if text.starts(with: "e {".utf8) {
      let json = text.dropFirst(2)
      self = json.last == UInt8(ascii: "}") ? .event(Array(json)) : .damage(.badEvent)
    } else if text.starts(with: RecordingHeader.mark.utf8) {
      let number = Int64(digits: text.dropFirst(RecordingHeader.mark.utf8.count))
      self = number == RecordingHeader.version ? .mark : .damage(.unknownVersion)
    } else if inRecording && text.starts(with: "x ".utf8) {
      self = Hexadecimal.bytes(text.dropFirst(2)).map(Self.bytes) ?? .damage(.badBytes)
    } else if inRecording && text.elementsEqual("cut".utf8) {
      self = .cut
    } else if inHeader, let field = RecordingHeader.Field(line: text) {
      self = .field(field)
    } else {
      self = .other
    }
  }

  /// The stamp of a whole line of a recording; `nil` for another line.
  static func stamp(in line: UnsafeBufferPointer<UInt8>.SubSequence) -> RecordingStamp? {
    let text = UnsafeBufferPointer(rebasing: line)
    guard text.count > 4, text[1] == UInt8(ascii: " "), text[2] == UInt8(ascii: "t"), text[3] == UInt8(ascii: "=")
    else { return nil }
    var end = text.count
    if text[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if text[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return RecordingStamp(line: text[2..<end])
  }
}

extension RecordingHeader.Field {
  fileprivate init?(line: UnsafeBufferPointer<UInt8>.SubSequence) {
    guard let equals = line.firstIndex(of: UInt8(ascii: "=")), equals > line.startIndex,
      !line[..<equals].contains(UInt8(ascii: " "))
    else { return nil }
    self.init(String(decoding: line[..<equals], as: UTF8.self), String(decoding: line[(equals + 1)...], as: UTF8.self))
  }
}

import LocationCore

/// The header of a recording: `# handlebar-recording 1`, then one `# key=value` line per field. Keys: `device` (one
/// line per source, in the order of the `src` numbers), `speed` (bit/s), `boot` (the kernel's boot id, which identifies
/// the run of the monotonic clock), `run` (milliseconds on that clock at the recorder's start), `version` (of the
/// program), `wheel-circumference` (metres, if it was given), `wheel` (one line per learned circumference, as in the
/// state directory). A simulated ride has `device`, `seed` and `command`. A rotated file repeats the header, with what
/// is known of wheels by then.
package struct RecordingHeader: Hashable, Sendable {
  package struct Field: Hashable, Sendable {
    /// Lower-case letters, digits and hyphens.
    package let key: String
    /// Printable text on one line.
    package let value: String

    /// A field; characters that the line cannot hold become `?`.
    package init(_ key: String, _ value: String) {
      self.key = Self.sanitised(key) { $0 != "=" && $0 != " " }
      self.value = Self.sanitised(value) { _ in true }
    }

    private static func sanitised(_ text: String, _ isLegal: (Unicode.Scalar) -> Bool) -> String {
      let scalars = text.unicodeScalars.prefix(512).map { scalar in
        scalar.value >= 0x20 && scalar.value != 0x7F && isLegal(scalar) ? scalar : "?"
      }
      return String(String.UnicodeScalarView(scalars))
    }
  }

  package static let version: Int64 = 1
  /// Largest number of fields; further ones are ignored when reading.
  package static let maximumFields = 64
  /// The first line without its number.
  static let mark = "handlebar-recording "

  package var fields: [Field]

  package init(fields: [Field] = []) { self.fields = fields }

  package init(devices: [String], speed: Int? = nil, boot: String? = nil, version: String? = nil) {
    fields = devices.map { Field("device", $0) }
    if let speed { fields.append(Field("speed", String(speed))) }
    if let boot { fields.append(Field("boot", boot)) }
    if let version { fields.append(Field("version", version)) }
  }

  package subscript(key: String) -> String? { fields.first { $0.key == key }?.value }
  package func all(_ key: String) -> [String] { fields.filter { $0.key == key }.map(\.value) }

  package var wheels: KnownWheels {
    get {
      KnownWheels(
        given: self["wheel-circumference"].flatMap { Double($0) },
        learned: all("wheel").compactMap { KnownWheels.Wheel(line: $0[...]) })
    }
    set {
      fields.removeAll { $0.key == "wheel-circumference" || $0.key == "wheel" }
      if let given = newValue.given { fields.append(Field("wheel-circumference", String(given))) }
      fields += newValue.learned.map { Field("wheel", $0.line) }
    }
  }

  package var lines: [UInt8] {
    let lines = ["\(Self.mark)\(Self.version)"] + fields.map { "\($0.key)=\($0.value)" }
    return Array(lines.map { "# \($0)\n" }.joined().utf8)
  }
}

/// The source that plays some files, as a URI.
enum ReplayURI {
  /// The files in their order, from the first subscriber on.
  static func text(files: [String], speed: String, loops: Bool) -> String {
    var text = "recording:" + encoded(files.first ?? "") + "?speed=\(speed)&start=watch"
    if loops { text += "&loop=true" }
    for file in files.dropFirst() { text += "&then=" + encoded(file) }
    return text
  }

  /// With every byte that could mean something in a URI as its percent code.
  static func encoded(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        text.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }
}

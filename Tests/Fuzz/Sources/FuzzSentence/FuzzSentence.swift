import CLibFuzzer
import GPSDProtocol
import Glibc
import LocationCore

/// Puts a `$` and the right checksum around what libFuzzer invents, so that every input reaches the fields, and writes what
/// the sentence says as JSON.
///
/// Values lie in their ranges, and the object is JSON that this project's own reader takes.
@main
enum FuzzSentence {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        let content = UnsafeBufferPointer(start: start, count: count).filter {
          0x20...0x7E ~= $0 && !"$!*".utf8.contains($0)
        }
        FuzzSentence.play(content)
        return 0
      })
  }

  static func play(_ content: [UInt8]) {
    let sum = content.reduce(0, ^)
    let digits = Array(String(sum, radix: 16, uppercase: true).utf8)
    let line = [UInt8(ascii: "$")] + content + [UInt8(ascii: "*")] + (digits.count == 1 ? [0x30] : []) + digits
    var decoder = NMEADecoder()
    var seen = 0
    line.withUnsafeBytes {
      decoder.decode($0) { event in
        seen += 1
        precondition(event.raw.count == line.count || line.count > 256)
        var object = JSONLine()
        SentenceLine.write(event, into: &object)
        check(object.bytes)
        if case .sentence(let sentence) = event.payload { check(sentence) }
      }
    }
    decoder.finish { _ in seen += 1 }
    precondition(seen >= 1)
  }

  /// One object, its braces and quotes in order, nothing but printable characters.
  static func check(_ object: ArraySlice<UInt8>) {
    var depth = 0
    var isText = false
    var isEscaped = false
    for (index, byte) in object.enumerated() {
      precondition(0x20...0x7E ~= byte)
      if isEscaped {
        isEscaped = false
      } else if isText {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isText = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
        precondition(depth > 0 || index == object.count - 1)
      }
    }
    precondition(depth == 0 && !isText)
  }

  static func check(_ sentence: Sentence) {
    switch sentence {
    case .rmc(let rmc):
      precondition(rmc.course.map { (0..<360).contains($0) } ?? true)
      precondition(rmc.speed.map { (0...1000).contains($0) } ?? true)
      precondition(rmc.magneticVariation.map { (-180...180).contains($0) } ?? true)
    case .gga(let gga): precondition(gga.hdop.map { $0 > 0 && $0 < 99 } ?? true)
    case .gsa(let gsa):
      for dilution in [gsa.pdop, gsa.hdop, gsa.vdop] { precondition(dilution.map { $0 > 0 && $0 < 99 } ?? true) }
    case .gsv(let gsv):
      if let part = gsv.part, let parts = gsv.parts { precondition(part <= parts) }
    case .vtg(let vtg):
      precondition(vtg.course.map { (0..<360).contains($0) } ?? true)
      precondition(vtg.speed.map { (0...1000).contains($0) } ?? true)
    case .pubx00(let pubx): precondition(pubx.speed.map { (0...1000).contains($0) } ?? true)
    default: break
    }
  }
}

import CLibFuzzer
import Glibc
import LocationCore

/// Feeds what libFuzzer invents to the NMEA decoder, whole and cut in two: both must say the same.
@main
enum FuzzNMEA {
  /// What the decoder made of one line.
  struct Line: Equatable {
    var raw: [UInt8]
    var fields: [[UInt8]]
    var position: Coordinate?
    var rejection: SentenceRejection?
  }

  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        guard count > 0 else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        // The first byte says where to cut the others.
        let input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        let cut = min(Int(bytes[0]), input.count)
        let pieces = [
          UnsafeRawBufferPointer(rebasing: input.prefix(cut)), UnsafeRawBufferPointer(rebasing: input.dropFirst(cut)),
        ]
        precondition(FuzzNMEA.lines(of: [input]) == FuzzNMEA.lines(of: pieces))
        return 0
      })
  }

  static func lines(of pieces: [UnsafeRawBufferPointer]) -> [Line] {
    var decoder = NMEADecoder(checksums: .accept)
    var lines: [Line] = []
    for piece in pieces {
      decoder.decode(piece) { lines.append(line(of: $0)) }
    }
    decoder.finish { lines.append(line(of: $0)) }
    return lines
  }

  static func line(of event: borrowing NMEAEvent) -> Line {
    var line = Line(raw: Array(event.raw), fields: [])
    switch event.payload {
    case .rejected(let rejection): line.rejection = rejection
    case .sentence(.rmc(let rmc)): line.position = rmc.position
    case .sentence(.gga(let gga)): line.position = gga.position
    case .sentence(.gll(let gll)): line.position = gll.position
    case .sentence(.gns(let gns)): line.position = gns.position
    case .sentence: break
    }
    for index in 0..<event.fields.count { line.fields.append(Array(event.fields[index])) }
    return line
  }
}

import GPSDProtocol
import LocationCore

/// The NMEA decoder on arbitrary bytes, whole and cut in two: both must give the same lines.
///
/// The first byte is the position of the cut.
enum NMEATarget {
  /// One line as the decoder reports it.
  private struct Line: Equatable {
    var raw: [UInt8]
    var fields: [[UInt8]]
    var position: Coordinate?
    var rejection: SentenceRejection?
  }

  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard let first = bytes.first else { return 0 }
    let input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    let cut = min(Int(first), input.count)
    let pieces = [
      UnsafeRawBufferPointer(rebasing: input.prefix(cut)), UnsafeRawBufferPointer(rebasing: input.dropFirst(cut)),
    ]
    precondition(lines(of: [input]) == lines(of: pieces))
    return 0
  }

  private static func lines(of pieces: [UnsafeRawBufferPointer]) -> [Line] {
    var decoder = NMEADecoder(checksums: .accept)
    var lines: [Line] = []
    for piece in pieces {
      decoder.decode(piece) { lines.append(line(of: $0)) }
    }
    decoder.finish { lines.append(line(of: $0)) }
    return lines
  }

  private static func line(of event: borrowing NMEAEvent) -> Line {
    var line = Line(raw: Array(event.raw), fields: [])
    switch event.payload {
    case .rejected(let rejection): line.rejection = rejection
    case .sentence(.rmc(let rmc)): line.position = rmc.position
    case .sentence(.gga(let gga)): line.position = gga.position
    case .sentence(.gll(let gll)): line.position = gll.position
    case .sentence(.gns(let gns)): line.position = gns.position
    case .sentence, .ubx, .casic: break
    }
    for index in 0..<event.fields.count { line.fields.append(Array(event.fields[index])) }
    return line
  }
}

/// The sentence types: `$` and the right checksum around arbitrary content, so that every input reaches the fields.
///
/// Values lie in their ranges, and the sentence's JSON is well formed.
enum SentenceTarget {
  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    let content = bytes.filter { 0x20...0x7E ~= $0 && !"$!*".utf8.contains($0) }
    let digits = Array(String(content.reduce(0, ^), radix: 16, uppercase: true).utf8)
    let line = [UInt8(ascii: "$")] + content + [UInt8(ascii: "*")] + (digits.count == 1 ? [0x30] : []) + digits
    var decoder = NMEADecoder()
    var count = 0
    line.withUnsafeBytes {
      decoder.decode($0) { event in
        count += 1
        precondition(event.raw.count == line.count || line.count > 256)
        var object = JSONLine()
        SentenceLine.write(event, into: &object)
        checkJSON(object.bytes)
        if case .sentence(let sentence) = event.payload { check(sentence) }
      }
    }
    decoder.finish { _ in count += 1 }
    precondition(count >= 1)
    return 0
  }

  /// One object of printable characters, with its brackets and quotes in order.
  static func checkJSON(_ object: ArraySlice<UInt8>) {
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

  private static func check(_ sentence: Sentence) {
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
    case .pubx00(let pubx): precondition(pubx.horizontal.map { $0 >= 0 } ?? true)
    default: break
    }
  }
}

/// A whole receiver on arbitrary reads and pauses.
///
/// Each read is preceded by its length and by the pause before it in units of 20 ms, a byte each.
enum EpochTarget {
  static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
    var receiver = NMEAReceiver(configuration: ReceiverConfiguration(checksums: .accept))
    var witness = EpochWitness()
    var instant = MonotonicInstant.zero
    var rest = input[...]
    while rest.count > 2, let length = rest.popFirst(), let pause = rest.popFirst() {
      let read = rest.prefix(Int(length))
      rest = rest.dropFirst(read.count)
      let next = instant + .milliseconds(Int(pause) * 20)
      while let deadline = receiver.deadline, deadline <= next {
        instant = max(instant, deadline)
        receiver.expire(at: instant) { witness.check($0) }
        guard receiver.deadline.map({ $0 > deadline }) ?? true else { fatalError("a deadline does not advance") }
      }
      instant = next
      receiver.receive(UnsafeRawBufferPointer(rebasing: read), at: instant) { witness.check($0) }
    }
    receiver.endOfInput(at: instant) { witness.check($0) }
    let counters = receiver.counters
    precondition(witness.epochs <= 2 * (counters.nmea.sentences + counters.nmea.ubxFrames))
    // A clock that was set is accepted; nothing else makes time go back.
    precondition(witness.stepsBack <= counters.judge.clockSteps, "time went back")
    return 0
  }
}

/// UBX messages with the right checksum around arbitrary payloads, so that every input reaches the values.
///
/// Each message is preceded by its kind and its length, a byte each. Values lie in their ranges, time advances, every message
/// is counted once and its JSON is well formed.
enum UBXTarget {
  /// Those that are decoded, and two others.
  private static let codes: [UInt16] = [
    0x0107, 0x0102, 0x0103, 0x0104, 0x0106, 0x0112, 0x0120, 0x0121, 0x0130, 0x0135, 0x0161, 0x0A09, 0x0A38, 0x0A39,
    0x2709, 0x0501, 0x0213,
  ]

  static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
    var receiver = NMEAReceiver()
    var witness = EpochWitness()
    var instant = MonotonicInstant.zero
    var rest = input[...]
    var count: UInt64 = 0
    while rest.count > 2, let kind = rest.popFirst(), let length = rest.popFirst() {
      // As long as any message may be.
      let payload = Array(rest.prefix(min(Int(length), 248)))
      rest = rest.dropFirst(payload.count)
      let code = codes[Int(kind) % codes.count]
      count += 1
      instant = instant + .milliseconds(Int(kind) / codes.count * 20)
      ReceiverCommand.ubx(UInt8(code >> 8), UInt8(code & 0xFF), payload).withUnsafeBytes { frame in
        receiver.receive(
          frame, at: instant,
          sentence: { event in
            var object = JSONLine()
            SentenceLine.write(event, into: &object)
            SentenceTarget.checkJSON(object.bytes)
          }, { witness.check($0) })
      }
    }
    receiver.endOfInput(at: instant) { witness.check($0) }
    let counters = receiver.counters
    precondition(counters.nmea.ubxFrames == count && counters.nmea.noise == 0 && witness.epochs <= 2 * count)
    precondition(counters.unknownMessages + counters.malformedMessages <= count)
    precondition(witness.stepsBack <= counters.judge.clockSteps, "time went back")
    return 0
  }
}

import LocationCore
import Recordings

/// The recording reader on arbitrary bytes, whole and cut in two: both must give the same items.
///
/// Items stay within their bounds, recorded time never steps back, and no byte is handed out twice. The first two bytes are
/// the position of the cut.
enum RecordingTarget {
  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard bytes.count > 1 else { return 0 }
    let input = Array(bytes.dropFirst(2))
    let cut = min(Int(bytes[0]) << 8 | Int(bytes[1]), input.count)
    let items = Self.items(of: [input])
    precondition(items == Self.items(of: [Array(input[..<cut]), Array(input[cut...])]))
    check(items, size: input.count)
    return 0
  }

  private static func items(of pieces: [[UInt8]]) -> [RecordingItem] {
    var decoder = RecordingDecoder()
    var items: [RecordingItem] = []
    for piece in pieces {
      piece.withUnsafeBufferPointer { decoder.feed($0) }
      while let item = decoder.next() { items.append(item) }
    }
    decoder.end()
    while let item = decoder.next() { items.append(item) }
    return items
  }

  private static func check(_ items: [RecordingItem], size: Int) {
    var count = 0
    for item in items {
      switch item {
      case .burst(let burst):
        precondition(burst.bytes.count <= RecordingDecoder.maximumBurst)
        count += burst.bytes.count
      case .header(let header): precondition(header.fields.count <= RecordingHeader.maximumFields)
      case .event(let event): count += event.json.count
      case .damage, .point: break
      }
    }
    precondition(count <= size)
    play(items)
  }

  /// Hands out the inputs of the items at their recorded times, which never step back. None is kept: two points of a route
  /// far apart make a hundred thousand.
  static func play(_ items: some Sequence<RecordingItem>, _ body: (RecordedInput) -> Void = { _ in }) {
    var player = RecordingPlayer()
    var last: MonotonicInstant?
    func drain() {
      for input in player.inputs {
        precondition(last.map { $0 <= input.instant } ?? true, "recorded time stepped back")
        last = input.instant
        body(input)
      }
      player.removeInputs()
    }
    for item in items {
      player.add(item)
      drain()
    }
    player.finish()
    drain()
  }
}

/// The readers of every form that can be replayed, whole and in pieces of one size: both must give the same items.
///
/// Reports hold values in their ranges. The first byte is the size of the pieces less one.
enum ReplayTarget {
  /// Items that are compared: a route of two points may have 300,000.
  private static let limit = 20_000

  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard let piece = bytes.first else { return 0 }
    let file = Array(bytes.dropFirst())
    var pieces = Items(file, piece: Int(piece) + 1)
    var count = 0
    RecordingTarget.play(
      Items(file, piece: max(file.count, 1)).lazy.map { item in
        precondition(item == pieces.next(), "the size of the pieces changes what is read")
        count += 1
        return item
      }.prefix(limit)
    ) { input in
      guard case .report(.position(let position), _) = input.content, let fix = position.fix else { return }
      EpochWitness.check(fix)
    }
    precondition(count == limit || pieces.next() == nil, "the size of the pieces changes what is read")
    return 0
  }

  /// The items of a file that is read in pieces of one size.
  private struct Items: Sequence, IteratorProtocol {
    private var decoder = InputDecoder()
    private var rest: ArraySlice<UInt8>
    private let piece: Int
    private var hasEnded = false

    init(_ file: [UInt8], piece: Int) {
      rest = file[...]
      self.piece = piece
    }

    mutating func next() -> RecordingItem? {
      while true {
        if let item = decoder.next() { return item }
        if hasEnded { return nil }
        if rest.isEmpty {
          hasEnded = true
          decoder.end()
        } else {
          rest.prefix(piece).withUnsafeBufferPointer { decoder.feed($0) }
          rest = rest.dropFirst(piece)
        }
      }
    }
  }
}

/// The values of a state as words of a line, each exactly: written in the order in which they are passed, or read so.
struct StateWords {
  private var words: [Substring] = []
  /// Index of the next word to read; `nil` for writing.
  private var next: Int?
  private var isDamaged = false

  init() {}

  init(_ line: Substring) {
    words = line.split(separator: " ")
    next = 0
  }

  /// Whether a value comes next that earlier releases and states without it lack: one to write, or words to read.
  func hasMore(toWrite isPresent: Bool) -> Bool { next.map { $0 < words.count } ?? isPresent }
  var line: String { words.joined(separator: " ") }

  static func line<State>(of state: State, _ code: (inout State, inout Self) -> Void) -> String {
    var (state, words) = (state, Self())
    code(&state, &words)
    return words.line
  }

  /// Whether all words have been read, and each was a value of its type.
  var isComplete: Bool { next == words.count && !isDamaged }

  private mutating func code(_ write: @autoclosure () -> String, _ read: (Substring) -> Bool) {
    guard let index = next else { return words.append(Substring(write())) }
    next = index + 1
    if isDamaged || index >= words.count || !read(words[index]) { isDamaged = true }
  }

  mutating func code<Value: LosslessStringConvertible>(
    _ value: inout Value, validIf isValid: (Value) -> Bool = { _ in true }
  ) {
    code(value.description) { word in
      guard let read = Value(String(word)), isValid(read) else { return false }
      value = read
      return true
    }
  }

  /// A finite number, in the shortest text that reads as the same one.
  mutating func code(_ value: inout Double) { code(&value, validIf: { $0.magnitude < 1e15 }) }

  /// A name as the hexadecimal digits of its bytes.
  mutating func code(_ name: inout String) {
    code(Hexadecimal.text(name.utf8)) { word in
      let read = Hexadecimal.bytes(word.utf8).flatMap { String(validating: $0, as: UTF8.self) }
      name = read ?? name
      return read != nil
    }
  }

  /// A value that may be absent; `empty` is what is read into.
  mutating func code<Value>(_ value: inout Value?, _ empty: Value, _ body: (inout Self, inout Value) -> Void) {
    var isPresent = value != nil
    code(&isPresent)
    guard isPresent else { return value = nil }
    var present = value ?? empty
    body(&self, &present)
    value = present
  }

  mutating func code(_ value: inout Double?) { code(&value, 0) { $0.code(&$1) } }
  mutating func code(_ value: inout UInt32?) { code(&value, 0) { $0.code(&$1) } }

  mutating func code(_ value: inout UTCInstant?) {
    code(&value, UTCInstant(nanosecondsSince1970: 0)) { words, value in
      var nanoseconds = value.nanosecondsSince1970
      words.code(&nanoseconds)
      value = UTCInstant(nanosecondsSince1970: nanoseconds)
    }
  }

  mutating func code(_ value: inout Coordinate) {
    var (latitude, longitude) = (value.latitude, value.longitude)
    code(&latitude)
    code(&longitude)
    if let read = Coordinate(latitude: latitude, longitude: longitude) { value = read } else { isDamaged = true }
  }

  /// As many values as there are, at most `limit`.
  mutating func code<Value>(
    _ values: inout [Value], _ empty: Value, limit: Int, _ body: (inout Self, inout Value) -> Void
  ) {
    var count = values.count
    code(&count)
    guard 0...limit ~= count else { return isDamaged = true }
    if next != nil { values = Array(repeating: empty, count: count) }
    for index in values.indices { body(&self, &values[index]) }
  }
}

extension RideAccumulator {
  mutating func code(_ words: inout StateWords) {
    words.code(&firstMove)
    words.code(&lastMove)
    sums.code(&words)
    climb.code(&words)
    state.code(&words)
    words.code(&last, .empty) { $1.code(&$0) }
    trace.code(&words)
    words.code(&intervals.0)
    words.code(&intervals.1)
    words.code(&anchor, Anchor(position: .origin, time: 0)) { words, anchor in
      words.code(&anchor.position)
      words.code(&anchor.time)
      words.code(&anchor.path)
    }
    words.code(&progress, Progress(start: .origin)) { $1.code(&$0) }
    unconfirmed.code(&words)
    var strayed = anchor?.strayed ?? 0
    words.code(&strayed)
    anchor?.strayed = strayed
    // Of earlier releases: whether the arrival of the next fix is on another clock, as that of every state that is read.
    var isInterrupted = false
    words.code(&isInterrupted)
    if words.hasMore(toWrite: !sums.sensors.isEmpty || climb.isFused) {
      sums.sensors.code(&words)
      climb.codePressure(&words)
    }
  }
}

extension RideFigures {
  fileprivate mutating func code(_ words: inout StateWords) {
    words.code(&start)
    words.code(&movingTime)
    words.code(&distance)
    words.code(&maximumSpeed)
    words.code(&fixes)
    words.code(&gaps)
    words.code(&gapTime)
  }
}

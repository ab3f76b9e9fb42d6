import Testing

@testable import LocationDaemon

@Suite("Where keys and values stand")
struct TOMLPositionsTests {
  static let text = """
    # "a" = [1]
    a = 1   # a comment with = and [
    b.c = "x # no \\" comment"
    "d e" = '''
    f = 1
    ''' # still d
    g = [ 1, # one
      { h = 2, i = "]" },
      [ 3, "}" ],
    ]
    [j."k"]
    l = 1979-05-27T07:32:00Z
    [[m]]
    n = 1
    [[m]]
    ö.n = 2
      n = \"\"\"
    x\"\"\"
    [m.o]
    p = 5
    """

  typealias Case = (path: [TOMLPositions.Step], key: (Int, Int)?, value: (Int, Int)?)

  static let places: [Case] = [
    ([.key("a")], (2, 1), (2, 5)),
    ([.key("b")], (3, 1), nil),
    ([.key("b"), .key("c")], (3, 1), (3, 7)),
    ([.key("d e")], (4, 1), (4, 9)),
    ([.key("f")], nil, nil),
    ([.key("g")], (7, 1), (7, 5)),
    ([.key("g"), .index(0)], nil, (7, 7)),
    ([.key("g"), .index(1), .key("h")], (8, 5), (8, 9)),
    ([.key("g"), .index(1), .key("i")], (8, 12), (8, 16)),
    ([.key("g"), .index(2)], nil, (9, 3)),
    ([.key("g"), .index(2), .index(1)], nil, (9, 8)),
    ([.key("j"), .key("k"), .key("l")], (12, 1), (12, 5)),
    ([.key("m")], (13, 1), nil),
    ([.key("m"), .index(0)], nil, (13, 1)),
    ([.key("m"), .index(0), .key("n")], (14, 1), (14, 5)),
    ([.key("m"), .index(1)], nil, (15, 1)),
    ([.key("m"), .index(1), .key("ö"), .key("n")], (16, 1), (16, 7)),
    ([.key("m"), .index(1), .key("n")], (17, 3), (17, 7)),
    ([.key("m"), .index(1), .key("o"), .key("p")], (20, 1), (20, 5)),
    ([.key("m"), .index(2)], nil, nil),
  ]

  @Test("each has its line and column, whatever stands before it", arguments: places.indices)
  func finds(index: Int) {
    let positions = TOMLPositions(of: Self.text)
    let (path, key, value) = Self.places[index]
    #expect(positions.key(path) == key.map { TextPosition(line: $0.0, column: $0.1) })
    #expect(positions.value(path) == value.map { TextPosition(line: $0.0, column: $0.1) })
  }

  @Test(
    "what is no TOML is looked through to its end all the same",
    arguments: ["[", "[[", "a = [", "a = {b", "\"", "=", "]", "a = [=]", "a.", "{}", "'''"])
  func ends(text: String) {
    _ = TOMLPositions(of: text)
    _ = TOMLPositions(of: text + "\n" + text)
  }
}

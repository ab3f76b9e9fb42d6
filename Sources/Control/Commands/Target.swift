import ArgumentParser
import LocationClient
import LocationCore

struct Target: AsyncParsableCommand {
  private enum Action {
    case list
    case set(String, Coordinate)
    case remove(String)
  }

  static let configuration = CommandConfiguration(
    abstract: "Lists, sets and removes targets, the arrival at which is reported.",
    usage: """
      handlebarctl target [list]
      handlebarctl target set <name> <lat> <lon> [--radius <M>]
      handlebarctl target remove <name>
      """,
    discussion: """
      Example: handlebarctl target set home 48.1173 11.5167 --radius 100
               handlebarctl target remove home

      A target stays until it is removed. It survives a restart of the daemon if that has a state directory.
      """)

  @Argument(help: "list, set or remove; name, latitude and longitude in degrees.", completion: Completions.target)
  var words: [String] = []
  @Option(help: .value("M", "Radius of the target, metres, 1 to 10000 (default: 100).")) var radius: DecimalArgument?
  @OptionGroup var options: ReportOptions

  func validate() throws {
    if let radius, !LocationCore.Target.radii.contains(radius.value) {
      throw ValidationError("--radius must be 1 to 10000 metres")
    }
    _ = try wanted()
  }

  func run() async throws {
    let (action, texts) = (try wanted(), ReportText(units: options.units))
    let lines = try await options.connection.ask { client in
      switch action {
      case .list: return try await client.targets().map(texts.line)
      case .remove(let name):
        try await client.removeTarget(name)
        return ["target \(name.printable) is removed"]
      case .set(let name, let coordinate):
        let report = try await client.setTarget(name, at: coordinate, radius: radius?.value)
        return [report.map(texts.line) ?? "target \(name.printable) is set"]
      }
    }
    if lines.isEmpty { StandardError.say("no target is set; set one: handlebarctl target set NAME LAT LON") }
    StandardOutput.lines(lines)
  }

  /// What the words ask for; `NAME LAT LON` and `NAME off` are those of earlier releases.
  private func wanted() throws -> Action {
    let isNew = words.count == 4 ? words[0] == "set" : words.count == 2 && words[0] == "remove"
    let rest = isNew ? Array(words.dropFirst()) : words
    guard let name = rest.first, words != ["list"] else { return .list }
    try ViewName.validate(name, "the target's name")
    if isNew ? rest.count == 1 : rest.dropFirst() == ["off"] { return .remove(name) }
    guard rest.count == 3, let latitude = DecimalArgument(argument: rest[1]),
      let longitude = DecimalArgument(argument: rest[2])
    else { throw ValidationError("use target list, target set NAME LAT LON, or target remove NAME") }
    return .set(name, try Place.coordinate(latitude, longitude))
  }
}

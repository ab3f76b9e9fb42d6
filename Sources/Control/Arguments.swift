import ArgumentParser
import LocationCore

/// Negative numbers as arguments: to the argument parser, `-33.8` is a bundle of flags.
enum NegativeNumbers {
  private static let minus: Character = "\u{2212}"

  /// The arguments, with U+2212 instead of a hyphen before a digit.
  static func protected(_ arguments: some Sequence<String>) -> [String] {
    arguments.map { argument in
      let rest = argument.dropFirst()
      guard argument.first == "-", let next = rest.first, next.isASCII, next.isNumber || next == "." else {
        return argument
      }
      return String(minus) + rest
    }
  }

  static func restored(in text: String) -> String { String(text.map { $0 == minus ? "-" : $0 }) }
  static func restored(_ argument: String) -> String { argument.first == minus ? "-" + argument.dropFirst() : argument }
}

/// A finite number, negative or not.
struct DecimalArgument: ExpressibleByArgument {
  let value: Double

  init?(argument: String) {
    let text = NegativeNumbers.restored(argument)
    // Double also takes hexadecimal, "inf" and "nan".
    guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }),
      let value = Double(text), value.isFinite
    else { return nil }
    self.value = value
  }
}

struct PlaceArgument: ExpressibleByArgument {
  let coordinate: Coordinate

  init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map {
      DecimalArgument(argument: String($0))
    }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
      let coordinate = Coordinate(latitude: latitude.value, longitude: longitude.value)
    else { return nil }
    self.coordinate = coordinate
  }
}

enum Place {
  static func coordinate(_ latitude: DecimalArgument, _ longitude: DecimalArgument) throws -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude.value, longitude: longitude.value) else {
      throw ValidationError("LAT must be -90 to 90 degrees, LON -180 to 180")
    }
    return coordinate
  }
}

/// The name of a view or a target, within the daemon's limits.
enum ViewName {
  static func validate(_ name: String, _ what: String = "--view") throws {
    guard (1...64).contains(name.utf8.count) else { throw ValidationError("\(what) must be 1 to 64 bytes long") }
  }
}

enum MistypedCommand {
  /// The message for arguments that name no command, or nearly an option of the named one; `nil` when there is none.
  static func message(_ arguments: [String], root: any ParsableCommand.Type) -> String? {
    var (command, path) = (root, [root._commandName])
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if ["--socket", "--dir", "--units"].contains(word) { _ = rest.popFirst() }
      guard !word.hasPrefix("-") else { continue }
      let known = command.configuration.subcommands
      if known.isEmpty { break }
      if word == "help", path.count == 1 { continue }
      guard let found = known.first(where: { $0._commandName == word }) else {
        return text(word, path, known.map { $0._commandName })
      }
      path.append(word)
      command = found
    }
    return option(arguments.prefix { $0 != "--" }, of: command, path)
  }

  private static func text(_ word: String, _ path: [String], _ names: [String]) -> String {
    let prefix = path.dropFirst().map { $0 + " " }.joined()
    let help = "\(path.joined(separator: " ")) --help"
    let unknown = "unknown command '\(prefix)\(word.printable)'"
    guard let nearest = word.nearest(among: names), nearest.distance <= 2, nearest.distance < nearest.name.count else {
      return "\(unknown); see: \(help)"
    }
    return "\(unknown). Did you mean '\(prefix)\(nearest.name)'? See: \(help)"
  }

  private static func option(
    _ words: ArraySlice<String>, of command: any ParsableCommand.Type, _ path: [String]
  ) -> String? {
    let help = command.helpMessage(includeHidden: false, columns: 200)
    let options = help.split { !($0.isLetter || $0 == "-") }.filter { $0.hasPrefix("--") }.map(String.init).sorted()
    for name in words.filter({ $0.hasPrefix("--") }).map({ String($0.prefix { $0 != "=" }) }) {
      guard let nearest = name.nearest(among: options), (1...2).contains(nearest.distance) else { continue }
      return "unknown option '\(name.printable)'. Did you mean '\(nearest.name)'? See: "
        + "\(path.joined(separator: " ")) --help"
    }
    return nil
  }
}

extension ArgumentHelp {
  static func value(_ name: String, _ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: name) }
}

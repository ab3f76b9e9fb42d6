import ArgumentParser

/// Lets a southern latitude be an argument: to the argument parser, `-33.8` is a bundle of flags.
enum NegativeNumbers {
  private static let minus: Character = "\u{2212}"

  /// The arguments with U+2212 in the place of a hyphen before a digit.
  static func protected(_ arguments: some Sequence<String>) -> [String] {
    arguments.map { argument in
      let rest = argument.dropFirst()
      guard argument.first == "-", let next = rest.first, next.isASCII, next.isNumber || next == "." else {
        return argument
      }
      return String(minus) + rest
    }
  }

  /// A text about arguments, with them as they were typed.
  static func restored(in text: String) -> String {
    String(text.map { $0 == minus ? "-" : $0 })
  }

  /// The argument as it was typed.
  static func restored(_ argument: String) -> String {
    argument.first == minus ? "-" + argument.dropFirst() : argument
  }
}

/// A number on the command line, negative or not; finite.
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

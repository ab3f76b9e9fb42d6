import ArgumentParser
import Libc
import LocationClient
import Recordings
import SystemPackage

/// What the shell completes beside files: names that the directory of rides and the daemon hold.
enum Completions {
  static let ride = CompletionKind.custom { arguments, _, prefix in
    words(await rideNames(arguments).matching(prefix) + files(prefix))
  }

  static let recordedRide = CompletionKind.custom { arguments, _, prefix in
    words(await rideNames(arguments).matching(prefix))
  }

  static let target = kept { ["list", "set", "remove"] + ((try? await $0.targets().map(\.name)) ?? []) }
  static let trip = kept { try await $0.trips().map(\.name) }
  static let course = kept { try await $0.courses().map(\.name) }

  /// Names of the running daemon; none without one.
  private static func kept(_ names: @escaping @Sendable (LocationClient) async throws -> [String]) -> CompletionKind {
    .custom { arguments, _, prefix in
      words(((try? await names(client(arguments))) ?? []).matching(prefix))
    }
  }

  private static func rideNames(_ arguments: [String]) async -> [String] {
    var path = value(of: "--dir", in: arguments) ?? Environment["HANDLEBAR_RECORD"]
    if path == nil { path = try? await client(arguments).recording().directory }
    guard let path, let rides = try? RideDirectory(existing: path).ridesInOrder(), !rides.isEmpty else { return [] }
    return ["last"] + rides.reversed().map(\.name.stem)
  }

  private static func client(_ arguments: [String]) -> LocationClient {
    value(of: "--socket", in: arguments).map { LocationClient(endpoint: .unix(path: $0)) } ?? LocationClient()
  }

  private static func value(of option: String, in arguments: [String]) -> String? {
    guard let index = arguments.lastIndex(of: option), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
  }

  private static func files(_ prefix: String) -> [String] {
    let end = prefix.lastIndex(of: "/").map { prefix.index(after: $0) } ?? prefix.startIndex
    let folder = String(prefix[..<end])
    let start = prefix[end...]
    let names = Directory.names(in: folder.isEmpty ? "." : folder).filter { name in
      name.hasPrefix(start) && (!name.hasPrefix(".") || start.hasPrefix("."))
    }
    return names.map { name in
      let isDirectory = (try? Stat(folder + name))?.type == .directory
      return folder + name + (isDirectory ? "/" : "")
    }.sorted()
  }

  /// The words as the shell takes them: bash expands them, zsh reads a description behind a colon.
  private static func words(_ words: [String]) -> [String] {
    let special: (Character) -> Bool
    switch CompletionShell.requesting {
    case .bash: special = { !($0.isASCII && ($0.isLetter || $0.isNumber) || "/._-+".contains($0)) }
    case .zsh: special = { $0 == ":" || $0 == "\\" }
    default: return words
    }
    return words.filter { !$0.contains("\n") }.map { $0.map { special($0) ? "\\\($0)" : "\($0)" }.joined() }
  }
}

extension [String] {
  fileprivate func matching(_ prefix: String) -> [String] { filter { $0.hasPrefix(prefix) } }
}

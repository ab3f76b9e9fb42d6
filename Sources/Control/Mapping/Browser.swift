import Glibc
import MapServer
import Recordings
import Subprocess
import SystemPackage

struct Browser {
  private static let kiosks = [
    ("chromium", ["--kiosk", "--noerrdialogs", "--no-first-run", "--disable-session-crashed-bubble"]),
    ("chromium-browser", ["--kiosk", "--noerrdialogs", "--no-first-run", "--disable-session-crashed-bubble"]),
    ("firefox-esr", ["--kiosk"]), ("firefox", ["--kiosk"]),
  ]

  private let program: FilePath
  private let options: [String]
  /// The address, or a file that leads to it: every user can read the arguments of a process.
  private let page: String
  private let file: String?

  /// The first installed browser that can fill the screen; `nil` when there is none.
  static var kiosk: (program: String, options: [String])? {
    let directories = (Environment["PATH"] ?? "").split(separator: ":")
    for (name, options) in kiosks {
      if let directory = directories.first(where: { access("\($0)/\(name)", X_OK) == 0 }) {
        return ("\(directory)/\(name)", options)
      }
    }
    return nil
  }

  /// `nil` when the file cannot be made.
  init?(program: String, options: [String], showing server: MapServer) {
    file = server.hasToken ? Self.makeRedirection(to: server.url) : nil
    guard let page = server.hasToken ? file : server.url else { return nil }
    self.page = page
    self.program = FilePath(program)
    self.options = options
  }

  /// Runs it until it ends; returns whether it did so without an error, or `nil` if it cannot be started.
  func run() async -> Bool? {
    let executable: Executable = program.isAbsolute ? .path(program) : .name(program.string)
    var platform = PlatformOptions()
    platform.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(3))]
    return try? await Subprocess.run(
      executable, arguments: Arguments(options + [page]), platformOptions: platform, input: .none, output: .discarded,
      error: .discarded
    ).terminationStatus.isSuccess
  }

  func removeFile() {
    if let file { unlink(file) }
  }

  /// Makes a page that only this user can read and that leads to an address; `nil` where none can be made.
  private static func makeRedirection(to url: String) -> String? {
    let path = "\(Environment.temporaryDirectory)/handlebar-map-\(UInt64.random(in: .min ... .max)).html"
    let page = """
      <!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
      <meta http-equiv="refresh" content="0; url=\(url)"><title>Ride</title>

      """
    guard (try? RecordingFile.replace(path, with: Array(page.utf8), mode: 0o600, isDurable: false)) != nil else {
      return nil
    }
    return path
  }
}

/// A QR code in the terminal, by qrencode(1) if it is installed.
enum QRCode {
  static func print(_ text: String) async {
    guard StandardOutput.isTerminal else { return }
    // From standard input: every user can read the arguments of a process.
    let result = try? await Subprocess.run(
      .name("qrencode"), arguments: ["-t", "ANSIUTF8", "-m", "2"], input: .string(text), output: .bytes(limit: 1 << 20),
      error: .discarded)
    if let result, result.terminationStatus.isSuccess { StandardOutput.write(result.standardOutput) }
  }
}

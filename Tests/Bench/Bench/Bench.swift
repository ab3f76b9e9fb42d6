import Glibc

/// Measures the daemon beside gpsd and prints one table.
///
///     Bench FOLDER [--baseline FOLDER] [one-client] [behind-gpsd] [eight-clients] [many-clients] [poses]
///       [stalled-client] [flat-out] [day] [silence] [replug] [idle] [start] [wire] [clock] [parser] [sizes]
///       [ubx] [forwarding] [baseline]
///
/// `FOLDER` holds the built programs. Without names every part but forwarding, which needs mosquitto, is measured; with a
/// baseline, another build to compare the first with in the same run, only the comparison. A part that fails is named, the others are printed, and the exit code is 1.
@main
final class Bench {
  /// The folder of the built programs.
  let folder: String
  let ours: Subject
  let gpsd = Subject.gpsd("/usr/sbin/gpsd")
  /// Another build of the daemon.
  let baseline: Subject?
  let scratch: Scratch
  /// Drawn below the table.
  var histograms: [Histogram] = []
  /// Ours and gpsd without receiver and client since the start of the run, for the part `idle`.
  private(set) var resting: Result<(subjects: [RunningSubject], since: Int64), any Error>?

  private init(folder: String, baseline: String?) throws {
    for folder in [folder, baseline].compactMap({ $0 }) where access("\(folder)/handlebard", X_OK) != 0 {
      throw Failure("\(folder)/handlebard")
    }
    self.folder = folder
    ours = .handlebard("\(folder)/handlebard")
    self.baseline = baseline.map { .handlebard("\($0)/handlebard") }
    scratch = try Scratch()
  }

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    var isComplete = false
    do {
      var arguments = CommandLine.arguments.dropFirst()
      if arguments.first == "--floor" {
        guard arguments.count == 3 else { throw Failure("usage: --floor TERMINAL SOCKET") }
        try Floor.run(terminal: arguments[2], socket: arguments[3])
      }
      guard let folder = arguments.popFirst() else { throw Failure("usage: Bench FOLDER [--baseline FOLDER] [PART…]") }
      var baseline: String?
      if arguments.first == "--baseline" {
        arguments.removeFirst()
        baseline = arguments.popFirst()
      }
      openManyDescriptors()
      isComplete = try Bench(folder: folder, baseline: baseline).run(Set(arguments))
    } catch {
      log("bench: \(error)")
    }
    exit(isComplete ? 0 : 1)
  }

  /// Measures the named parts and prints them; `false` when one failed.
  private func run(_ requested: Set<String>) throws -> Bool {
    let parts: [(name: String, measure: () throws -> [Figure])] = [
      ("one-client", oneClient), ("behind-gpsd", behindGPSD), ("eight-clients", eightClients),
      ("many-clients", manyClients), ("poses", poses), ("stalled-client", stalledClient), ("flat-out", flatOut),
      ("day", day), ("silence", silence), ("replug", replug), ("idle", idle), ("start", start), ("wire", wire),
      ("clock", clockJitter), ("parser", parser), ("sizes", sizes),
    ]
    let known = Set(parts.map(\.name)).union(["ubx", "forwarding", "baseline"])
    for name in requested where !known.contains(name) { throw Failure("no part is named \(name)") }
    var names = requested
    if names.isEmpty { names = baseline == nil ? known.subtracting(["forwarding", "baseline"]) : ["baseline"] }

    let begin = Clock.now
    var failures: [String] = []
    func measured(_ name: String, _ measure: () throws -> [Figure]) -> [Figure] {
      guard names.contains(name) else { return [] }
      Self.log("measuring \(name), at \((Clock.now - begin) / 1_000_000_000) s")
      do {
        return try measure()
      } catch {
        Self.log("\(name) FAILED: \(error)")
        failures.append("\(name) FAILED: \(error)")
        return []
      }
    }

    // A receiver that was lost or never seen is polled more often at first: these two wait from here on.
    if names.contains("idle") {
      let nowhere = scratch.file("nowhere")
      resting = Result {
        (try [ours, gpsd].map { try $0.start(in: scratch, on: Terminal(unpluggedFrom: nowhere)) }, begin)
      }
    }
    var figures: [Figure] = []
    for (name, measure) in parts { figures += measured(name, measure) }
    let ubx = measured("ubx", compareWithSentences)
    let comparison = measured("baseline", compareWithBaseline)
    let forwarding = measured("forwarding", compareWithForwarder)

    if !figures.isEmpty { print(Table(figures).text) }
    if !ubx.isEmpty { print(Table(ubx, ours: "UBX", peer: "NMEA").text) }
    if !comparison.isEmpty { print(Table(comparison, ours: "after", peer: "before").text) }
    if !forwarding.isEmpty { print(Table(forwarding, ours: "with forwarder", peer: "without").text) }
    let verdicts = (figures + ubx).compactMap(\.isReached)
    let seconds = (Clock.now - begin) / 1_000_000_000
    if !verdicts.isEmpty {
      print("\n\(verdicts.count { $0 }) of \(verdicts.count) targets reached, in \(seconds) s.")
    }
    print(Self.legend)
    if !histograms.isEmpty {
      print("\nwire: from the last byte that a fix needs to the last line with that fix, every byte at its own time.")
      print(histograms.map(\.text).joined(separator: "\n"))
    }
    for failure in failures { print(failure) }
    return failures.isEmpty
  }

  private static let legend = """
    Median (lowest–highest) of repetitions that alternate between the programs. Ratio: ours by the other's, of the pairs.
    Floor: a program that counts line ends and answers an epoch with a constant line, through the same driver; for the
    parser, a scan for delimiters and checksums. Added: what ours adds to the floor by what the other adds to it.
    """

  private static func log(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  private static func openManyDescriptors() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, 4096)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

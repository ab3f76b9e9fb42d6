import Glibc

/// Measures the daemon beside gpsd and prints one table.
///
///     Bench FOLDER [one-client] [behind-gpsd] [eight-clients] [many-clients] [stalled-client] [flat-out] [day] [silence]
///       [replug] [idle] [start] [wire] [parser] [sizes] [cold]
///
/// `FOLDER` holds the built programs. Without names everything is measured.
@main
final class Bench {
  /// The folder of the built programs.
  let folder: String
  let ours: Subject
  let gpsd = Subject.gpsd("/usr/sbin/gpsd")
  let scratch: Scratch
  /// What is drawn below the table.
  var histograms: [Histogram] = []
  /// Ours and gpsd without receiver and client, and since when they run.
  private(set) var resting: (subjects: [RunningSubject], since: Int64)?

  private init(folder: String) throws {
    self.folder = folder
    ours = .handlebard("\(folder)/handlebard")
    scratch = try Scratch()
  }

  static func main() throws {
    signal(SIGPIPE, SIG_IGN)
    var arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "--floor" {
      let words = Array(arguments)
      guard words.count == 3 else { throw Failure("--floor TERMINAL SOCKET") }
      try Floor.run(terminal: words[1], socket: words[2])
    }
    guard let folder = arguments.popFirst() else { throw Failure("name the folder of the built programs") }
    openManyDescriptors()
    try Bench(folder: folder).run(Set(arguments))
  }

  private func run(_ names: Set<String>) throws {
    let parts: [(name: String, measure: () throws -> [Figure])] = [
      ("one-client", oneClient), ("behind-gpsd", behindGPSD), ("eight-clients", eightClients),
      ("many-clients", manyClients), ("stalled-client", stalledClient), ("flat-out", flatOut), ("day", day),
      ("silence", silence), ("replug", replug), ("idle", idle), ("start", start), ("wire", wire), ("parser", parser),
      ("sizes", sizes), ("cold", cold),
    ]
    for name in names where !parts.contains(where: { $0.name == name }) { throw Failure("\(name) is no part") }
    var figures: [Figure] = []
    let begin = Clock.now
    // A receiver that was lost or has never been there is looked for more often at first.
    if names.isEmpty || names.contains("idle") {
      let nowhere = scratch.file("nowhere")
      resting = (try [ours, gpsd].map { try $0.start(in: scratch, on: Terminal(unpluggedFrom: nowhere)) }, begin)
    }
    for (name, measure) in parts where names.isEmpty || names.contains(name) {
      Self.say("measuring \(name), at \((Clock.now - begin) / 1_000_000_000) s")
      figures += try measure()
    }
    print(Table(figures).text)
    let verdicts = figures.compactMap(\.isReached)
    print(
      "\n\(verdicts.count { $0 }) of \(verdicts.count) targets reached, in \((Clock.now - begin) / 1_000_000_000) s.")
    print(
      "Median (lowest–highest) of repetitions that alternate between the programs; ratio: ours by gpsd's, median (lowest–highest) of the pairs."
    )
    if !histograms.isEmpty {
      print(
        "\nOn the wire: from the last byte that a fix needs to the last line with that fix at a client, each byte at its own time."
      )
      print(histograms.map(\.text).joined(separator: "\n"))
    }
    print("Floor: a program that only counts line ends and answers with a constant line, through the same driver.")
    print(Self.whereTheTimeGoes)
  }

  /// What an epoch's time at 10 Hz is made of.
  private static let whereTheTimeGoes = """

    Where the time goes at 10 Hz: not into instructions. Fed without a pause the daemon takes 8 µs for an epoch, wake-up,
    read and write included; one that waits for the next epoch comes back to cold caches, and pays for every page and every
    line of memory that it touches ("cold" measures both). So the functions of an epoch stand together in the program
    (.make/order) and are read ahead before they run, and what need not be touched is not. The floor pays for the kernel
    alone: one wake-up, one read, one write, going back to sleep. No program that reads a line and writes to a client can
    be quicker.
    """

  private static func say(_ text: String) {
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

import ArgumentParser
import Glibc
import LocationCore
import Recordings

/// `decode`: what the daemon would make of a recording, without a daemon.
struct Decode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Decodes a recording or an NMEA log: one TPV line per epoch, one object per sentence, or what the receiver sends.",
    discussion: """
      Example: handlebarctl decode --filter 10 recordings/city.nmea

      An epoch without a fix is a TPV with mode 1; with a filter only the fixes that pass are printed. A summary goes to standard error.

      Example: handlebarctl decode --stats --speed 9600 recordings/city.nmea

      --stats tells the types of sentences, their order and rate, talkers, gaps, errors, malformed fields, satellites, and how full the line is.
      """)

  @Flag(help: "One object per sentence or rejected line instead.")
  var sentences = false

  @Flag(help: "What the receiver sends instead: a table.")
  var stats = false

  @Flag(help: "With --stats: one JSON object for each source.")
  var json = false

  @Option(help: ArgumentHelp("With --stats: bit/s of the line; else as the recording says.", valueName: "BPS"))
  var speed: Int?

  @Option(help: ArgumentHelp("Metres between fixes; 0 = every epoch.", valueName: "M"))
  var filter: DecimalArgument?

  @Argument(help: ArgumentHelp("The recording or log; - is standard input.", valueName: "FILE"))
  var file: String

  func validate() throws {
    if stats, sentences { throw ValidationError("--stats and --sentences print different things: choose one") }
    if json, !stats { throw ValidationError("--json goes with --stats; everything else is JSON anyway") }
    if let speed {
      if !stats { throw ValidationError("--speed goes with --stats") }
      if speed <= 0 { throw ValidationError("--speed is bit/s, as 9600") }
    }
    guard let filter else { return }
    if filter.value < 0 { throw ValidationError("--filter is metres from 0 upwards") }
    if sentences || stats {
      throw ValidationError("--filter chooses among fixes; --\(sentences ? "sentences" : "stats") prints none")
    }
  }

  func run() throws {
    StandardOutput.prepare()
    var decoder = OfflineDecoder(device: file, result: try result())
    var progress = DecodeProgress()
    do throws(RecordingError) {
      var input = try DecodeInput(path: file)
      // What has been read is printed before more is waited for.
      while try input.readOn() {
        while let item = input.next() { decoder.take(item) }
        flush(&decoder)
        progress.report(input.bytesRead)
      }
      decoder.finish()
    } catch {
      flush(&decoder)
      throw CommandError.exit("\(error)", code: error.operation == .open ? EX_NOINPUT : EX_IOERR)
    }
    flush(&decoder)
    progress.end()
    for line in decoder.summary { StandardError.write(line + "\n") }
  }

  private func result() throws -> DecodeResult {
    if stats { return .statistics(speed: speed, json: json) }
    return sentences ? .sentences : .epochs(try FilterConfiguration(distance: filter?.value ?? 0))
  }

  private func flush(_ decoder: inout OfflineDecoder) {
    if decoder.output.count > 0 { StandardOutput.write(Array(decoder.output.bytes)) }
    decoder.output.removeAll()
  }
}

import ArgumentParser
import Glibc
import LocationCore
import Recordings

/// `decode`: what the daemon would make of a recording, without a daemon.
struct Decode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Decodes a recording or an NMEA log: one TPV line per epoch, or one object per sentence.",
    discussion: """
      Example: handlebarctl decode --filter 10 recordings/city.nmea

      An epoch without a fix is a TPV with mode 1; with a filter only the fixes that pass are printed. A summary goes to standard error.
      """)

  @Flag(help: "One object per sentence or rejected line instead.")
  var sentences = false

  @Option(help: ArgumentHelp("Metres between fixes; 0 = every epoch.", valueName: "M"))
  var filter: DecimalArgument?

  @Argument(help: ArgumentHelp("The recording or log; - is standard input.", valueName: "FILE"))
  var file: String

  func validate() throws {
    guard let filter else { return }
    if filter.value < 0 { throw ValidationError("--filter is metres from 0 upwards") }
    if sentences { throw ValidationError("--filter chooses among fixes; --sentences prints none") }
  }

  func run() throws {
    StandardOutput.prepare()
    let configuration = try FilterConfiguration(distance: filter?.value ?? 0)
    var decoder = OfflineDecoder(device: file, filter: configuration, printsSentences: sentences)
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

  private func flush(_ decoder: inout OfflineDecoder) {
    if decoder.output.count > 0 { StandardOutput.write(Array(decoder.output.bytes)) }
    decoder.output.removeAll()
  }
}

import ArgumentParser
import Glibc
import LocationCore
import Recordings
import RideTools

struct Decode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Decodes a recording or a log: prints one TPV line per epoch, one object per sentence, or statistics of the receiver.",
    discussion: """
      Example: handlebarctl decode --filter 10 recordings/city.nmea

      An epoch without a fix is a TPV with mode 1; with a filter, only the fixes that pass it are printed. A summary is printed to standard error. \
      Exits 65 if the input contains no valid sentence and no gpsd report.

      Example: handlebarctl decode --poses 10 recordings/city.nmea

      --poses prints the poses that the daemon would have published while the file was replayed: at each fix's time plus multiples of 1/HZ, predicted \
      from the fixes received before.

      Example: handlebarctl decode --course tour.gpx recordings/city.nmea

      --course prints where the rider was on a course, as the daemon would have published it at each fix. The course is the line of a GPX track or route, with \
      its named waypoints as cues, of TCX or FIT, or of GeoJSON; points within 2 m of the line through the others are left out.

      Example: handlebarctl decode --estimated --course tour.gpx ride.nmea

      --estimated also prints the positions that a wheel gives while there is no fix, with --course along the course.

      Example: handlebarctl decode --stats --speed 9600 recordings/city.nmea

      --stats shows the types of sentences, their order and rate, talkers, gaps, what the errors of the fixes follow from, rejected lines, malformed fields, satellites, and the load of the serial line.
      """)

  @Flag(help: "Print one object per sentence or rejected line.") var sentences = false
  @Option(help: .value("HZ", "Print poses between the fixes, 1 to 60 per second.")) var poses: Int?
  @Option(help: .value("FILE", "Print the progress on a course, of GPX, TCX, FIT or GeoJSON."), completion: .file())
  var course: String?
  @Flag(help: "Also print what is estimated without a fix; with --course, along the course.") var estimated = false
  @Flag(help: "Print statistics of the receiver's output as a table.") var stats = false
  @Flag(help: "With --stats: print one JSON object for each source.") var json = false

  @Option(help: .value("BPS", "With --stats: speed of the serial line, bit/s (default: the recording's)."))
  var speed: Int?

  @Option(help: .value("M", "Distance filter in metres; 0 prints every epoch (default: 0)."))
  var filter: DecimalArgument?

  @Argument(help: .value("FILE", "A recording, log, GPX, TCX or FIT; - is standard input."), completion: .file())
  var file: String

  func validate() throws {
    if [stats, sentences, poses != nil, course != nil || estimated].count(where: { $0 }) > 1 {
      throw ValidationError("choose one: --stats, --sentences, --poses, or --course and --estimated")
    }
    if let poses, !(1...60).contains(poses) { throw ValidationError("--poses must be a number from 1 to 60") }
    if json, !stats { throw ValidationError("--json needs --stats; all other output is JSON") }
    if let speed {
      if !stats { throw ValidationError("--speed needs --stats") }
      if speed <= 0 { throw ValidationError("--speed must be a number of bit/s, for example 9600") }
    }
    guard let filter else { return }
    if filter.value < 0 { throw ValidationError("--filter must be 0 metres or more") }
    if sentences || stats || poses != nil || course != nil && !estimated {
      let other = sentences ? "sentences" : stats ? "stats" : poses != nil ? "poses" : "course"
      throw ValidationError("--filter does not apply to --\(other)")
    }
  }

  func run() throws {
    var decoder = OfflineDecoder(file: file, result: try result())
    var progress = ReadingProgress()
    do throws(RecordingError) {
      var input = try RecordingReader(once: file)
      // Print what has been read before waiting for more.
      while try input.readOn() {
        while let item = input.nextRead() {
          decoder.decode(item)
          if decoder.output.count > RecordingReader.pieceSize { flush(&decoder) }
        }
        flush(&decoder)
        progress.report("\(input.bytesRead / 1_000_000) MB")
      }
      decoder.finish()
    } catch {
      flush(&decoder)
      throw CommandError.exit(error)
    }
    flush(&decoder)
    progress.end()
    for line in decoder.summary { StandardError.write(line + "\n") }
    let (nmea, reports) = (decoder.total.counters.nmea, decoder.total.reports)
    guard nmea.sentences == 0, nmea.ubxFrames == 0, reports.read == 0, !sentences || nmea.rejected == 0 else { return }
    let name = file == "-" ? "standard input" : file.printable
    throw CommandError.exit(
      "\(name) contains no valid NMEA sentence and no gpsd report, nor a UBX message; name a recording or a log of a receiver",
      code: EX_DATAERR)
  }

  private func result() throws -> DecodeResult {
    if stats { return .statistics(speed: speed, json: json) }
    if let poses { return .poses(rate: poses) }
    let course = try course.map { try CourseFile.named($0).course }
    if let course, !estimated { return .course(course) }
    return sentences
      ? .sentences
      : .epochs(try FilterConfiguration(distance: filter?.value ?? 0), estimated: estimated, course: course)
  }

  private func flush(_ decoder: inout OfflineDecoder) {
    if decoder.output.count > 0 { StandardOutput.write(Array(decoder.output.bytes)) }
    decoder.output.removeAll()
  }
}

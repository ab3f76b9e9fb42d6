import ArgumentParser
import Glibc
import Recordings
import RideTools

/// `simulate`: makes the recording of a ride that never was.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes the recording of a simulated ride.",
    discussion: """
      Example: handlebarctl simulate --ride city --seed 7 -o recordings/city.nmea
      Example: handlebarctl simulate --route route.gpx --speed 12 --receiver ublox-10hz --truth truth.json -o ride.nmea

      The same options give the same bytes on every machine. An existing file is replaced. The daemon rides the same
      live: simulate:route.gpx?speed=12&receiver=ublox-10hz, with rate=10 ten times as fast.
      """)

  @Option(
    help: ArgumentHelp(
      "A ride that has a name: \(SimulationOptions.rideNames.joined(separator: ", ")).", valueName: "NAME"),
    completion: .list(SimulationOptions.rideNames))
  var ride: String?

  @Option(help: ArgumentHelp("Ride along a GPX or GeoJSON file.", valueName: "FILE"), completion: .file())
  var route: String?

  @OptionGroup var details: SimulationArguments

  @Option(
    help: ArgumentHelp("Write what is true there: a line of JSON for each epoch, one for the ride.", valueName: "FILE"),
    completion: .file())
  var truth: String?

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The file to write; - is standard output.", valueName: "FILE"),
    completion: .file())
  var output = "-"

  func run() throws {
    StandardOutput.prepare()
    let options: SimulationOptions
    do throws(SimulationError) {
      options = try details.applied(to: road())
    } catch {
      throw CommandError.exit("\(error)", code: EX_USAGE)
    }
    let progress = Progress.start("riding")
    defer { progress.end() }
    let ride: SimulatedRide
    do throws(SimulationError) {
      ride = try options.ride()
    } catch {
      throw CommandError.exit("\(error)", code: EX_NOINPUT)
    }
    try write(ride)
  }

  private func road() throws(SimulationError) -> SimulationOptions {
    switch (ride, route) {
    case (let ride?, nil): try SimulationOptions(named: ride)
    case (nil, let route?): SimulationOptions(.file(route))
    default: throw SimulationError("name either --ride or --route, for example --ride tour")
    }
  }

  private func write(_ ride: SimulatedRide) throws {
    do throws(RecordingError) {
      var files = try SimulationFiles(recording: output == "-" ? nil : output, truth: truth)
      var writer = SimulatedWriter(of: ride)
      while let epoch = writer.next(into: &files.records) {
        if truth != nil { TruthLines.write(epoch, into: &files.truths) }
        try files.flush(beyond: 1 << 18)
      }
      if truth != nil { TruthLines.write(ride.truth, into: &files.truths) }
      try files.flush(beyond: 0)
      try files.publish()
    } catch {
      throw CommandError.exit("\(error)", code: error.operation == .create ? EX_CANTCREAT : EX_IOERR)
    }
  }
}

/// Where a simulated ride goes, in bounded memory.
private struct SimulationFiles: ~Copyable {
  var records: [UInt8] = []
  var truths: [UInt8] = []
  private var recording: RecordingDraft?
  private var truth: RecordingDraft?

  /// `nil` for the recording is standard output, for the truth nowhere.
  init(recording: String?, truth: String?) throws(RecordingError) {
    if let recording { self.recording = try RecordingDraft(for: recording) } else { self.recording = nil }
    if let truth { self.truth = try RecordingDraft(for: truth) } else { self.truth = nil }
  }

  /// Writes what has become more than so many bytes.
  mutating func flush(beyond limit: Int) throws(RecordingError) {
    if records.count > limit {
      if recording == nil { StandardOutput.write(records) } else { try recording?.append(records) }
      records.removeAll(keepingCapacity: true)
    }
    if truths.count > limit {
      try truth?.append(truths)
      truths.removeAll(keepingCapacity: true)
    }
  }

  /// Puts the files in their places.
  mutating func publish() throws(RecordingError) {
    try recording?.publish()
    try truth?.publish()
  }
}

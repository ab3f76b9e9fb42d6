import ArgumentParser
import Glibc
import Recordings

/// `simulate`: makes the recording of a ride that never was.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes the recording of a simulated ride.",
    discussion: """
      Example: handlebarctl simulate --ride city --seed 7 -o recordings/city.nmea

      The same ride and seed give the same bytes on every machine. An existing file is replaced.
      """)

  @Option(help: ArgumentHelp("The ride.", valueName: "RIDE"))
  var ride: BundledRide

  @Option(help: ArgumentHelp("Draws roads, errors and sky; by default that of the bundled ride.", valueName: "N"))
  var seed: UInt64?

  @Option(name: .shortAndLong, help: ArgumentHelp("The file to write; - is standard output.", valueName: "FILE"))
  var output = "-"

  func run() throws {
    StandardOutput.prepare()
    guard let recording = ride.recording(seed: seed ?? ride.defaultSeed) else {
      throw CommandError.exit("the ride \(ride.rawValue) has no road; choose another", code: EX_SOFTWARE)
    }
    if output == "-" {
      StandardOutput.write(recording.bytes)
      return
    }
    do throws(RecordingError) {
      try RecordingFile.replace(output, with: recording.bytes)
    } catch {
      throw CommandError.exit("\(error)", code: error.operation == .create ? EX_CANTCREAT : EX_IOERR)
    }
  }
}

extension BundledRide: ExpressibleByArgument {}

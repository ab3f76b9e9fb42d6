import ArgumentParser
import Glibc
import RideTools

struct Plot: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Draws a ride: track, stops, losses and follow mode; speed, altitude, accuracy and sensors over time.",
    discussion: """
      Example: handlebarctl plot recordings/city.nmea -o city.svg

      On a terminal, without -o, it draws a small map of characters. Otherwise it writes a self-contained SVG picture, light or dark as the viewer \
      prefers. The line connects the fixes that pass a 10 m distance filter, as a map receives them. An existing file is replaced. \
      --course draws a course under the ride. --poses adds the way that a renderer draws between the fixes.
      """)

  @Option(name: .shortAndLong, help: .value("FILE", "File to write; - is standard output."), completion: .file())
  var output: String?

  @Option(help: .value("FILE", "Draw a course under the ride, of GPX, TCX, FIT or GeoJSON."), completion: .file())
  var course: String?
  @Flag(help: "Draw the way of poses beside the fixes, predicted from those before.") var poses = false
  @OptionGroup var units: UnitOptions
  @OptionGroup var which: RideOptions

  func run() async throws {
    let line = try course.map { path throws(ExitCode) in try CourseFile.named(path).points.map(\.position) }
    let input = try await which.input()
    let privacy = try which.privacy(input)
    if poses, privacy != nil {
      throw CommandError.exit("poses may lead into a zone: leave out --poses, or --trim and the zones", code: EX_USAGE)
    }
    let title = privacy == nil ? input.title : "ride"
    var plot = RidePlot(withPoses: poses, course: line ?? [])
    try input.read(privacy) { plot.add($0) }
    plot.finish()
    guard plot.fixCount > 0 else { throw which.withoutFix(input) }
    if output == nil, StandardOutput.isTerminal {
      return StandardOutput.lines(
        MapText.lines(plot, title: title, units: units.units, size: .standardOutput, style: .standardOutput))
    }
    let subtitles = RideCaption.lines(plot, units: units.units)
    let picture = RidePicture.svg(plot, title: title, subtitles: subtitles, units: units.units)
    guard let picture else { throw which.withoutFix(input) }
    try OutputFile.write(picture, to: output ?? "-")
  }
}

import ArgumentParser
import Glibc
import LocationClient
import LocationCore
import RideTools

struct Course: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sets, shows, follows, ends, draws and exports courses: planned lines to ride.",
    discussion: """
      Example: handlebarctl course set tour.gpx
               handlebarctl course show
               handlebarctl course plot tour.gpx

      A course goes on until it is ended. It survives a restart of the daemon if that has a state directory.
      """,
    subcommands: [Set.self, Show.self, Follow.self, End.self, Plot.self, Export.self])

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets a course from a file, with its cues, and follows it.",
      discussion: """
        Example: handlebarctl course set tour.gpx --name Sunday

        Reads the track or else the route of a GPX file with its named points, a TCX or FIT file with its course points, or a line of GeoJSON. Points that are within 2 m of \
        the line without them are left out.
        """)

    @Argument(help: "GPX, TCX, FIT or GeoJSON file.", completion: .file()) var file: String
    @Option(help: .value("NAME", "Name of the course (default: the one in the file, else of it).")) var name: String?
    @OptionGroup var options: ReportOptions

    func validate() throws { if let name { try ViewName.validate(name, "the course's name") } }

    func run() async throws {
      let course = try CourseFile.named(file, units: options.units)
      let name = name ?? course.course.name
      let report = try await options.connection.ask {
        try await $0.setCourse(name, course.points, cues: course.course.cues)
      }
      StandardOutput.line(ReportText(units: options.units).line(report))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows every course, the followed one first.", discussion: "Example: handlebarctl course show")

    @OptionGroup var options: ReportOptions

    func run() async throws {
      let courses = try await options.connection.ask { try await $0.courses() }
      if courses.isEmpty { StandardError.say("no course is set; set one: handlebarctl course set FILE") }
      for course in courses { StandardOutput.line(ReportText(units: options.units).line(course)) }
    }
  }

  struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Follows a course that was set before.", discussion: "Example: handlebarctl course follow Sunday")

    @Argument(help: "Name of the course.", completion: Completions.course) var name: String
    @OptionGroup var options: ReportOptions

    func validate() throws { try ViewName.validate(name, "the course's name") }

    func run() async throws {
      let report = try await options.connection.ask { try await $0.followCourse(name) }
      StandardOutput.line(ReportText(units: options.units).line(report))
    }
  }

  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ends a course.", discussion: "Example: handlebarctl course end Sunday")

    @Argument(help: "Name of the course (default: the followed one).", completion: Completions.course) var name: String?
    @OptionGroup var options: ReportOptions

    func validate() throws { if let name { try ViewName.validate(name, "the course's name") } }

    func run() async throws {
      let report = try await options.connection.ask { client -> CourseReport? in
        var name = name
        if name == nil { name = try await client.courses().first?.name }
        return if let name { try await client.endCourse(name) } else { nil }
      }
      guard let report else { return StandardError.say("no course is set") }
      StandardOutput.line(ReportText(units: options.units).line(report))
    }
  }

  struct Plot: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Draws the elevation of a course along its way, with the climbs and the cues.",
      discussion: """
        Example: handlebarctl course plot tour.gpx -o tour.svg

        On a terminal, without -o, it draws the profile in characters. Otherwise it writes a self-contained SVG picture. An existing file is replaced. \
        A climb gains 30 m or more at 3 % or more, as in the daemon's reports; from 6 % on it is red. Elevations are means over 100 m. \
        To draw a course under a ride: handlebarctl plot --course tour.gpx RIDE
        """)

    @Argument(help: "GPX, TCX, FIT or GeoJSON file.", completion: .file()) var file: String
    @Option(name: .shortAndLong, help: .value("FILE", "File to write; - is standard output."), completion: .file())
    var output: String?

    @OptionGroup var units: UnitOptions

    func run() throws {
      let course = try CourseFile.named(file, units: units.units)
      guard let plot = CoursePlot(course.course, columns: CoursePicture.columns, units: units.units) else {
        throw CommandError.exit("\(file.printable) has no elevations; use a file with them", code: EX_DATAERR)
      }
      if output == nil, StandardOutput.isTerminal {
        return StandardOutput.lines(
          CourseText.lines(course, units: units.units, size: .standardOutput, style: .standardOutput))
      }
      try OutputFile.write(CoursePicture.svg(plot, title: course.course.name), to: output ?? "-")
    }
  }
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes a course as a FIT course, for a bike computer.",
      discussion: """
        Example: handlebarctl course export tour.gpx -o tour.fit

        Writes the line as course set sends it, with elevations, and its cues as course points, whose names have 63 bytes at most. The times are those of a ride at 18 km/h. \
        An existing file is replaced.
        """)

    @Argument(help: "GPX, TCX, FIT or GeoJSON file.", completion: .file()) var file: String
    @Option(name: .shortAndLong, help: .value("FILE", "File to write; - is standard output."), completion: .file())
    var output = "-"

    func run() throws { try OutputFile.write(FITCourse.bytes(of: CourseFile.named(file)), to: output) }
  }
}

extension CourseFile {
  static func named(_ path: String, units: Units = .metric) throws(ExitCode) -> CourseFile {
    let file = try CommandError.exiting(EX_DATAERR) { try CourseFile(path: path) }
    for doubt in file.doubts(units: units) { StandardError.say(doubt) }
    return file
  }
}

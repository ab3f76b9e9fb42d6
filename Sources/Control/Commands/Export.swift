import ArgumentParser
import Recordings
import RideTools

struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a ride as \(list(ExportFormat.allCases.map { $0.writer.name })), or prints its bounding box.",
    discussion: """
      Example: handlebarctl export recordings/city.nmea --gpx -o city.gpx

      Writes every fix, without a distance filter; a signal loss starts a new segment. FIT leaves out the stops, and \
      GPX what makes the way between its points longer than the distance of the ride; with --raw it has every fix as it was received. Altitudes are above mean sea level in GPX and CSV, and above \
      the ellipsoid in GeoJSON. GPX has speed and course in Garmin's TrackPointExtension v2. An existing file is replaced.

      --trim and the zones of the file zones, see handlebarctl(1), leave out points, times and figures near home; the ride is then named "ride".

      FIT and TCX have a lap for each that was begun while riding (handlebarctl trip NAME lap), and with --lap-at for each time the rider comes by that place.

      --bounds pads the bounding box by a tenth of its height and width on every side, at least by 100 m. Alone, it prints one line of JSON, with west \
      greater than east across the antimeridian; with --gpx it writes the file's bounds, with --geojson its bbox.
      """)

  @Flag var formats: [ExportFormat] = []
  @Flag(help: "With --gpx: write every fix of the stops, too.") var raw = false
  @Option(help: .value("LAT,LON", "With --fit or --tcx: begin a lap each time the rider comes by this place."))
  var lapAt: PlaceArgument?
  @Option(help: .value("N", "Add a route of 2 to 20 fixes, evenly spaced by distance.")) var routePoints: Int?

  @Option(help: .value("M", "Omit fixes within this many metres of the simplified line."))
  var simplify: DecimalArgument?

  @Flag(help: "Write or print the padded bounding box.") var bounds = false

  @Option(name: .shortAndLong, help: .value("FILE", "File to write; - is standard output."), completion: .file())
  var output = "-"

  @OptionGroup var which: RideOptions

  private var format: ExportFormat? { formats.first }

  func validate() throws {
    if let other = formats.first(where: { !$0.has(.simplification) }), bounds || simplify != nil || routePoints != nil {
      throw ValidationError(
        "--bounds, --simplify and --route-points do not apply to \(other.writer.name); use \(Self.flags(with: .bounds))"
      )
    }
    switch Set(formats).count {
    case 0 where !bounds:
      throw ValidationError(
        "choose a format: \(ExportFormat.allCases.map(\.flag).joined(separator: ", ")), or --bounds alone")
    case 0...1: break
    default: throw ValidationError("choose one format: \(Self.list(ExportFormat.allCases.map(\.flag)))")
    }
    try needs(.stopFilter, "--raw", ifGiven: raw)
    try needs(.activity, "--lap-at", ifGiven: lapAt != nil)
    if let routePoints {
      guard RouteSampler.counts.contains(routePoints) else { throw ValidationError("--route-points must be 2 to 20") }
      try needs(.route, "--route-points", ifGiven: true)
    }
    if let simplify {
      guard TrackSimplifier(tolerance: simplify.value) != nil else {
        throw ValidationError("--simplify must be 0 metres or more")
      }
      if format == nil { throw ValidationError("--simplify needs a format: \(Self.flags(with: .simplification))") }
    }
    if bounds, let format, !format.has(.bounds) {
      throw ValidationError(
        "--bounds does not apply to \(format.writer.name); use it alone, or with \(Self.flags(with: .bounds))")
    }
  }

  private func needs(_ feature: ExportFeature, _ option: String, ifGiven isGiven: Bool) throws {
    guard isGiven, format?.has(feature) != true else { return }
    let formats = ExportFormat.allCases.filter { $0.has(feature) }
    let names = formats.map { $0.writer.name }.joined(separator: " and ")
    throw ValidationError("\(option) applies to \(names) only; add \(Self.list(formats.map(\.flag)))")
  }

  private static func flags(with feature: ExportFeature) -> String {
    list(ExportFormat.allCases.filter { $0.has(feature) }.map(\.flag))
  }

  private static func list(_ words: [String]) -> String {
    [words.dropLast().joined(separator: ", "), words.last ?? ""].filter { !$0.isEmpty }.joined(separator: " or ")
  }

  func run() async throws {
    let input = try await which.input()
    let privacy = try which.privacy(input)
    guard let format else { return try printBounds(of: input, privacy) }
    var options = ExportOptions(format, title: privacy == nil ? input.title : "ride")
    options.sampler = routePoints.flatMap { RouteSampler(count: $0) }
    options.simplifier = simplify.flatMap { TrackSimplifier(tolerance: $0.value) }
    options.hasBounds = bounds
    let place = lapAt.map { LapPlace($0.coordinate) }
    var survey = RideSurvey()
    var stops: StopFilter?
    if format.has(.survey) || format.has(.stopFilter) && !raw {
      var laps = place
      try input.read(privacy, reportsDamage: false) { moment in
        if laps?.mark(moment, { survey.add($0) }) == nil { survey.add(moment) }
      }
      if format.has(.stopFilter) { stops = StopFilter(survey) }
    }
    // A ride in progress grows.
    var rest = format.has(.survey) ? survey.count : .max
    if options.needsSurvey {
      survey = RideSurvey(sampler: options.sampler)
      try input.read(privacy, stops, reportsDamage: false) { survey.add($0) }
      guard survey.bounds.region != nil else { throw which.withoutFix(input) }
    }
    var exporter = RideExporter(options, survey)
    func add(_ moment: RideMoment) {
      if rest > 0 { exporter.add(moment) }
      rest -= 1
    }
    var laps = place
    var file: OutputFile?
    try input.read(privacy, stops) { moment in
      if laps?.mark(moment, { add($0) }) == nil { add(moment) }
      guard let written = exporter.taken(atLeast: 65_536) else { return }
      if file == nil { file = try OutputFile(output) }
      try file?.write(written)
    }
    exporter.finish()
    let written = exporter.taken(atLeast: 1)
    let needsDate = format.has(.activity)
    if exporter.count == 0 || needsDate && written == nil { throw which.withoutFix(input, needsDate: needsDate) }
    if file == nil { file = try OutputFile(output) }
    if let written { try file?.write(written) }
    try file?.finish()
  }

  private func printBounds(of input: borrowing RideInput, _ privacy: PrivacyFilter?) throws {
    var survey = RideSurvey()
    try input.read(privacy) { survey.add($0) }
    guard let region = survey.bounds.region?.padded else { throw which.withoutFix(input) }
    let bounds = jsonObject { line in
      line.field("south", region.south, decimals: 7)
      line.field("west", region.west, decimals: 7)
      line.field("north", region.north, decimals: 7)
      line.field("east", region.east, decimals: 7)
      line.field("centreLat", region.centre?.latitude, decimals: 7)
      line.field("centreLon", region.centre?.longitude, decimals: 7)
    }
    try OutputFile.write(bounds, to: output)
  }
}

extension ExportFormat: EnumerableFlag {
  package static func help(for format: ExportFormat) -> ArgumentHelp? { ArgumentHelp(format.writer.help) }

  var flag: String { "--\(rawValue)" }
}

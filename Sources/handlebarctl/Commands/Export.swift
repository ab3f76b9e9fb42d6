import ArgumentParser
import GPSDProtocol
import RideTools

struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a ride as GPX, FIT, GeoJSON or CSV, or prints its bounding box.",
    discussion: """
      Example: handlebarctl export recordings/city.nmea --gpx -o city.gpx

      Writes every fix, without a distance filter; a signal loss starts a new segment. FIT leaves out the stops, and \
      GPX what makes the way between its points longer than the distance of the ride; with --raw it has every fix as it was received. Altitudes are above mean sea level in GPX and CSV, and above \
      the ellipsoid in GeoJSON. GPX has speed and course in Garmin's TrackPointExtension v2. An existing file is replaced.

      --trim and the zones of the file zones, see handlebarctl(1), leave out points, times and figures near home; the ride is then named "ride".

      FIT has a lap for each that was begun while riding (handlebarctl trip NAME lap), and with --lap-at for each time the rider comes by that place.

      --bounds pads the bounding box by a tenth of its height and width on every side, at least by 100 m. Alone, it prints one line of JSON, with west \
      greater than east across the antimeridian; with --gpx it writes the file's bounds, with --geojson its bbox.
      """)

  @Flag(help: "Write GPX 1.1.") var gpx = false
  @Flag(help: "With --gpx: write every fix of the stops, too.") var raw = false
  @Flag(help: "Write a FIT activity: a record a second at most, the timer stops where the rider does.") var fit = false
  @Option(help: .value("LAT,LON", "With --fit: begin a lap each time the rider comes by this place.")) var lapAt:
    PlaceArgument?
  @Flag(help: "Write GeoJSON (RFC 7946).") var geojson = false
  @Flag(help: "Write CSV: a header with units, then a row per fix.") var csv = false
  @Option(help: .value("N", "Add a route of 2 to 20 fixes, evenly spaced by distance.")) var routePoints: Int?

  @Option(help: .value("M", "Omit fixes within this many metres of the simplified line."))
  var simplify: DecimalArgument?

  @Flag(help: "Write or print the padded bounding box.") var bounds = false

  @Option(name: .shortAndLong, help: .value("FILE", "File to write; - is standard output."), completion: .file())
  var output = "-"

  @OptionGroup var which: RideOptions

  private var format: ExportFormat? { gpx ? .gpx : geojson ? .geoJSON : csv ? .csv : nil }

  func validate() throws {
    if fit, bounds || simplify != nil || routePoints != nil {
      throw ValidationError("--bounds, --simplify and --route-points do not apply to FIT; use --gpx or --geojson")
    }
    switch [gpx, fit, geojson, csv].count(where: { $0 }) {
    case 0 where !bounds: throw ValidationError("choose a format: --gpx, --fit, --geojson, --csv, or --bounds alone")
    case 0...1: break
    default: throw ValidationError("choose one format: --gpx, --fit, --geojson or --csv")
    }
    if raw, !gpx { throw ValidationError("--raw applies to GPX only; add --gpx") }
    if lapAt != nil, !fit { throw ValidationError("--lap-at applies to FIT only; add --fit") }
    if let routePoints {
      guard RouteSampler.counts.contains(routePoints) else { throw ValidationError("--route-points must be 2 to 20") }
      guard gpx || geojson else { throw ValidationError("CSV has no routes: add --gpx or --geojson") }
    }
    if let simplify {
      guard TrackSimplifier(tolerance: simplify.value) != nil else {
        throw ValidationError("--simplify must be 0 metres or more")
      }
      if format == nil { throw ValidationError("--simplify needs a format: --gpx, --geojson or --csv") }
    }
    if bounds, csv { throw ValidationError("--bounds does not apply to CSV; use it alone, or with --gpx or --geojson") }
  }

  func run() async throws {
    let input = try await which.input()
    let privacy = try which.privacy(input)
    if fit { return try writeFIT(of: input, privacy) }
    guard let format else { return try printBounds(of: input, privacy) }
    let options = ExportOptions(
      format: format, title: privacy == nil ? input.title : "ride",
      sampler: routePoints.flatMap { RouteSampler(count: $0) },
      simplifier: simplify.flatMap { TrackSimplifier(tolerance: $0.value) }, hasBounds: bounds)
    let stops = gpx && !raw ? StopFilter(try ridden(input, privacy)) : nil
    var survey: TrackSurvey?
    if options.needsSurvey {
      var found = TrackSurvey(sampler: options.sampler)
      try input.read(privacy, stops, reportsDamage: false) { found.take($0) }
      guard found.count > 0 else { throw which.withoutFix(input) }
      survey = found
    }
    var exporter = RideExporter(options, survey: survey)
    var file: OutputFile?
    try input.read(privacy, stops) { moment in
      exporter.take(moment)
      guard let written = exporter.taken(atLeast: 65_536) else { return }
      if file == nil { file = try OutputFile(output) }
      try file?.write(written)
    }
    guard exporter.count > 0 else { throw which.withoutFix(input) }
    exporter.finish()
    if file == nil { file = try OutputFile(output) }
    if let written = exporter.taken(atLeast: 1) { try file?.write(written) }
    try file?.finish()
  }

  private func writeFIT(of input: borrowing RideInput, _ privacy: PrivacyFilter?) throws {
    let survey = try ridden(input, privacy)
    var writer = FITWriter(survey)
    var place = lapAt.map { LapPlace($0.coordinate) }
    // A ride in progress grows.
    var rest = survey.count
    try input.read(privacy) { moment in
      guard rest > 0 else { return }
      rest -= 1
      if place?.isPassed(at: moment) == true, case .fix(let fix) = moment {
        writer.take(.lap(.place, at: fix.fix.received))
      }
      writer.take(moment)
    }
    writer.finish()
    guard let bytes = writer.bytes else { throw which.withoutFix(input, needsDate: true) }
    try OutputFile.write(bytes, to: output)
  }

  private func ridden(_ input: borrowing RideInput, _ privacy: PrivacyFilter?) throws -> RideSurvey {
    var survey = RideSurvey()
    try input.read(privacy, reportsDamage: false) { survey.take($0) }
    return survey
  }

  private func printBounds(of input: borrowing RideInput, _ privacy: PrivacyFilter?) throws {
    var survey = TrackSurvey()
    try input.read(privacy) { survey.take($0) }
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

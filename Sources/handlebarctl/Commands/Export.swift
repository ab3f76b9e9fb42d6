import ArgumentParser
import GPSDProtocol
import RideTools

struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a ride as GPX, FIT, GeoJSON or CSV, or prints its bounding box.",
    discussion: """
      Example: handlebarctl export recordings/city.nmea --gpx -o city.gpx

      Writes every fix, without a distance filter; a signal loss starts a new segment. Altitudes are above mean sea level in GPX and CSV, and above \
      the ellipsoid in GeoJSON. GPX has speed and course in Garmin's TrackPointExtension v2. An existing file is replaced.

      --trim and the zones of the file zones, see handlebarctl(1), leave out points, times and figures near home; the ride is then named "ride".

      --bounds pads the bounding box by a tenth of its height and width on every side, at least by 100 m. Alone, it prints one line of JSON, with west \
      greater than east across the antimeridian; with --gpx it writes the file's bounds, with --geojson its bbox.
      """)

  @Flag(help: "Write GPX 1.1.") var gpx = false
  @Flag(help: "Write a FIT activity: a record a second at most, the timer stops where the rider does.") var fit = false
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
    let survey = options.needsSurvey ? try surveyed(input, privacy, options.sampler) : nil
    var exporter = RideExporter(options, survey: survey)
    var file: OutputFile?
    try which.read(input, privacy) { moment in
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

  /// Writes the ride once to know the size, which is in the first bytes, and then again.
  private func writeFIT(of input: borrowing RideInput, _ privacy: PrivacyFilter?) throws {
    var survey = FITSurvey()
    try which.read(input, privacy) { survey.take($0) }
    var sizer = FITWriter(survey)
    try which.read(input, privacy, reportsDamage: false) {
      sizer.take($0)
      _ = sizer.taken()
    }
    sizer.finish()
    guard sizer.dataSize > 0 else { throw which.withoutFix(input) }
    survey.dataSize = sizer.dataSize
    var writer = FITWriter(survey)
    var file = try OutputFile(output)
    try which.read(input, privacy, reportsDamage: false) {
      writer.take($0)
      if writer.bytes.count >= 65_536 { try file.write(writer.taken()) }
    }
    writer.finish()
    try file.write(writer.taken())
    try file.finish()
  }

  private func surveyed(
    _ input: borrowing RideInput, _ privacy: PrivacyFilter?, reportsDamage: Bool = false, _ sampler: RouteSampler? = nil
  ) throws -> TrackSurvey {
    var survey = TrackSurvey(sampler: sampler)
    try which.read(input, privacy, reportsDamage: reportsDamage) { survey.take($0) }
    guard survey.count > 0 else { throw which.withoutFix(input) }
    return survey
  }

  private func printBounds(of input: borrowing RideInput, _ privacy: PrivacyFilter?) throws {
    guard let region = try surveyed(input, privacy, reportsDamage: true).bounds.region?.padded else {
      throw which.withoutFix(input)
    }
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

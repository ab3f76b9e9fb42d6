import GPSDProtocol
import LocationCore
import Testing

/// Every report as bytes, and back from them.
@Suite struct ReportGoldenTests {
  static let time = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)

  static var goldens: [(line: String, report: Report, write: @Sendable (inout JSONLine) -> Void)] {
    let version = VersionReport(release: "1.0", revision: "abc")
    var device = DeviceReport(path: "/dev/gps0")
    device.driver = "NMEA0183"
    device.activated = time
    device.packetKinds = 1
    device.nativeMode = 0
    device.bitRate = 9600
    device.parity = "N"
    device.stopBits = 1
    device.cycle = .milliseconds(100)
    device.source = "main"
    let devices = DevicesReport(devices: [device, DeviceReport(path: "gpsd://localhost")])
    var watch = WatchReport(enable: true, json: true)
    watch.settings.nmea = false
    watch.settings.raw = 0
    watch.settings.distanceFilter = 10
    watch.settings.heartbeat = 30
    watch.settings.handlebar = true
    let error = ErrorReport(message: "no", code: .init("timedOut"), request: "LOCATE", remedy: "wait")
    var state = StateReport(phase: .init("failed"))
    state.time = time
    state.source = "main"
    state.device = "/dev/gps0"
    state.elapsed = .zero
    state.error = .denied
    state.message = "the device cannot be opened"
    state.remedy = "join the group"
    state.previousPhase = .opening
    state.lastKnown = Coordinate(latitude: 48.1, longitude: -11.5).map {
      LastKnown(coordinate: $0, age: .seconds(7200), time: time, horizontalAccuracy: 2.5, source: "serial")
    }
    state.counts = ["epochs": 3, "fixes": 2]
    let follow = FollowReport(view: "main", isFollowing: false, reason: .init("drift"), distance: 100.5, seq: 12)
    var arrival = ArrivalReport(
      name: "home", state: .init("arriving"), distance: 99.5, bearing: 271.5, timeRemaining: .milliseconds(31_400))
    (arrival.coordinate, arrival.radius) = (Coordinate(latitude: 48.1, longitude: 11.5), 100)
    var trip = TripReport(name: "day", state: .moving)
    (trip.distance, trip.duration, trip.movingTime) = (1234.5, .seconds(100), .seconds(90.5))
    (trip.ascent, trip.averageSpeed, trip.maxSpeed, trip.lap) = (12, 13.641, 20, 2)
    (trip.averageHeartRate, trip.maxHeartRate, trip.averagePower, trip.maxPower) = (131, 172, 204, 811)
    var sensor = SensorReport(sensor: .crank, source: "left", value: 83.25, unit: "1/min", revolutions: 1200)
    (sensor.age, sensor.isImplausible, sensor.refused) = (.milliseconds(250), true, 7)
    let playback = PlaybackReport(source: "ride", position: .seconds(12.5), duration: .seconds(3600), speed: 10)
    var status = StatusReport(release: "1.0", uptime: .seconds(2.5), phase: .tracking, clients: 2)
    status.mode = 3
    status.source = "main"
    status.seq = 4
    status.age = .milliseconds(125)
    status.clientLimit = 256
    status.firstFix = FirstFix(duration: .seconds(4.25), start: .aided, aids: [.time, .database])
    status.counts = ["garbled": 1]
    var source = SourceReport(source: "main", phase: .init("tracking"))
    source.mode = 3
    source.bitRate = 9600
    status.sources = [source]
    var barometer = SourceReport(source: "iio", phase: .failed)
    (barometer.device, barometer.error) = ("iio:pressure", .notFound)
    status.sensors = [barometer]
    var roundedArrival = arrival
    roundedArrival.timeRemaining = .seconds(31)
    return [
      (
        #"{"class":"VERSION","release":"1.0","rev":"abc","proto_major":3,"proto_minor":14,"handlebar":1}"#,
        .version(version),
        { version.write(into: &$0) }
      ),
      (
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/gps0","driver":"NMEA0183","#
          + #""activated":"2026-03-19T12:35:19.000Z","flags":1,"native":0,"bps":9600,"parity":"N","stopbits":1,"cycle":0.1,"#
          + #""source":"main"},{"class":"DEVICE","path":"gpsd://localhost"}]}"#,
        .devices(devices), { devices.write(into: &$0) }
      ),
      (
        #"{"class":"DEVICE","path":"gpsd://localhost"}"#, .device(DeviceReport(path: "gpsd://localhost")),
        { DeviceReport(path: "gpsd://localhost").write(into: &$0) }
      ),
      (
        #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false,"#
          + #""pps":false,"distanceFilter":10,"heartbeat":30,"handlebar":true}"#,
        .watch(watch), { [watch] in watch.write(into: &$0) }
      ),
      (
        #"{"class":"ERROR","message":"no","code":"timedOut","request":"LOCATE","remedy":"wait"}"#, .error(error),
        { error.write(into: &$0) }
      ),
      (
        #"{"class":"STATE","time":"2026-03-19T12:35:19.000Z","state":"failed","source":"main","device":"/dev/gps0","#
          + #""since":0,"error":"denied","message":"the device cannot be opened","remedy":"join the group","#
          + #""previous":"opening","lastKnown":{"time":"2026-03-19T12:35:19.000Z","lat":48.100000000,"lon":-11.500000000,"#
          + #""eph":2.5,"age":7200,"source":"serial"},"counts":{"epochs":3,"fixes":2}}"#,
        .state(state), { [state] in state.write(counts: [Count("epochs", 3), Count("fixes", 2)], into: &$0) }
      ),
      (
        #"{"class":"FOLLOW","view":"main","following":false,"reason":"drift","distance":100.5,"seq":12}"#,
        .follow(follow),
        { follow.write(into: &$0) }
      ),
      (
        #"{"class":"ARRIVAL","name":"home","state":"arriving","lat":48.100000000,"lon":11.500000000,"radius":100,"#
          + #""distance":99.5,"bearing":271.5,"eta":31}"#,
        .arrival(roundedArrival), { [arrival] in arrival.write(into: &$0) }
      ),
      (
        #"{"class":"TRIP","name":"day","state":"moving","distance":1234.5,"duration":100,"movingTime":90.5,"ascent":12,"#
          + #""averageSpeed":13.641,"maxSpeed":20,"lap":2,"lapDistance":0,"lapMovingTime":0,"#
          + #""averageHeartRate":131,"maxHeartRate":172,"averagePower":204,"maxPower":811}"#,
        .trip(trip), { [trip] in trip.write(into: &$0) }
      ),
      (
        #"{"class":"SENSOR","sensor":"crank","source":"left","value":83.25,"unit":"1/min","revolutions":1200,"age":0.25,"#
          + #""implausible":true,"refused":7}"#,
        .sensor(sensor), { [sensor] in sensor.write(into: &$0) }
      ),
      (
        #"{"class":"PLAYBACK","source":"ride","position":12.5,"duration":3600,"speed":10,"paused":false,"ended":false}"#,
        .playback(playback), { playback.write(into: &$0) }
      ),
      (
        #"{"class":"STATUS","release":"1.0","uptime":2.5,"state":"tracking","mode":3,"source":"main","seq":4,"age":0.125,"#
          + #""clients":2,"clientLimit":256,"firstFix":{"duration":4.25,"start":"aided","aids":"time,database"},"#
          + #""counts":{"garbled":1},"#
          + #""sources":[{"source":"main","state":"tracking","mode":3,"bps":9600}],"#
          + #""sensors":[{"source":"iio","device":"iio:pressure","state":"failed","error":"notFound"}]}"#,
        .status(status), { [status] in status.write(counts: [Count("garbled", 1)], into: &$0) }
      ),
      (
        #"{"class":"RECORD","state":"recording","directory":"/rides","ride":"20260319T123519Z","#
          + #""file":"/rides/20260319T123519Z.nmea","bytes":1200,"start":"2026-03-19T12:35:19.000Z","duration":60.5,"#
          + #""movingTime":50.5,"distance":1000.5,"ascent":12.5,"maxSpeed":20.125,"averageSpeed":19.5,"fixes":61,"gaps":0}"#,
        .record(record), { record.write(into: &$0) }
      ),
      (
        #"{"class":"RECORD","state":"failed","directory":"/rides","bytes":0,"error":"no room"}"#, .record(failed),
        { failed.write(into: &$0) }
      ),
    ]
  }

  private static var record: RecordReport {
    var record = RecordReport(state: .init("recording"))
    record.directory = "/rides"
    record.ride = "20260319T123519Z"
    record.file = "/rides/20260319T123519Z.nmea"
    record.bytes = 1200
    record.start = time
    record.duration = .seconds(60.5)
    record.movingTime = .seconds(50.5)
    record.distance = 1000.5
    record.ascent = 12.5
    record.maxSpeed = 20.125
    record.averageSpeed = 19.5
    record.fixes = 61
    record.gaps = 0
    return record
  }

  private static var failed: RecordReport {
    var record = RecordReport(state: .init("failed"))
    record.directory = "/rides"
    record.bytes = 0
    record.error = "no room"
    return record
  }

  @Test(arguments: goldens.indices)
  func `Every report is written as these bytes and read back`(index: Int) throws {
    let golden = Self.goldens[index]
    let written = JSONLine.text(golden.write)
    #expect(written == golden.line + "\r\n")
    #expect(try Report(line: Array(golden.line.utf8)[...]) == golden.report)
  }

  @Test func `An error has the last known position`() throws {
    var fix = Fix(
      position: try #require(Coordinate(latitude: 48.1173, longitude: 11.5)), mode: .threeD, measured: Self.time,
      received: .zero)
    fix.horizontalAccuracy = 4.5
    let report = ErrorReport(
      message: "no fix within 10 s", code: .init("timedOut"), request: "LOCATE",
      lastKnown: LastKnown(PublishedFix(fix: fix, seq: 41, source: 0), age: .seconds(12.5), source: "main"))
    #expect(
      JSONLine.text { report.write(into: &$0) }
        == #"{"class":"ERROR","message":"no fix within 10 s","code":"timedOut","request":"LOCATE","#
        + #""time":"2026-03-19T12:35:19.000Z","lat":48.117300000,"lon":11.500000000,"eph":4.5,"seq":41,"age":12.5,"#
        + #""source":"main"}"# + "\r\n")
  }

  @Test func `Long lists stay within a line`() throws {
    let path = String(repeating: "x", count: 300)
    var line = JSONLine()
    DevicesReport(devices: Array(repeating: DeviceReport(path: path), count: 100)).write(into: &line)
    #expect(line.count <= JSONLine.maximumLength)
    let start = line.count
    let sources = Array(repeating: SourceReport(source: path, phase: .init("idle")), count: 100)
    var report = StatusReport(release: "1", uptime: .seconds(1), phase: .init("idle"), clients: 0, sources: sources)
    report.sensors = sources
    report.write(counts: [], into: &line)
    #expect(line.count - start <= JSONLine.maximumLength)
    guard case .status(let status) = try Report(line: line.bytes[start...]) else {
      Issue.record("no STATUS")
      return
    }
    #expect(status.sources.count > 20)
  }
}

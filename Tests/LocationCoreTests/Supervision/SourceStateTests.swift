import Testing

@testable import LocationCore

@Suite("Source states")
struct SourceStateTests {
  static let denied = SourceError.denied(device: "/dev/ttyACM0", group: "dialout", user: "rider")
  static let gone = SourceError.notFound(device: "/dev/gps0", present: [])
  static let mute = SourceError.noNMEA(device: "/dev/gps0", bytes: 900, speeds: [9600])

  /// The legal events of each state.
  static let states: [SourceState] = [
    .idle, .opening, .acquiring, .tracking(.twoD), .lost(since: at(7)), .failed(denied, previous: .opening),
    .failed(mute, previous: .acquiring),
  ]
  static let events: [SourceEvent] = [.opening, .opened, .fix(.threeD), .lost(since: at(9)), .failed(gone), .closed]

  static let table: [[SourceState?]] = [
    [.opening, nil, nil, nil, .failed(gone, previous: .idle), .idle],
    [nil, .acquiring, nil, nil, .failed(gone, previous: .opening), .idle],
    [nil, nil, .tracking(.threeD), nil, .failed(gone, previous: .acquiring), .idle],
    [nil, nil, .tracking(.threeD), .lost(since: at(9)), .failed(gone, previous: .tracking), .idle],
    [.lost(since: at(7)), .acquiring, .tracking(.threeD), nil, .failed(gone, previous: .lost), .idle],
    [.failed(denied, previous: .opening), .acquiring, nil, nil, .failed(gone, previous: .opening), .idle],
    [
      .failed(mute, previous: .acquiring), .acquiring, .tracking(.threeD), nil, .failed(gone, previous: .acquiring),
      .idle,
    ],
  ]

  @Test(arguments: states.indices, events.indices)
  func `Each event in each state follows the table`(_ state: Int, _ event: Int) {
    #expect(Self.states[state].after(Self.events[event]) == Self.table[state][event])
  }

  @Test func `The table covers every phase`() {
    #expect(Set(Self.states.map(\.phase)) == Set(SourcePhase.allCases))
    #expect(Self.table.count == Self.states.count && Self.table.allSatisfy { $0.count == Self.events.count })
  }

  @Test(arguments: 1...5)
  func `States are reached by legal events only`(_ seed: Int) {
    var random = SeededNoise(seed: UInt64(seed))
    var state = SourceState.idle
    var seen: Set<SourcePhase> = []
    for _ in 0..<5_000 {
      let event = Self.events[Int.random(in: 0..<Self.events.count, using: &random)]
      guard let next = state.after(event) else { continue }
      if case .lost = next, case .lost = event { #expect(state.phase == .tracking) }
      if case .tracking = next { #expect(event == .fix(.threeD)) }
      state = next
      seen.insert(state.phase)
    }
    #expect(seen.count == SourcePhase.allCases.count)
  }
}

@Suite("Source errors")
struct SourceErrorTests {
  struct Case: Sendable {
    let error: SourceError
    let code: String
    let transient: Bool
    /// Expected substrings of the error and its remedy.
    let names: [String]
  }

  static let cases = [
    Case(
      error: .denied(device: "/dev/ttyACM0", group: "dialout", user: "rider"), code: "denied", transient: false,
      names: ["/dev/ttyACM0", "group dialout", "sudo usermod -aG dialout rider"]),
    Case(
      error: .denied(device: "/dev/ttyACM0", group: "dialout", user: "rider", for: .permission), code: "denied",
      transient: false, names: ["group dialout", "chmod g+rw /dev/ttyACM0", "udev"]),
    Case(
      error: .denied(device: "/dev/ttyACM0", group: "dialout", user: "rider", for: .other), code: "denied",
      transient: false, names: ["DeviceAllow=/dev/ttyACM0 rw", "systemctl edit"]),
    Case(
      error: .denied(device: "/dev/ttyACM0", group: "root", user: "rider", for: .both), code: "denied",
      transient: false, names: ["chgrp dialout /dev/ttyACM0", "usermod -aG dialout rider"]),
    Case(
      error: .denied(device: "/dev/ttyACM0", group: "dialout", user: "rider", for: .both), code: "denied",
      transient: false, names: ["chmod g+rw /dev/ttyACM0", "usermod -aG dialout rider"]),
    Case(
      error: .denied(device: "/dev/ttyACM0", group: "dialout", user: nil), code: "denied", transient: false,
      names: ["usermod -aG dialout USER"]),
    Case(
      error: .denied(device: "/dev/x", group: nil, user: nil), code: "denied", transient: false,
      names: ["ls -l /dev/x", "usermod"]),
    Case(
      error: .notFound(device: "/dev/gps0", present: ["/dev/ttyUSB0", "/dev/ttyUSB1"]), code: "notFound",
      transient: true, names: ["/dev/gps0", "/dev/ttyUSB0, /dev/ttyUSB1", "serial:/dev/ttyUSB0"]),
    Case(
      error: .notFound(device: "/dev/gps0", present: []), code: "notFound", transient: true,
      names: ["no possible receiver is plugged in", "/dev/gps0"]),
    Case(
      error: .busy(device: "/dev/gps0", holder: "gpsd (pid 812)"), code: "busy", transient: true,
      names: ["gpsd (pid 812)", "gpsd://localhost:2947", "systemctl disable --now gpsd.socket"]),
    Case(
      error: .busy(device: "/dev/gps0", holder: "minicom (pid 9)"), code: "busy", transient: true,
      names: ["minicom (pid 9)", "fuser -v /dev/gps0"]),
    Case(
      error: .heldByDaemon(source: "gpsd://localhost:2947", by: "serial:/dev/gps0"), code: "busy", transient: true,
      names: ["gpsd://localhost:2947 has no receiver", "this daemon holds serial:/dev/gps0", "configure only one of"]),
    Case(
      error: .notFound(device: "gpsd://localhost:2947/dev/b", present: ["gpsd://localhost:2947/dev/a"]),
      code: "notFound", transient: true, names: ["no such receiver", "gpsd has: gpsd://localhost:2947/dev/a"]),
    Case(
      error: .notInstalled(program: "gpsd", source: "gpsd://localhost:2947"), code: "notFound", transient: true,
      names: ["gpsd is not installed", "sudo apt-get install gpsd", "serial:DEVICE"]),
    Case(
      error: .unavailable(source: "gpsd://localhost:2947", reason: "nothing listens there"), code: "unavailable",
      transient: true, names: ["nothing listens there", "systemctl status gpsd.socket"]),
    Case(
      error: .noNMEA(device: "tcp://phone:10110", bytes: 2000, speeds: []), code: "noNMEA", transient: true,
      names: ["2000 bytes", "NMEA 0183"]),
    Case(
      error: .busy(device: "udp://:10110", holder: nil), code: "busy", transient: true, names: ["ss -lunp"]),
    Case(error: .busy(device: "/dev/gps0", holder: nil), code: "busy", transient: true, names: ["another process"]),
    Case(
      error: .disabled(source: "serial:/dev/gps0", by: .configuration(key: "sources[0].enabled")), code: "disabled",
      transient: false, names: ["serial:/dev/gps0", "sources[0].enabled", "reload"]),
    Case(
      error: .disabled(source: "serial:/dev/gps0", by: .rfkill(name: "gps0")), code: "disabled", transient: false,
      names: ["kill switch gps0", "rfkill unblock gps0"]),
    Case(
      error: .unavailable(source: "gpsd://localhost:2947", reason: "connection refused"), code: "unavailable",
      transient: true, names: ["gpsd://localhost:2947", "connection refused", "retried"]),
    Case(
      error: .misconfigured(source: "serial:/dev/gps0?speed=1", reason: "1 baud does not exist"),
      code: "misconfigured", transient: false, names: ["1 baud does not exist", "handlebard --check-config"]),
    Case(
      error: .noNMEA(device: "/dev/gps0", bytes: 4_711, speeds: [9_600, 38_400]), code: "noNMEA", transient: true,
      names: ["4711 bytes", "9600, 38400 baud", "serial:/dev/gps0?speed=9600"]),
    Case(
      error: .noNMEA(device: "/dev/gps0", bytes: 900, speeds: [9_600], binary: .unchecked), code: "noNMEA",
      transient: true, names: ["without checksums", "checksums=prefer"]),
    Case(
      error: .noNMEA(device: "udp://:10110", bytes: 900, speeds: [], binary: .damaged), code: "noNMEA",
      transient: true, names: ["wrong checksums", "check the cable"]),
    Case(
      error: .noNMEA(device: "/dev/ttyACM3", bytes: 5, speeds: []), code: "noNMEA", transient: true,
      names: ["5 bytes", "cat -v /dev/ttyACM3"]),
    Case(
      error: .noNMEA(device: "/dev/gps0", bytes: 4_711, speeds: [9_600]), code: "noNMEA", transient: true,
      names: ["4711 bytes", "9600 baud", "remove speed=9600 from the source"]),
    Case(
      error: .denied(device: "gpio:gpiochip0/17", group: "root", user: nil, for: .permission), code: "denied",
      transient: false,
      names: ["group root", "/usr/share/handlebard/64-handlebar-local.rules", "udevadm trigger --subsystem-match=gpio"]),
    Case(
      error: .denied(device: "gpio:gpiochip0/17", group: "gpio", user: nil, for: .permission), code: "denied",
      transient: false, names: ["group gpio", "SupplementaryGroups=gpio"]),
    Case(
      error: .denied(device: "gpio:gpiochip0/17", group: nil, user: nil, for: .other), code: "denied", transient: false,
      names: [
        "/usr/share/handlebard/gpio.conf /etc/systemd/system/handlebard.service.d/gpio.conf", "systemctl daemon-reload",
      ]),
    Case(
      error: .busy(device: "gpio:gpiochip0/17", holder: "a driver or another program"), code: "busy", transient: true,
      names: ["held by a driver or another program", "gpioinfo"]),
    Case(
      error: .notFound(device: "gpio:gpiochip0/17", present: []), code: "notFound", transient: true,
      names: ["no GPIO chip", "/dev/gpiochip*"]),
    Case(
      error: .notFound(device: "iio:pressure", present: []), code: "notFound", transient: true,
      names: ["iio:pressure does not exist", "dtoverlay=i2c-sensor,bmp280"]),
    Case(
      error: .notFound(device: "iio:bme280", present: ["iio:bmp280"]), code: "notFound", transient: true,
      names: ["there are: iio:bmp280: set the source"]),
    Case(
      error: .notFound(device: "counter:/dev/counter0", present: []), code: "notFound", transient: true,
      names: ["ls /sys/bus/counter/devices"]),
    Case(
      error: .unavailable(source: "iio:pressure", reason: "it cannot be read"), code: "unavailable", transient: true,
      names: ["it cannot be read", "dmesg"]),
  ]

  @Test(arguments: cases.indices)
  func `Each error names its subject and a remedy`(_ index: Int) {
    let known = Self.cases[index]
    #expect(known.error.code == known.code)
    #expect(known.error.isTransient == known.transient)
    let text = "\(known.error): \(known.error.remedy)"
    for name in known.names { #expect(text.contains(name)) }
    #expect(!text.contains("\n") && !text.contains("Optional"))
  }

  @Test func `The back-off grows from 0.25 s to 5 s and restarts after a success`() {
    var backoff = Backoff()
    #expect((0..<7).map { _ in backoff.next(random: 0).inSeconds } == [0.25, 0.5, 1, 2, 2.5, 2.5, 2.5])
    backoff.reset()
    #expect((0..<6).map { _ in backoff.next(random: 1).inSeconds } == [0.5, 1, 2, 4, 5, 5])
    backoff.reset()
    for random in [Double.nan, -1, 2, .infinity, 0.37] {
      var one = Backoff()
      #expect((0.25...0.5).contains(one.next(random: random).inSeconds))
    }
  }
}

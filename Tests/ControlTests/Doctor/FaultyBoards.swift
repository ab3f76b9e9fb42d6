import GPSDProtocol
import LocationCore

@testable import Control

/// Boards on which something is wrong, with what the doctor finds, and those on which nothing is.
extension ExaminationTests {
  typealias Case = (view: SystemView, check: Finding.Check, message: String, remedy: String)

  static let wrong: [Case] = [
    (
      view { $0.configuration = .wrong("/etc/handlebar/handlebard.toml:3: speed: there is no such key") },
      .configuration,
      "handlebard.toml:3: speed", "handlebard --check-config"
    ),
    (view(.absent(path: "/run/s")), .socket, "/run/s does not exist", "sudo systemctl start handlebard"),
    (view(.deaf(path: "/run/s")), .socket, "no process listens on /run/s", "sudo systemctl restart handlebard"),
    (
      view(.unusable(message: "/run/s is a directory", remedy: "set HANDLEBAR_SOCKET")), .socket,
      "/run/s is a directory", "set HANDLEBAR_SOCKET"
    ),
    (view(.refusing(path: "/run/s", reason: "no room")), .socket, "no room", "journalctl -u handlebard"),
    (
      view(.answers(status(.failed, error: .init("notFound")), satellites: [], time: nil)), .receiver,
      "in words: notFound",
      "remedy of notFound"
    ),
    (
      view(.answers(status(.failed, error: .init("denied")), satellites: [], time: nil)), .group, "in words: denied",
      "remedy of denied"
    ),
    (
      view(.answers(status(.failed, error: .init("noNMEA")), satellites: [], time: nil)), .speed, "in words: noNMEA",
      "remedy of noNMEA"
    ),
    (
      view(.answers(status(.failed, error: .init("unavailable")), satellites: [], time: nil)), .source,
      "in words: unavailable", "remedy of"
    ),
    (
      view(.answers(status(.lost), satellites: [], time: nil)) { $0.devices = [] }, .receiver, "was unplugged", "dmesg"
    ),
    (view(.absent(path: "/run/s")) { $0.devices = [] }, .receiver, "no receiver is plugged in", "dmesg"),
    (
      view(.absent(path: "/run/s")) {
        $0.devices = []
        $0.programs = [SystemView.Process(pid: 7, name: "brltty")]
      }, .receiver, "brltty (pid 7) claims USB serial adapters", "mask --now brltty-udev"
    ),
    (
      view(.absent(path: "/run/s")) { $0.devices[0].group = "root" }, .group, "to the group root with mode 0660",
      "udevadm trigger --action=add /dev/ttyACM0"
    ),
    (view(.deaf(path: "/run/s")) { $0.devices[0].mode = 0o600 }, .group, "with mode 0600", "ls -lL /dev/gps0"),
    (holder("gpsd"), .holder, "/dev/gps0 is held by gpsd (pid 41)", "disable --now gpsd.socket gpsd.service"),
    (holder("ModemManager"), .holder, "held by ModemManager", "disable --now ModemManager"),
    (holder("brltty"), .holder, "held by brltty", "brltty-udev"),
    (holder("agetty"), .holder, "held by agetty", "mask --now serial-getty@ttyACM0.service"),
    (holder("minicom"), .holder, "held by minicom", "sudo kill 41"),
    (program("ModemManager"), .interference, "may probe /dev/gps0 as a modem", "ID_MM_DEVICE_IGNORE"),
    (program("agetty", "115200", "ttyACM0"), .console, "runs a login on /dev/gps0", "serial-getty@ttyACM0"),
    (
      view { $0.consoles = ["tty0", "ttyACM0"] }, .console, "the kernel writes its messages to /dev/gps0",
      "console=ttyACM0"
    ),
    (view(.answers(status(.acquiring), satellites: [], time: nil)), .sky, "sees no satellite", "handlebarctl watch"),
    (
      view(.answers(status(.acquiring), satellites: [nil, 0], time: nil)), .sky,
      "has no signal from any of 2 satellites",
      "antenna"
    ),
    (
      view { $0.now = UTCInstant(nanosecondsSince1970: 5_000_000_000) }, .clock, "it shows 1970-01-01T00:00:05",
      "timedatectl"
    ),
    (view { $0.now = now + .seconds(3000) }, .clock, "3000 s off the receiver's", "set-ntp true"),
    (view { $0.now = now - .seconds(7195) }, .clock, "-2.00 h off the receiver's time: local time", "set-local-rtc 0"),
    (
      view { ($0.now, $0.isClockKept) = (now + .seconds(3000), true) }, .clock,
      "the receiver's time is 3000 s behind the system clock, which is synchronized", "15 minutes"
    ),
    (
      view(.answers(status(.tracking), satellites: [], time: now - .seconds(1024 * 7 * 86_400 + 3))), .clock,
      "1024 weeks in the past: its week number has begun again; the system clock is right", "rollover=snap"
    ),
    (
      view(.answers(status(.tracking), satellites: [], time: now - .seconds(300 * 86_400))), .clock,
      "the receiver's time is 25920000 s behind the system clock, and in the past: 2025-", "its power away"
    ),
    (
      view(.answers(status(.tracking), satellites: [], time: now - .seconds(1_450_000_000))), .clock,
      "the receiver's time is 1450000000 s behind the system clock, and in the past: 1980-", "its power away"
    ),
    (
      view(.answers(status(.acquiring) { $0.counts = ["noChecksum": 40, "sentences": 0] }, satellites: [], time: nil)),
      .sky, "have no checksums", "checksums=prefer"
    ),
    (
      view(
        .answers(status(.acquiring) { $0.counts = ["badChecksum": 40, "sentences": 9] }, satellites: [], time: nil)),
      .sky, "40 checksums are wrong, 9 right", "cable"
    ),
    (
      view(
        .answers(
          status(.acquiring) { $0.counts = ["epochsWithoutStatus": 9, "sentences": 9] }, satellites: [], time: nil)),
      .sky, "no sentence of the receiver has a position with its state", "RMC and GGA"
    ),
    (
      view(
        .answers(status(.acquiring) { $0.counts = ["zeroPosition": 9, "sentences": 9] }, satellites: [], time: nil)),
      .sky, "fixes at 0° N 0° E", "power"
    ),
    (
      view(
        .answers(
          status(.tracking) { ($0.sources[0].antenna, $0.sources[0].antennaSource) = (.short, "TXT") }, satellites: [],
          time: now)),
      .sky, "states a short circuit of its antenna (TXT)", "unplug the antenna"
    ),
    (
      view(.answers(status(.acquiring) { $0.counts = ["sentences": 40] }, satellites: [], time: nil)), .sky,
      "40 sentences or messages, and none with a position: AIS", "RMC and GGA"
    ),
    (
      view(.answers(status(.acquiring) { $0.reason = .silent }, satellites: nil, time: nil)), .receiver,
      "nothing arrives from the receiver", "TX"
    ),
    (
      line { ($0.load, $0.bitRate, $0.badChecksums) = (0.97, 9600, 40) }, .speed,
      "too slow for what the receiver sends: 97 % of 9600 bit/s", "add receiver = { speed = 38400 }"
    ),
    (
      line { ($0.load, $0.bitRate, $0.receiver) = (0.91, 38_400, "done") }, .speed, "91 % of 38400 bit/s are used",
      "set speed = 115200, or a lower rate"
    ),
    (
      line { ($0.load, $0.bitRate, $0.receiver) = (0.93, 9600, "unsupported") }, .speed, "93 % of 9600 bit/s are used",
      "set the receiver to 38400 bit/s by hand"
    ),
    (line { $0.overruns = 12 }, .speed, "has lost 12 bytes of the line in the last minute", "dtoverlay=disable-bt"),
    (
      view {
        $0.setups = [setup("lost", "u-blox")]
      }, .receiver, "a receiver of u-blox, X1 stopped answering while it was set up", "power"
    ),
    (sensor(.failed, error: .init("notFound")), .sensor, "in words: notFound", "remedy of notFound"),
    (view { $0.disk?.freeBytes = 5 << 20 }, .disk, "5 of 4096 MiB are free", "df -h /var/lib/handlebar"),
    (
      view(.answers(status(.tracking) { $0.recordingError = "no space left" }, satellites: [], time: now)), .disk,
      "recording failed: no space left", "df -h"
    ),
  ]

  static let harmless: [SystemView] = [
    view(.answers(status(.acquiring), satellites: [28, 35, nil], time: nil)), sensor(.acquiring), sensor(.tracking),
    program("ModemManager").with { $0.devices[0].isIgnoredByModemManager = true },
    program("agetty", "tty1"), program("gpsd"),
    view { $0.configuration = .unchecked },
    view { $0.devices[0].holders = [SystemView.Process(pid: 9, name: "handlebard")] },
    view { $0.consoles = ["tty0", "ttyS0"] },
    view {
      $0.devices.append(SystemView.Device(path: "/dev/ttyUSB7", target: "/dev/ttyUSB7", group: "root", mode: 0o600))
    },
    view(.answers(status(.tracking, age: .seconds(3600)), satellites: [], time: now + .seconds(-3600))),
    view(.answers(status(.tracking) { $0.source = "recording" }, satellites: [], time: now + .seconds(-90_000))),
  ]
}

extension SystemView {
  fileprivate func with(_ change: (inout SystemView) -> Void) -> SystemView {
    var view = self
    change(&view)
    return view
  }
}

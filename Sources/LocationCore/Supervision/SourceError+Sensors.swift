// What is wrong with a sensor that the daemon reads itself; its URI is the device.
extension SourceError {
  /// What the user can do, in one line; `nil` of other sources, and where that is the same.
  var sensorRemedy: String? {
    switch self {
    case .denied(let device, _, _, .other) where device.hasPrefix("gpio:"):
      "sudo install -D -m 644 /usr/share/handlebard/gpio.conf /etc/systemd/system/handlebard.service.d/gpio.conf (for another chip than gpiochip0, change it there); then: sudo systemctl daemon-reload; sudo systemctl restart handlebard"
    case .denied(let device, "gpio", _, _) where device.hasPrefix("gpio:"):
      "add SupplementaryGroups=gpio to the service: sudo systemctl edit handlebard; then: sudo systemctl restart handlebard"
    case .denied(let device, _, _, _) where device.hasPrefix("gpio:"):
      "give the chip to the group handlebar by the last rule of /usr/share/handlebard/64-handlebar-local.rules, in /etc/udev/rules.d; then: sudo udevadm control --reload; sudo udevadm trigger --subsystem-match=gpio"
    case .notFound(let device, let present) where Self.isSensor(device) && !present.isEmpty:
      "there are: \(present.joined(separator: ", ")): set the source to one of them"
    case .notFound(let device, _) where device.hasPrefix("iio:"):
      "the kernel has no barometer: load its driver, for a BMP280 on a Raspberry Pi by dtoverlay=i2c-sensor,bmp280 in config.txt; what there is: grep . /sys/bus/iio/devices/*/name"
    case .notFound(let device, _) where device.hasPrefix("counter:"):
      "the kernel has no counter: load its driver; what there is: ls /sys/bus/counter/devices"
    case .notFound(let device, _) where device.hasPrefix("gpio:"):
      "the kernel has no GPIO chip: load its driver; what there is: ls /dev/gpiochip*"
    case .busy(let device, _) where device.hasPrefix("gpio:"):
      "what has the line: sudo gpioinfo (package gpiod); use another line, or stop that program or driver"
    case .unavailable(let device, _) where Self.isSensor(device):
      "it is read again by itself; if it stays so, check its wiring and its driver: sudo dmesg | tail"
    default: nil
    }
  }

  private static func isSensor(_ device: String) -> Bool {
    ["iio:", "counter:", "gpio:"].contains { device.hasPrefix($0) }
  }
}

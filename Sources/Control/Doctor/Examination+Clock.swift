import LocationCore

// The clock of the computer, beside the time of the receiver.
extension Examination {
  /// Tolerated difference between clock and receiver, seconds.
  private static let tolerance = 60.0

  var clock: Finding {
    let remedy = "check it: timedatectl; set it from the network: sudo timedatectl set-ntp true"
    let now = view.now
    guard now >= ReceiverConfiguration.floor else {
      return .wrong(.clock, "the system clock is not set: it shows \(now.text)", do: remedy)
    }
    if case .answers(let status, _, let measured?) = view.daemon, status.phase == .tracking, let age = status.age,
      let source = status.source, source.hasPrefix("serial") || source.hasPrefix("gpsd")
    {
      let difference = (now - measured).inSeconds - age.inSeconds
      if abs(difference) > Self.tolerance { return clock(aheadBy: difference, measured, remedy) }
    }
    return .ok(.clock, "the system clock is set")
  }

  /// Seconds of 1024 weeks, after which a receiver's week number begins again, and of a day.
  private static let (rollover, day) = (1024.0 * 7 * 86_400, 86_400.0)

  /// What a difference between the clock and the receiver's time means: which of both is wrong follows from how much it is.
  private func clock(aheadBy difference: Double, _ measured: UTCInstant, _ remedy: String) -> Finding {
    let times = (difference / Self.rollover).rounded()
    if times >= 1, abs(difference - times * Self.rollover) < Self.day {
      return .wrong(
        .clock,
        "the receiver's date is \(Int(times) * 1024) weeks in the past: its week number has begun again; the system clock is right",
        do: "add rollover=snap to the source, see handlebard.toml(5)")
    }
    let text = "\(abs(difference).decimals(0)) s \(difference > 0 ? "behind" : "ahead of")"
    if measured < ReceiverConfiguration.floor || view.isClockKept {
      let why = view.isClockKept ? "which is synchronized" : "and in the past: \(measured.text)"
      return .wrong(
        .clock, "the receiver's time is \(text) the system clock, \(why)",
        do:
          "wait until the receiver has seen the sky for 15 minutes; if it stays so, take its power away, with its battery if it has one"
      )
    }
    let quarters = (difference / 900).rounded()
    if quarters != 0, abs(quarters) <= 56, abs(difference - quarters * 900) <= Self.tolerance {
      return .wrong(
        .clock,
        "the system clock is \((quarters / 4).decimals(2)) h off the receiver's time: local time may have been taken for UTC",
        do: "for a hardware clock that is kept in local time: sudo timedatectl set-local-rtc 0; \(remedy)")
    }
    return .wrong(.clock, "the system clock is \(difference.decimals(0)) s off the receiver's time", do: remedy)
  }
}

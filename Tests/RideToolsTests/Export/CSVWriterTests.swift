import LocationCore
import Testing

@testable import RideTools

struct CSVWriterTests {
  @Test func `A header with units is followed by a row per fix`() {
    var fix = TestTrack.fix(-48.5, 11)
    fix.altitudeMSL = 545.4
    fix.geoidSeparation = 46.9
    fix.speed = 11.524
    fix.course = 84.4
    fix.satellitesUsed = 12
    fix.hdop = 0.84
    fix.horizontalAccuracy = 2.5
    var bare = TestTrack.fix(-48.5, 11)
    bare.measured = nil
    bare.mode = .twoD
    let lines = TestTrack.export([[fix], [bare]], ExportOptions(format: .csv, title: ""))
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0].hasPrefix("time_utc,lat_deg,lon_deg,alt_msl_m,geoid_separation_m,speed_m_s,course_deg,fix,"))
    #expect(lines[1] == "2026-03-19T12:35:19Z,-48.5,11,545.4,46.9,11.524,84.4,3d,12,0.84,,,2.5,,1,0")
    #expect(lines[2] == ",-48.5,11,,,,,2d,,,,,,,2,0")
    #expect(lines.count == 4 && lines[3].isEmpty)
    #expect(Set(lines.prefix(3).map { $0.split(separator: ",", omittingEmptySubsequences: false).count }) == [16])
  }

  @Test func `A ride with a sensor has columns of them, also where they are silent`() {
    let plain = TestTrack.trackFix(TestTrack.fix(1, 2), begins: true)
    var fix = plain
    fix.sensed.rider.heartRate = 142
    (fix.sensed.rider.power, fix.sensed.rider.temperature) = (0, 21.55)
    let lines = TestTrack.export(moments: [.fix(plain), .fix(fix)], ExportOptions(format: .csv, title: ""))
      .split(separator: "\n")
    #expect(lines[0].hasSuffix(",distance_m,heart_rate_1_min,cadence_1_min,power_w,temperature_c"))
    #expect(lines[1].hasSuffix(",1,0,,,,") && lines[2].hasSuffix(",2,0,142,,0,21.6"))
  }

  @Test func `A ride with a wheel or a barometer has columns of what they add`() {
    let plain = TestTrack.trackFix(TestTrack.fix(1, 2), begins: true)
    var fix = plain
    (fix.sensed.fused.wheelSpeed, fix.sensed.fused.altitude, fix.sensed.fused.grade) = (7.25, 512.5, -4.25)
    let lines = TestTrack.export(moments: [.fix(plain), .fix(fix)], ExportOptions(format: .csv, title: ""))
      .split(separator: "\n")
    #expect(lines[0].hasSuffix(",distance_m,wheel_speed_m_s,alt_fused_m,grade_percent"))
    #expect(lines[1].hasSuffix(",1,0,,,") && lines[2].hasSuffix(",2,0,7.25,512.5,-4.25"))
  }

  @Test func `The distance does not grow over a loss`() {
    let first = TestTrack.eastwards(3, step: 100)
    let second = TestTrack.eastwards(2, step: 100, from: 20)
    let rows = TestTrack.export([first, second], ExportOptions(format: .csv, title: "")).split(separator: "\n")
      .dropFirst()
    let distances = rows.compactMap { $0.split(separator: ",").last.flatMap { Double($0) } }
    #expect(distances == [0, 100, 200, 200, 300])
  }
}

import Testing

@testable import LocationCore

@Suite("Stated speed and course")
struct StatedMotionTests {
  /// Epochs of a rider towards the east; returns the fixes.
  private func ride(_ speeds: [Double], courses: [Double] = [], rate: Int, moving speed: Double) -> [Fix] {
    var rig = ReceiverRig()
    var east = 0.0
    for (index, stated) in speeds.enumerated() {
      let time = Double(index) / Double(rate)
      let minutes = 31 + east / 74_200 * 60
      let course = courses.indices.contains(index) ? courses[index] : 90
      let fraction = "\(10_000_000 + Int((minutes - 31) * 1e7))".dropFirst()
      rig.send(
        "GNRMC,\(Sentences.time(time)),A,4807.0380,N,01131.\(fraction),E,\(stated * 3600 / 1852),\(course),190326,,,A")
      rig.wait(.milliseconds(1000 / rate))
      east += speed / Double(rate)
    }
    return rig.fixes
  }

  @Test(
    arguments: [
      (1, 1.5, 473.0), (1, 1.5, 51.4), (5, 1.5, 473), (5, 1.5, 51.4), (10, 1.5, 473), (1, 25, 473), (1, 25, 0),
      (2, 30, 100),
    ] as [(Int, Double, Double)])
  func `A speed that jumps and that the positions contradict is left out`(
    _ rate: Int, _ speed: Double, _ glitch: Double
  ) {
    var speeds = Array(repeating: speed, count: 20)
    speeds[12] = glitch
    let fixes = ride(speeds, rate: rate, moving: speed)
    #expect(fixes.count == 20)
    for (index, fix) in fixes.enumerated() {
      if index == 12 { #expect(fix.speed == nil) } else { #expect(abs((fix.speed ?? -1) - speed) < 0.01, "\(index)") }
    }
  }

  @Test func `A receiver that goes on with a wrong speed is not believed later either`() {
    let fixes = ride(Array(repeating: 2, count: 5) + Array(repeating: 473, count: 20), rate: 5, moving: 2)
    #expect(fixes.map { $0.speed != nil } == (0..<25).map { $0 < 5 })
  }

  @Test func `A speed that the positions confirm is believed`() {
    // A train that a recording joins in full motion.
    var rig = ReceiverRig()
    for second in 0..<10 {
      let speed = second < 5 ? 0.0 : 80
      let north = second < 5 ? 0 : (second - 4) * 432
      rig.send(
        "GNRMC,\(Sentences.time(Double(second))),A,\(Sentences.place(north)),\(speed * 3600 / 1852),0.0,190326,,,A")
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.allSatisfy { $0.speed != nil })
  }

  @Test func `A receiver that holds its position in motion keeps its speed`() {
    #expect(ride(Array(repeating: 25, count: 10), rate: 1, moving: 0).allSatisfy { $0.speed != nil })
  }

  @Test func `A course against the way is left out`() {
    var courses = Array(repeating: 90.0, count: 12)
    courses[7] = 271
    let fixes = ride(Array(repeating: 12, count: 12), courses: courses, rate: 1, moving: 12)
    #expect(fixes.map { $0.course != nil } == (0..<12).map { $0 != 7 })
  }
}

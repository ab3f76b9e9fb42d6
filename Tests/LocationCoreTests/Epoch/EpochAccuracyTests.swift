import Glibc
import LocationCore
import Testing

/// 95 % errors from the receiver's estimates.
@Suite("Accuracy of epochs")
struct EpochAccuracyTests {
  private func made(_ sentences: String...) -> Fix? {
    var rig = ReceiverRig()
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    rig.end()
    return rig.fixes.first
  }

  @Test func `The receiver's own estimate has priority`() throws {
    let fix = try #require(made(Sentences.rmc(0), Sentences.gga(0), Sentences.gsa(3), Sentences.gst(0)))
    // An ellipse of 3.0 m by 2.0 m, 1 σ.
    let radius = try #require(fix.horizontalAccuracy)
    #expect(abs(radius - Confidence.radius(3, 2)) < 1e-12)
    #expect(radius > 3 * 1.96 && radius < 3 * 2.448)
    #expect(abs((fix.latitudeError ?? 0) - 4.9) < 0.001)
    #expect(abs((fix.longitudeError ?? 0) - 5.096) < 0.001)
    #expect(abs((fix.verticalAccuracy ?? 0) - 7.84) < 0.001)
  }

  @Test func `Without an estimate the dilution of precision is used`() throws {
    let fix = try #require(made(Sentences.gga(0), Sentences.gsa(3)))
    #expect(abs((fix.horizontalAccuracy ?? 0) - 0.8 * 4 * 1.730_818) < 1e-9)
    #expect(abs((fix.verticalAccuracy ?? 0) - 1.2 * 4 * 1.959_964) < 1e-9)
    #expect(fix.latitudeError == nil)
  }

  @Test func `A fix without an altitude has no error of one`() throws {
    for gsa in [Sentences.gsa(2), "GNGSA,A,3,01,02,03,04,05,,,,,,,,1.50,0.80,1.20"] {
      let fix = try #require(made(Sentences.rmc(0), gsa, Sentences.gst(0)))
      #expect(fix.mode == .twoD && fix.altitudeMSL == nil && fix.vdop == 1.2)
      #expect(fix.verticalAccuracy == nil && fix.verticalBasis == nil && fix.horizontalAccuracy != nil)
    }
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, fixType: 2) + UBX.eoe(1000))
    #expect(rig.fixes.map(\.verticalAccuracy) == [nil] && rig.epochs.first?.noise?.altitude == 3)
  }

  @Test func `Proprietary estimates precede the dilution of precision`() throws {
    let ublox = try #require(
      made(
        Sentences.gga(0), Sentences.gsa(3),
        "PUBX,00,123500.00,\(Sentences.place()),592.3,G3,3.0,4.0,0.1,84.4,0.0,,0.84,1.2,0.7,12,0,0"))
    #expect(abs((ublox.horizontalAccuracy ?? 0) - 3 * 1.730_818) < 1e-9)
    #expect(abs((ublox.verticalAccuracy ?? 0) - 4 * 1.959_964) < 1e-9)
    let garmin = try #require(made(Sentences.rmc(0), Sentences.gga(0), "PGRME,9.1,M,15.0,M,12.0,M"))
    #expect(abs((garmin.horizontalAccuracy ?? 0) - 9.1 * 2.447_747 / 1.177_410) < 1e-9)
    let sirf = try #require(made("PSRFEPE,123500.000,A,1.0,2.0,3.0,0.5,10.0", Sentences.gga(0), Sentences.rmc(0)))
    #expect(abs((sirf.horizontalAccuracy ?? 0) - 2 * 1.730_818) < 1e-9)
    #expect(abs((sirf.speedAccuracy ?? 0) - 0.5 * 1.959_964) < 1e-9)
    #expect(abs((sirf.courseAccuracy ?? 0) - 10 * 1.959_964) < 1e-9)
    let aimless = try #require(made("PSRFEPE,123500.000,A,1.0,2.0,3.0,0.5,180.0", Sentences.gga(0), Sentences.rmc(0)))
    #expect(aimless.courseAccuracy == nil)
    // GST is nearer to the solution than any of them.
    let both = try #require(made(Sentences.gga(0), "PGRME,9.1,M,15.0,M,12.0,M", Sentences.gst(0)))
    #expect(both.horizontalAccuracy == Confidence.radius(3, 2))
  }

  /// A log without pauses may begin behind the solution of an epoch.
  @Test func `The errors of PGRME belong to the epoch before it`() {
    var rig = ReceiverRig()
    func errors(_ metres: Int) -> String { "PGRME,\(metres).0,M,15.0,M,12.0,M" }
    rig.send(errors(9))
    for second in 0...9 {
      rig.send(
        Sentences.rmc(Double(second)), Sentences.gga(Double(second)), Sentences.gsa(3),
        "GPGSV,1,1,01,05,20,199,40", errors(10 + second))
    }
    rig.end()
    let wanted = (1...9).map { Double(10 + $0) * 2.447_747 / 1.177_410 }
    #expect(zip(rig.fixes.dropFirst(), wanted).allSatisfy { abs(($0.horizontalAccuracy ?? 0) - $1) < 1e-9 })
    // With the satellites of the same second, which precede them.
    #expect(rig.fixes.count == 10 && rig.epochs.map { $0.sky?.measured } == rig.fixes.map(\.measured))
  }

  @Test(arguments: [("-1.5", 1.5), ("0.250", -0.25), ("0.0", 0), ("", nil)])
  func `The receiver's climb is upwards positive`(down: String, expected: Double?) throws {
    let fix = try #require(
      made(
        Sentences.gga(0),
        "PUBX,00,123500.00,\(Sentences.place()),592.3,G3,3.0,4.0,0.1,84.4,\(down),,0.84,1.2,0.7,12,0,0"))
    #expect(fix.climb == expected)
    #expect(fix.climb != 0 || fix.climb?.sign == .plus)
  }

  @Test func `A heading belongs to the fix that closes next`() throws {
    #expect(try #require(made("HCHDT,123.4,T", Sentences.rmc(0))).heading == 123.4)
    #expect(try #require(made("GNTHS,77.5,A", Sentences.rmc(0))).heading == 77.5)
    #expect(try #require(made("GNTHS,77.5,V", Sentences.rmc(0))).heading == nil)
    var rig = ReceiverRig()
    rig.send("HCHDT,10.0,T", Sentences.rmc(0), "HCHDT,20.0,T")
    rig.wait(.seconds(1))
    for second in 1...2 {
      rig.send(Sentences.rmc(Double(second)))
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.map(\.heading) == [20, nil, nil])
  }

  @Test func `Unknown errors stay unknown`() throws {
    let rmc = try #require(made(Sentences.rmc(0)))
    #expect(rmc.horizontalAccuracy == nil)
    #expect(rmc.verticalAccuracy == nil)
    let zeros = try #require(made(Sentences.rmc(0), "GNGST,123500.000,0.0,0.0,0.0,0.0,0.0,0.0,0.0"))
    #expect(zeros.horizontalAccuracy == nil)
    #expect(zeros.latitudeError == nil)
  }

  @Test func `The 95 % radius contains 19 of 20 positions`() {
    // The mass of a two-dimensional normal distribution within the radius, by the midpoint rule.
    for ratio in [0.05, 0.25, 0.5, 0.6, 0.75, 0.9, 1] {
      let radius = Confidence.radius(1, ratio)
      #expect(radius == Confidence.radius(ratio, 1))
      let steps = 400
      var mass = 0.0
      for column in 0..<steps {
        let x = (Double(column) + 0.5) / Double(steps) * radius
        let height = (radius * radius - x * x).squareRoot()
        for row in 0..<steps {
          let y = (Double(row) + 0.5) / Double(steps) * height
          let density = exp(-(x * x + y * y / (ratio * ratio)) / 2) / (2 * Double.pi * ratio)
          mass += 4 * density * (height / Double(steps)) * (radius / Double(steps))
        }
      }
      #expect(abs(mass - 0.95) < 0.001, "ratio \(ratio)")
    }
  }
}

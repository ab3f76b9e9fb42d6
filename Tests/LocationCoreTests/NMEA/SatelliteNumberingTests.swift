import Foundation
import Testing

@testable import LocationCore

@Suite("Numbers of satellites")
struct SatelliteNumberingTests {
  private static func text(_ range: ClosedRange<Int>) -> String { "\(range.lowerBound)\\(en\(range.upperBound)" }

  private static let names: [GNSS: String] = [
    .gps: "GPS", .sbas: "SBAS", .glonass: "GLONASS", .imes: "IMES", .qzss: "QZSS", .galileo: "Galileo",
    .beidou: "BeiDou", .navic: "NavIC",
  ]

  private static func name(_ row: SatelliteNumbering) -> String { names[row.system] ?? "" }

  /// gpsd's `PRN` of the satellites of a system.
  private static func prns(_ row: SatelliteNumbering) -> ClosedRange<Int> {
    let blocks = row.stated + row.bare
    let last = blocks.map { $0.first + $0.numbers.count - 1 }.max() ?? 0
    return (blocks.map(\.first).min() ?? 0) + row.offset...last + row.offset
  }

  /// The rows of the manual's two tables, from the table of the code.
  private static var rows: [String] {
    let systems = SatelliteNumbering.table.map { row in
      let talkers = row.talkers.map(\.description).joined(separator: ", ")
      let id = row.systemID.map { "\($0)" } ?? "\\(em"
      return ".It \(name(row)) Ta \(id) Ta \(talkers.isEmpty ? "\\(em" : talkers) Ta \(text(prns(row)))"
    }
    let numbers = SatelliteNumbering.table.flatMap { row in
      [(name(row), row.stated), ("any", row.bare), ("NAV-SVINFO", row.svinfo)].flatMap { place, blocks in
        blocks.map { block in
          let satellites = block.first...block.first + block.numbers.count - 1
          let prns = satellites.lowerBound + row.offset...satellites.upperBound + row.offset
          return ".It \(text(block.numbers)) Ta \(place) Ta \(name(row)) \(text(satellites)) Ta \(text(prns))"
        }
      }
    }
    return systems + numbers
  }

  @Test func `The manual prints the table`() throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let page = try String(contentsOfFile: root + "/packaging/man/handlebar-protocol.7", encoding: .utf8)
    let section = try #require(page.range(of: ".Sh SATELLITE NUMBERS\n"))
    let rest = page[section.upperBound...]
    let lines = rest[..<(rest.range(of: "\n.Sh ")?.lowerBound ?? rest.endIndex)].split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasPrefix(".It ") && !$0.hasPrefix(".It Em ") } == Self.rows)
  }

  @Test func `Every number of the table is that satellite, and has a PRN of its own`() {
    for row in SatelliteNumbering.table {
      for (blocks, system) in [(row.stated, row.system), (row.bare, nil)] as [([SatelliteNumbering.Block], GNSS?)] {
        for block in blocks {
          for (index, number) in block.numbers.enumerated() {
            let identity = SatelliteIdentity(number: number, in: system)
            #expect(identity.gnss == row.system && identity.svid == block.first + index)
            #expect(identity.prn == block.first + index + row.offset && Self.prns(row).contains(identity.prn))
          }
        }
      }
    }
    for one in SatelliteNumbering.table {
      for other in SatelliteNumbering.table where other.system != one.system {
        #expect(!Self.prns(one).overlaps(Self.prns(other)))
      }
    }
    for number in [-1, 0, 97, 187, 265, 337, 465, 511, 512, 9999] {
      let identity = SatelliteIdentity(number: number, in: nil)
      #expect(identity.gnss == nil && identity.svid == nil && identity.prn == number)
    }
  }

  @Test(
    arguments: [
      (1, .gps, 1, 1), (33, .beidou, 6, 406), (64, .beidou, 37, 437), (65, .glonass, 1, 65), (120, .sbas, 120, 120),
      (159, .beidou, 1, 401), (163, .beidou, 5, 405), (173, .imes, 1, 173), (193, .qzss, 1, 193),
      (211, .galileo, 1, 301),
      (246, .galileo, 36, 336),
    ] as [(UInt8, GNSS, Int, Int)])
  func `NAV-SVINFO has numbers of its own`(_ number: UInt8, _ gnss: GNSS, _ svid: Int, _ prn: Int) throws {
    let identity = try #require(SatelliteIdentity(svinfo: number))
    #expect(identity.gnss == gnss && identity.svid == svid && identity.prn == prn)
    #expect(SatelliteIdentity(svinfo: 255) == nil)
  }
}

extension SatelliteNumbering {
  /// gpsd's `PRN` of the satellites.
  var prns: ClosedRange<Int> {
    let blocks = stated + bare
    let last = blocks.map { $0.first + $0.numbers.count - 1 }.max() ?? 0
    return (blocks.map(\.first).min() ?? 0) + offset...last + offset
  }
}

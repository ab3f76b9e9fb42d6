import Foundation
import GPSDProtocol
import LocationCore
import Testing

@Suite struct SentenceLineTests {
  /// The objects that bytes become.
  private static func objects(_ bytes: [UInt8]) -> [String] {
    var decoder = NMEADecoder()
    var objects: [String] = []
    func take(_ event: borrowing NMEAEvent) {
      var line = JSONLine()
      SentenceLine.write(event, into: &line)
      objects.append(String(decoding: line.bytes, as: UTF8.self))
    }
    bytes.withUnsafeBytes { decoder.decode($0, take) }
    decoder.finish(take)
    return objects
  }

  /// The object that a line becomes, framed from its content.
  private static func object(_ content: String) -> String? {
    let sum = content.utf8.reduce(0, ^)
    let digits = (sum < 16 ? "0" : "") + String(sum, radix: 16)
    return objects(Array("$\(content)*\(digits)\r\n".utf8)).first
  }

  /// Every family, its values in wire order with gpsd's names and units.
  @Test(
    arguments: [
      (
        "GNRMC,123519.00,A,4807.03800,N,01131.00000,E,22.4,84.4,190326,,,A,V",
        #"{"type":"RMC","talker":"GN","time":"12:35:19.000","status":"A","lat":48.117300000,"lon":11.516666667,"speed":11.524,"track":84.4,"date":"2026-03-19","mode":"A","navStatus":"V"}"#
      ),
      (
        "GNGGA,123519.00,4807.03800,N,01131.00000,E,1,12,0.84,545.4,M,46.9,M,,",
        #"{"type":"GGA","talker":"GN","time":"12:35:19.000","lat":48.117300000,"lon":11.516666667,"quality":1,"nSat":12,"hdop":0.84,"altMSL":545.4,"geoidSep":46.9}"#
      ),
      (
        "GPGSV,1,1,01,08,56,248,28,1",
        #"{"type":"GSV","talker":"GP","part":1,"parts":1,"nSat":1,"satellites":[{"PRN":8,"el":56,"az":248,"ss":28}],"signal":1}"#
      ),
      (
        "GNRMC,123519.00,A,4860.00000,N,01131.00000,E,22.4,84.4,190326,,,A",
        #"{"type":"RMC","talker":"GN","time":"12:35:19.000","status":"A","speed":11.524,"track":84.4,"date":"2026-03-19","mode":"A","problems":["lat"]}"#
      ),
      ("GPXYZ,1,2", #"{"type":"XYZ","talker":"GP","fields":["1","2"]}"#),
      (
        "GNRMC,,V,,,,,,,,3.1,W,N,V",
        #"{"type":"RMC","talker":"GN","status":"V","magvar":-3.1,"mode":"N","navStatus":"V"}"#
      ),
      (
        "GPGGA,,,,,,4,08,0.9,-1.5,M,,M,1.5,0120",
        #"{"type":"GGA","talker":"GP","quality":4,"nSat":8,"hdop":0.9,"altMSL":-1.5,"dgpsAge":1.5,"dgpsSta":120}"#
      ),
      (
        "GPGLL,4807.038,S,01131.000,W,000000,A,D",
        #"{"type":"GLL","talker":"GP","lat":-48.117300000,"lon":-11.516666667,"time":"00:00:00.000","status":"A","mode":"D"}"#
      ),
      (
        "GNGNS,235960.5,,,,,AANN,15,0.74,545.4,46.9,,,S",
        #"{"type":"GNS","talker":"GN","time":"23:59:60.500","modes":"AANN","nSat":15,"hdop":0.74,"altMSL":545.4,"geoidSep":46.9,"navStatus":"S"}"#
      ),
      (
        "GPVTG,054.7,T,034.4,M,,N,36.0,K,A",
        #"{"type":"VTG","talker":"GP","track":54.7,"magtrack":34.4,"speed":10,"mode":"A"}"#
      ),
      (
        "GPZDA,123519.00,19,03,2026,-05,30",
        #"{"type":"ZDA","talker":"GP","time":"12:35:19.000","date":"2026-03-19","zone":-330}"#
      ),
      (
        "GNGST,123519.00,22.3,1.2,1.1,45.0,1.40,1.10,2.60",
        #"{"type":"GST","talker":"GN","time":"12:35:19.000","rms":22.3,"major":1.2,"minor":1.1,"orient":45,"lat":1.4,"lon":1.1,"alt":2.6}"#
      ),
      (
        "GNGSA,A,3,08,10,,,,,,,,,,,1.05,0.69,99.99,1",
        #"{"type":"GSA","talker":"GN","selection":"A","mode":3,"satellites":[8,10],"pdop":1.05,"hdop":0.69,"system":1}"#
      ),
      (
        "PQGSV,1,1,01,06,21,118,31.5,0,4",
        #"{"type":"PQGSV","part":1,"parts":1,"nSat":1,"satellites":[{"PRN":6,"el":21,"az":118,"ss":31.5}],"signal":0,"system":4}"#
      ),
      ("GPGSV,1,1,00", #"{"type":"GSV","talker":"GP","part":1,"parts":1,"nSat":0,"satellites":[]}"#),
      (
        "GNGBS,223745.00,1.0,1.5,3.1,03,0.01,-21.4,3.8,1,2",
        #"{"type":"GBS","talker":"GN","time":"22:37:45.000","epy":1,"epx":1.5,"epv":3.1,"failed":3,"probability":0.01,"bias":-21.4,"deviation":3.8,"system":1,"signal":2}"#
      ),
      (
        "GNGRS,123519.00,1,0.5,,-0.2,,,,,,,,,,1,1",
        #"{"type":"GRS","talker":"GN","time":"12:35:19.000","mode":1,"residuals":[0.5,null,-0.2],"system":1,"signal":1}"#
      ),
      (
        "GPDTM,W84,,0.6,N,0.0,E,0.0,W84",
        #"{"type":"DTM","talker":"GP","datum":"W84","latOffset":0.01,"lonOffset":0,"altOffset":0,"reference":"W84"}"#
      ),
      (
        "GNTXT,01,01,02,ANT=OK^2C \"SBAS\"^2A^0A\\",
        #"{"type":"TXT","talker":"GN","part":1,"parts":1,"id":2,"text":"ANT=OK, \"SBAS\"*\n\\"}"#
      ),
      ("HEHDT,274.07,T", #"{"type":"HDT","talker":"HE","heading":274.07}"#),
      ("GNTHS,77.52,E", #"{"type":"THS","talker":"GN","heading":77.52,"mode":"E"}"#),
      (
        "PUBX,00,081350.00,4807.038,N,01131.000,E,546.589,G3,2.1,2.0,36.0,77.52,-0.007,,0.92,1.19,0.77,9,0,0",
        #"{"type":"PUBX,00","time":"08:13:50.000","lat":48.117300000,"lon":11.516666667,"altHAE":546.589,"status":"G3","eph":2.1,"epv":2,"speed":10,"track":77.52,"velD":-0.007,"hdop":0.92,"vdop":1.19,"tdop":0.77,"nSat":9,"deadReckoning":false}"#
      ),
      (
        "PUBX,03,02,23,U,205,41,42,25,05,-,021,03,,000",
        #"{"type":"PUBX,03","nSat":2,"satellites":[{"PRN":23,"use":"U","az":205,"el":41,"ss":42,"lock":25},{"PRN":5,"use":"-","az":21,"el":3,"lock":0}]}"#
      ),
      (
        "PUBX,04,123519.00,190326,390919.00,2410,18D,1930035,-2660.664,43",
        #"{"type":"PUBX,04","time":"12:35:19.000","date":"2026-03-19","tow":390919,"week":2410,"leapseconds":18,"leapReceived":false,"clockBias":1930035,"clockDrift":-2660.664,"granularity":43}"#
      ),
      ("PGRME,5.5,M,7.0,M,8.9,M", #"{"type":"PGRME","eph":5.5,"epv":7,"sep":8.9}"#),
      ("PGRMZ,1789,f,3", #"{"type":"PGRMZ","altMSL":545.2872,"source":3}"#),
      ("PMTK001,314,3", #"{"type":"PMTK","packet":1,"command":314,"result":3}"#),
      ("PMTK010,001", #"{"type":"PMTK","packet":10,"message":1}"#),
      ("PMTKCHN,00001", #"{"type":"PMTKCHN","fields":["00001"]}"#),
      (
        "PSTI,030,044606.000,A,4807.038,N,01131.000,E,103.323,3.00,-4.00,0.50,180915,R,1.2,4.2",
        #"{"type":"PSTI,030","time":"04:46:06.000","status":"A","lat":48.117300000,"lon":11.516666667,"altMSL":103.323,"velE":3,"velN":-4,"velU":0.5,"date":"2015-09-18","mode":"R","rtkAge":1.2,"rtkRatio":4.2}"#
      ),
      (
        "PTNL,GGK,102939.00,051910,4807.038,N,01131.000,E,5,09,1.9,EHT150.790,M",
        #"{"type":"PTNL,GGK","time":"10:29:39.000","date":"2010-05-19","lat":48.117300000,"lon":11.516666667,"quality":5,"nSat":9,"dop":1.9,"altHAE":150.79}"#
      ),
      (
        "PSRFEPE,100542.000,A,0.7,6.82,10.69,0.1,180.0",
        #"{"type":"PSRFEPE","time":"10:05:42.000","status":"A","hdop":0.7,"eph":6.82,"epv":10.69,"eps":0.1,"epd":180}"#
      ),
      ("PUBX,05,1,", #"{"type":"PUBX","fields":["05","1",""]}"#),
      (
        "PSTMANTENNASTATUS,0,1,1", #"{"type":"PSTMANTENNASTATUS","fields":["0","1","1"]}"#
      ),
      ("gngga,1", #"{"type":"gga","talker":"gn","fields":["1"]}"#),
    ] as [(String, String)]
  )
  func `Every sentence is one object`(_ content: String, _ object: String) {
    #expect(Self.object(content) == object)
  }

  @Test(
    arguments: [
      (
        "GNRMC,x,x,1,N,x,E,x,x,x,x,E,x,x",
        ["time", "status", "lon", "speed", "track", "date", "magvar", "mode", "navStatus"]
      ),
      ("GNRMC,,A,4807.0,,01131.0,E,,,,1,N", ["lat", "magvar"]),
      (
        "GPGGA,x,1,X,1,X,x,x,x,x,M,x,x,x,x",
        ["time", "lat", "lon", "quality", "nSat", "hdop", "altMSL", "geoidSep", "dgpsAge", "dgpsSta"]
      ),
      ("GPGLL,1,X,1,X,x,x,x", ["lat", "lon", "time", "status", "mode"]),
      (
        "GPGNS,x,1,X,1,X,1,x,x,x,x,x,x,x",
        ["time", "lat", "lon", "modes", "nSat", "hdop", "altMSL", "geoidSep", "dgpsAge", "dgpsSta", "navStatus"]
      ),
      ("GPVTG,x,x,x,x,x,x,x,x,x", ["track", "magtrack", "speed", "mode"]),
      ("GPZDA,x,x,x,x,x,x", ["time", "date", "zone"]),
      ("GPGST,x,x,x,x,x,x,x,x", ["time", "rms", "major", "minor", "orient", "lat", "lon", "alt"]),
      ("GPGSA,x,x,x,,,,,,,,,,,x,x,x,x,x", ["selection", "mode", "satellites", "pdop", "hdop", "vdop", "system"]),
      ("GPGSV,x,x,x,01,x,x,x,x", ["parts", "part", "nSat", "satellites", "signal"]),
      ("PQGSV,x,x,x,01,x,x,x,x,x", ["parts", "part", "nSat", "satellites", "signal", "system"]),
      (
        "GPGBS,x,x,x,x,x,x,x,x,x,x",
        ["time", "epy", "epx", "epv", "failed", "probability", "bias", "deviation", "system", "signal"]
      ),
      ("GPGRS,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x", ["time", "mode", "residuals", "system", "signal"]),
      (
        "GPDTM,123456789,123456789,x,N,1,X,x,123456789",
        ["datum", "subdivision", "latOffset", "lonOffset", "altOffset", "reference"]
      ),
      ("GPTXT,x,x,x,text", ["parts", "part", "id"]),
      ("GPHDT,x,x", ["heading"]),
      ("GPTHS,x,x", ["heading", "mode"]),
      (
        "PUBX,00,x,1,X,1,X,x,x,x,x,x,x,x,x,x,x,x,x,x,x",
        [
          "time", "lat", "lon", "altHAE", "status", "eph", "epv", "speed", "track", "velD", "dgpsAge", "hdop", "vdop",
          "tdop", "nSat", "deadReckoning",
        ]
      ),
      ("PUBX,03,x,1,x,x,x,x,x", ["nSat", "satellites"]),
      (
        "PUBX,04,x,x,x,x,x,x,x,x",
        ["time", "date", "tow", "week", "leapseconds", "clockBias", "clockDrift", "granularity"]
      ),
      ("PGRME,x,M,1,x,x,M", ["eph", "epv", "sep"]),
      ("PGRMZ,x,x,x", ["altMSL", "source"]),
      ("PMTK001,x,x", ["command", "result"]),
      ("PMTK010,x", ["message"]),
      (
        "PSTI,030,x,x,1,X,1,X,x,x,x,x,x,x,x,x",
        ["time", "status", "lat", "lon", "altMSL", "velE", "velN", "velU", "date", "mode", "rtkAge", "rtkRatio"]
      ),
      ("PTNL,GGK,x,x,1,X,1,X,x,x,x,x,M", ["time", "date", "lat", "lon", "quality", "nSat", "dop", "altHAE"]),
      ("PSRFEPE,x,x,x,x,x,x,x", ["time", "status", "hdop", "eph", "epv", "eps", "epd"]),
    ] as [(String, [String])]
  )
  func `Malformed values are named`(_ content: String, _ names: [String]) throws {
    let object = try #require(Self.object(content))
    let ending = #""problems":["# + names.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
    #expect(object.hasSuffix(ending), "\(object)")
  }

  @Test(
    arguments: [
      ("$GNGGA,1*00\r\n", #"{"rejected":"checksum","expected":"55","found":"00","raw":"$GNGGA,1*00"}"#),
      ("$GNGGA,1\r\n", #"{"rejected":"noChecksum","raw":"$GNGGA,1"}"#),
      ("$GNGGA,1*4\r\n", #"{"rejected":"badChecksumFormat","raw":"$GNGGA,1*4"}"#),
      ("$GNGGA,\u{1}\r\n", #"{"rejected":"notASCII","raw":"$GNGGA,\u0001"}"#),
      ("$GNGGA,\"\\", #"{"rejected":"truncated","raw":"$GNGGA,\"\\"}"#),
      ("$GPGSA,A,1,,,*1E\r\n", #"{"rejected":"fieldCount","raw":"$GPGSA,A,1,,,*1E"}"#),
    ] as [(String, String)]
  )
  func `Rejected lines have their reason`(_ text: String, _ object: String) {
    #expect(Self.objects(Array(text.utf8)) == [object])
  }

  @Test func `Overlong lines have their beginning`() throws {
    let object = try #require(Self.objects(Array("$".utf8) + Array(repeating: 0x41, count: 400)).first)
    #expect(object.hasPrefix(#"{"rejected":"overlong","raw":"$AAAA"#))
    #expect(object.utf8.count < 300)
  }

  @Test func `Encapsulated sentences have their fields`() {
    let object = Self.objects(Array("!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D\r\n".utf8)).first
    #expect(object == #"{"type":"VDM","talker":"AI","fields":["1","1","","A","14eG;o@034o8sd<L9i:a;WF>062D","0"]}"#)
  }

  /// Whatever bytes come, every object is JSON.
  @Test func `Any bytes give legal JSON`() throws {
    var state: UInt64 = 88_172_645_463_325_252
    var bytes: [UInt8] = []
    let special: [UInt8] = [0x24, 0x2A, 0x2C, 0x0D, 0x22, 0x5C, 0x5E, 0xFF, 0x47, 0x30]
    for _ in 0..<60_000 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      bytes.append(
        state & 1 == 0 ? special[Int(state >> 8 & 0xFF) % special.count] : UInt8(truncatingIfNeeded: state >> 16))
    }
    let objects = Self.objects(bytes)
    #expect(objects.count > 100)
    for object in objects {
      let parsed = try JSONSerialization.jsonObject(with: Data(object.utf8)) as? [String: Any]
      #expect(parsed?["rejected"] != nil || parsed?["type"] != nil)
    }
  }
}

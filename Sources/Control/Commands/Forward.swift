import ArgumentParser
import Forwarding
import Glibc
import Libc
import LocationCore
import Recordings

struct Forward: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sends recorded rides to an MQTT broker, each fix until it is acknowledged.",
    discussion: """
      Example: handlebarctl forward mqtts://broker.example --ca ca.pem --cert unit.pem --key unit.key

      The rides on the disk are the queue: they are sent in order, the one in progress as it is recorded, across outages and restarts. A fix may be sent \
      again; ride and seq of its message are then the same. Messages are OwnTracks JSON. TOPIC/status is online or offline, retained.

      Exits 0 when it is stopped, or with --once when everything recorded so far is acknowledged. With --once, a broker or a certificate that is refused \
      is an error (5).
      """)

  @Argument(help: .value("URL", "The broker: mqtt://HOST[:PORT] or mqtts://HOST[:PORT].")) var broker: String?

  @Option(help: .value("TOPIC", "Topic of the messages; {host} is the name of this host."))
  var topic = "owntracks/fleet/{host}"

  @Option(help: .value("N", "Quality of service, 1 or 2.")) var qos = 1
  @Option(help: .value("M", "Distance filter in metres; 0 sends every fix (default: 0).")) var filter: DecimalArgument?

  @Option(
    help: .value("DIR", "Directory of the rides (default: $HANDLEBAR_RECORD, else the daemon's)."),
    completion: .directory)
  var rides: String?

  @Option(help: .value("DIR", "Directory of the state."), completion: .directory)
  var state = ForwardState.standardDirectory

  @Flag(help: "End when everything recorded so far is acknowledged.") var once = false
  @Flag(help: "Send new fixes before the backlog.") var liveFirst = false
  @Flag(help: "Describe the unit to Home Assistant, by MQTT discovery.") var homeAssistant = false
  @Flag(help: "Show the backlog and the last acknowledgement.") var status = false

  @Option(help: .value("FILE", "Certificates of the broker's authority (default: the system's)."), completion: .file())
  var ca: String?

  @Option(help: .value("FILE", "Certificate of this unit."), completion: .file()) var cert: String?
  @Option(help: .value("FILE", "Key of that certificate."), completion: .file()) var key: String?
  @Option(help: .value("NAME", "User name at the broker.")) var user: String?

  @Option(
    help: .value("FILE", "File with the password in line 1 (default: $HANDLEBAR_MQTT_PASSWORD)."),
    completion: .file())
  var passwordFile: String?

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard (1...2).contains(qos) else { throw ValidationError("--qos must be 1 or 2") }
    if let filter, filter.value < 0 { throw ValidationError("--filter must be 0 metres or more") }
    guard broker != nil || status else { throw ValidationError("name the broker, for example mqtt://broker.example") }
    guard (1...256).contains(fullTopic.utf8.count), !topic.contains(where: { "+#\0".contains($0) }) else {
      throw ValidationError("--topic must be 1 to 256 bytes long, without the wildcards + and #")
    }
    guard passwordFile == nil || user != nil else { throw ValidationError("--password-file needs --user") }
    guard (cert == nil) == (key == nil) else { throw ValidationError("--cert and --key belong together") }
    do throws(BrokerError) {
      guard let url = broker, try !Broker(url: url).isEncrypted else { return }
    } catch {
      throw ValidationError("\(error)")
    }
    if ca != nil || cert != nil { throw ValidationError("--ca and --cert need an encrypted connection: mqtts://") }
  }

  func run() async throws {
    if status { return try printStatus() }
    let directory = try await RecordedRides.directory(
      rides, option: "--rides", asking: connection.client)
    let store: ForwardStore
    do throws(RecordingError) {
      store = try ForwardStore(path: state)
    } catch {
      if error.code == EBUSY {
        throw CommandError.exit("another forwarder uses \(state.printable); stop it, or choose another --state")
      }
      throw CommandError.exit("\(error)", code: EX_CANTCREAT)
    }
    let broker = try login()
    let state = try kept(for: directory) ?? ForwardState(rideDirectory: directory.path)
    let queue = RideQueue(directory, state: state, filter: try configuration, liveFirst: liveFirst)
    Self.raiseFileLimit()
    Forwarder.stopOnSignals()
    let report = { (line: String) in StandardError.say(line.printable) }
    guard
      let forwarder = Forwarder(
        of: queue, to: broker, topic: fullTopic, quality: Int32(qos), endsWhenDrained: once, store: store,
        isDiscoverable: homeAssistant, report: report)
    else {
      throw CommandError.exit("libmosquitto is not installed: apt install libmosquitto1", code: EX_UNAVAILABLE)
    }
    switch forwarder.run() {
    case .done: break
    case .refused(let reason): throw CommandError.exit(reason.printable, code: 5)
    case .notSaved: throw ExitCode(EX_IOERR)
    }
    if once, forwarder.hasUnreadableRides { throw ExitCode(EX_IOERR) }
  }

  /// The state so far; `nil` for none or damage. One of other rides or unreadable is an error: all would be sent again.
  private func kept(for directory: RideDirectory) throws -> ForwardState? {
    let kept: ForwardState?
    do throws(RecordingError) {
      kept = try ForwardStore.read(state)
    } catch {
      guard error.reason == .unknownFormat else { throw CommandError.exit("\(error)", code: EX_NOINPUT) }
      StandardError.say("the state is damaged: all rides are sent again")
      return nil
    }
    if let other = kept?.rideDirectory, other != directory.path,
      Link.resolved(other) ?? other != Link.resolved(directory.path) ?? directory.path
    {
      throw CommandError.exit(
        "the state in \(state.printable) is of the rides in \(other.printable); choose another --state, or change its rides="
      )
    }
    return kept
  }

  /// Raises the number of open files to what is allowed: each ride that waits is held open.
  private static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private var configuration: FilterConfiguration {
    get throws { try FilterConfiguration(distance: filter?.value ?? 0) }
  }

  private func login() throws -> Broker {
    var broker = try Broker(url: broker ?? "")
    for file in [ca, cert, key, passwordFile] {
      guard let file, access(file, R_OK) != 0 else { continue }
      throw CommandError.exit("\(RecordingError(.open, file, code: errno))", code: EX_NOINPUT)
    }
    (broker.authorities, broker.certificate, broker.key, broker.user) = (ca, cert, key, user)
    broker.password = try passwordFile.map(Self.password) ?? Environment["HANDLEBAR_MQTT_PASSWORD"]
    return broker
  }

  private static func password(in path: String) throws -> String {
    guard let file = fopen(path, "re") else {
      throw CommandError.exit("\(RecordingError(.open, path, code: errno))", code: EX_NOINPUT)
    }
    defer { fclose(file) }
    var line: [UInt8] = []
    // Up to the longest password of MQTT and the first byte of a line end of two.
    while line.count <= 65_536, let byte = UInt8(exactly: getc(file)), byte != 10 { line.append(byte) }
    guard ferror(file) == 0 else {
      throw CommandError.exit("\(RecordingError(.read, path, code: errno))", code: EX_IOERR)
    }
    if line.last == 13 { line.removeLast() }
    guard (1...65_535).contains(line.count), !line.contains(0), let password = String(validating: line, as: UTF8.self)
    else {
      throw CommandError.exit(
        "line 1 of \(path.printable) is not a password: write 1 to 65535 bytes of UTF-8 without NUL", code: EX_DATAERR)
    }
    return password
  }

  private func printStatus() throws {
    let kept = try CommandError.exiting(EX_NOINPUT) { try ForwardStore.read(state) }
    guard let state = kept else {
      throw CommandError.exit(
        "\(self.state.printable) has no state of a forwarder; name its directory: --state DIR", code: EX_NOINPUT)
    }
    let filter = try configuration
    var backlog = (fixes: 0, oldest: UTCInstant?.none)
    try CommandError.exiting(EX_NOINPUT) {
      let directory = try RideDirectory(existing: rides ?? state.rideDirectory)
      let queue = RideQueue(directory, state: state, filter: filter, liveFirst: false)
      while let next = try queue.next(at: .zero) {
        backlog.fixes += 1
        backlog.oldest = backlog.oldest ?? next.fix.measured
      }
    }
    StandardOutput.lines(ForwardText.lines(state, backlog: backlog))
  }

  private var fullTopic: String { topic.replacing("{host}", with: NetworkAddress.thisMachine ?? "unknown") }
}

import ArgumentParser
import Glibc
import LocationClient
import LocationCore
import Subprocess
import SystemPackage

struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds out why there is no fix, and names the remedy.",
    discussion: """
      Example: sudo handlebarctl doctor

      Checks the configuration, the socket, the receiver and the processes that hold it, the satellites, the clock and the disk. Only root sees \
      the devices held by other users' processes. Exits 0 if nothing is wrong, else 1.
      """)

  @Flag(help: "Print one JSON object per line: check, state (ok, note, wrong), message, remedy.") var json = false
  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    let progress = WaitNotice("checking")
    let findings = Examination(view: await view()).findings
    progress.end()
    for finding in findings {
      if json { StandardOutput.write(finding.json) } else { StandardOutput.lines(finding.lines(.standardOutput)) }
    }
    if findings.contains(where: { $0.state == .wrong }) { throw ExitCode.failure }
  }

  private func view() async -> SystemView {
    let probe = SystemProbe()
    let daemon = await daemon(probe)
    var time = timeval()
    gettimeofday(&time, nil)
    let now = UTCInstant(nanosecondsSince1970: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1000)
    var view = probe.view(of: daemon, now: now, paths: daemon.serialPaths)
    for source in daemon.status?.sources ?? [] where source.receiver != nil {
      if let setup = try? await connection.client.receiver(source: source.source) { view.setups.append(setup) }
    }
    view.configuration = await Self.checkConfiguration()
    return view
  }

  private func daemon(_ probe: SystemProbe) async -> SystemView.Daemon {
    let client = connection.client
    let path = "\(client.endpoint)"
    do throws(LocationClientError) {
      let status = try await client.status()
      let poll = try? await client.poll()
      // The dilutions alone are no list of satellites.
      let sky = poll?.sky.first.flatMap { $0.satellites.isEmpty && $0.hdop != nil ? nil : $0 }
      let signals = sky.map { $0.satellites.map(\.signal) }
      return .answers(status, satellites: signals, time: poll?.tpv.first?.time)
    } catch {
      switch error {
      case .noDaemon: return probe.exists(path) ? .deaf(path: path) : .absent(path: path)
      case .unusable(let message, let remedy), .denied(let message, let remedy):
        return .unusable(message: message, remedy: remedy)
      default: return .refusing(path: path, reason: "\(error)")
      }
    }
  }

  /// The result of `handlebard --check-config`: only the daemon can check its configuration.
  private static func checkConfiguration() async -> SystemView.Configuration {
    guard let program = DaemonProgram.path,
      let result = try? await Subprocess.run(
        .path(FilePath(program)), arguments: ["--check-config"], output: .discarded, error: .string(limit: 1 << 16))
    else { return .unchecked }
    if result.terminationStatus.isSuccess { return .right }
    let line = result.standardError.split(whereSeparator: \.isNewline).first.map(String.init)
    let head = "handlebard: "
    guard let line else { return .wrong("handlebard --check-config: \(result.terminationStatus)") }
    return .wrong(line.hasPrefix(head) ? String(line.dropFirst(head.count)) : line)
  }
}

import SystemPackage

/// Builds the configuration from its layers: defaults, file, environment, flags.
package struct ConfigurationLoader {
  /// The file named by flag or variable; `nil` for the standard one, which may be absent.
  private let named: String?
  private let environment: [String: String]
  private let flags: (inout DaemonConfiguration) throws(ConfigurationError) -> Void
  private let standard: String

  package init(
    file: String?, environment: [String: String], standard: String = ConfigurationFile.standardPath,
    flags: @escaping (inout DaemonConfiguration) throws(ConfigurationError) -> Void
  ) {
    named = file ?? environment["HANDLEBAR_CONFIG"].flatMap(DaemonConfiguration.nonEmpty)
    self.environment = environment
    self.flags = flags
    self.standard = standard
  }

  package func load() throws(ConfigurationError) -> DaemonConfiguration {
    let file: ConfigurationFile? = if let path { try ConfigurationFile(path: path) } else { nil }
    var configuration = DaemonConfiguration()
    // The service manager lists its directories, the first of which is the daemon's (systemd.exec(5)).
    let directories = environment["STATE_DIRECTORY"] ?? ""
    configuration.stateDirectory = directories.split(separator: ":").first.map(String.init)
    if let file { try configuration.apply(file) }
    let fileConfiguration = configuration
    try configuration.apply(environment: environment)
    try flags(&configuration)
    do throws(ConfigurationError) {
      try configuration.validate()
    } catch {
      throw Self.located(error, in: file, fileConfiguration)
    }
    return configuration
  }

  private var path: String? { named ?? ((try? Stat(standard, followTargetSymlink: false)) == nil ? nil : standard) }

  /// The error with its line, if the file alone causes it.
  private static func located(
    _ error: ConfigurationError, in file: ConfigurationFile?, _ fileConfiguration: DaemonConfiguration
  ) -> ConfigurationError {
    guard let file, let entry = file.entries.first(where: { $0.key == error.key }) else { return error }
    do throws(ConfigurationError) {
      try fileConfiguration.validate()
      return error
    } catch let fileError {
      return fileError.key == error.key ? error.located(at: file.place(of: entry.value.line)) : error
    }
  }
}

import SystemPackage

extension DaemonConfiguration {
  /// Builds the configuration from its layers: defaults, file, environment, flags. The file is the one that `file` or a
  /// variable names, or the standard one, which may be absent.
  package init(
    file: String?, environment: [String: String], standard: String = ConfigurationFile.standardPath,
    flags: (inout DaemonConfiguration) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) {
    self.init()
    let named = file ?? environment["HANDLEBAR_CONFIG"].flatMap(Self.nonEmpty)
    let path = named ?? ((try? Stat(standard, followTargetSymlink: false)) == nil ? nil : standard)
    let file: ConfigurationFile? = if let path { try ConfigurationFile(path: path) } else { nil }
    // The service manager lists its directories, the first of which is the daemon's (systemd.exec(5)).
    let directories = environment["STATE_DIRECTORY"] ?? ""
    stateDirectory = directories.split(separator: ":").first.map(String.init)
    if let file { try apply(file) }
    let fileConfiguration = self
    try apply(environment: environment)
    try flags(&self)
    do throws(ConfigurationError) {
      try validate()
    } catch {
      throw Self.located(error, in: file, fileConfiguration)
    }
  }

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

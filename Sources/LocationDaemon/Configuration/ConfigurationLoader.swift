/// Puts the configuration together: the defaults, over them the file, the environment, and the flags.
package struct ConfigurationLoader {
  /// The file that was named, by flag or variable; `nil` reads the standard one if it is there.
  private let named: String?
  private let environment: [String: String]
  private let flags: (inout DaemonConfiguration) throws(ConfigurationError) -> Void
  private let standard: String

  /// A loader that can be asked again when the file has changed.
  package init(
    file: String?, environment: [String: String], standard: String = ConfigurationFile.standardPath,
    flags: @escaping (inout DaemonConfiguration) throws(ConfigurationError) -> Void
  ) {
    named = file ?? environment["HANDLEBAR_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    self.environment = environment
    self.flags = flags
    self.standard = standard
  }

  /// The configuration as it is now, checked.
  package func load() throws(ConfigurationError) -> DaemonConfiguration {
    let file: ConfigurationFile? = if let path { try ConfigurationFile(path: path) } else { nil }
    var settings = DaemonConfiguration()
    if let file { try settings.apply(file) }
    let ofFile = settings
    try settings.apply(environment: environment)
    try flags(&settings)
    do throws(ConfigurationError) {
      try settings.validate()
    } catch {
      throw located(error, in: file, ofFile)
    }
    return settings
  }

  private var path: String? {
    if let named { return named }
    return FileIdentity(path: standard) == nil ? nil : standard
  }

  /// The error with its place, if what the file says is enough to make it.
  private func located(
    _ error: ConfigurationError, in file: ConfigurationFile?, _ settings: DaemonConfiguration
  ) -> ConfigurationError {
    guard let file, let entry = file.entries.first(where: { $0.key == error.key }) else { return error }
    do throws(ConfigurationError) {
      try settings.validate()
      return error
    } catch let own {
      var located = error
      if own.key == error.key { located.place = file.place(of: entry.value.position) }
      return located
    }
  }
}

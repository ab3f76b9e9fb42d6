/// What makes a ride a ride, and which ones are kept.
package struct RidePolicy: Hashable, Sendable {
  /// 20 minutes: longer than a refuelling stop with a coffee, shorter than a visit.
  package static let standardSplitStop = Duration.seconds(1200)

  /// A stop of so long parts two rides, switched off or not.
  package var splitStop: Duration
  /// Which rides are kept.
  package var retention: RetentionPolicy

  /// A policy.
  package init(splitStop: Duration = Self.standardSplitStop, retention: RetentionPolicy = RetentionPolicy()) {
    self.splitStop = splitStop
    self.retention = retention
  }
}

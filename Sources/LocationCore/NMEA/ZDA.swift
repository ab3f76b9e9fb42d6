/// ZDA, UTC date and time with the local zone.
package struct ZDA: Hashable, Sendable {
  /// UTC time of day.
  package var time: TimeOfDay?
  /// UTC date, four-digit year.
  package var date: CalendarDate?
  /// Local zone east of UTC, minutes.
  package var zoneMinutes: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

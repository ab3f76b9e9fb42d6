/// What a receiver states of itself in sentences before it is asked, as those do that are switched on.
package struct ReceiverGreeting: Sendable {
  private var answers = ReceiverAnswers()
  /// Its messages, if it is of a family that is set up.
  private(set) var dialect: ReceiverDialect?
  private(set) var identity: ReceiverIdentity?

  package init() {}

  package mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    for answer in answers.receive(bytes) {
      guard case .sentence = answer else { continue }
      if let family = ReceiverDialect.other(answer) { identity = ReceiverIdentity(family: family) }
      guard let (dialect, stated) = ReceiverDialect.identify(answer, isUSB: false) else { continue }
      let known = self.dialect == dialect ? identity : nil
      (self.dialect, identity) = (dialect, known?.adding(stated) ?? stated)
    }
  }
}

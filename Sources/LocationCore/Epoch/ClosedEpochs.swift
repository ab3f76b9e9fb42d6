/// The epochs that one read has closed: mostly one, which then needs no array.
///
/// It stands with the epochs, not with who keeps them: only here can the compiler copy and destroy one without looking
/// up at run time what it is made of.
package struct ClosedEpochs: ~Copyable {
  package private(set) var isEmpty = true
  private var first: Epoch?
  private var rest: [Epoch] = []

  /// None.
  package init() {}

  /// Adds the next.
  package mutating func append(_ epoch: borrowing Epoch) {
    if isEmpty { first = copy epoch } else { rest.append(copy epoch) }
    isEmpty = false
  }

  /// Forgets all of them, and hands them out.
  package mutating func take() -> ClosedEpochs {
    var taken = ClosedEpochs()
    swap(&taken, &self)
    return taken
  }

  /// Tells of each in their order, and whether it is the newest.
  package consuming func forEach(_ body: (_ epoch: Epoch, _ isNewest: Bool) -> Void) {
    guard let first else { return }
    body(first, rest.isEmpty)
    for (index, epoch) in rest.enumerated() { body(epoch, index == rest.count - 1) }
  }
}

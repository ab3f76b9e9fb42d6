/// The epochs that one read has closed: mostly one, which then needs no array.
///
/// It stands with the epochs, not with who keeps them: in another module the compiler destroys one by what it looks up
/// at run time, and so it does an `Epoch?` even here.
package struct ClosedEpochs: ~Copyable {
  private enum Kept {
    case none
    case one(Epoch)
    case several([Epoch])
  }

  private var kept = Kept.none

  /// None.
  package init() {}

  package var isEmpty: Bool {
    if case .none = kept { true } else { false }
  }

  /// Adds the next.
  package mutating func append(_ epoch: borrowing Epoch) {
    switch kept {
    case .none: kept = .one(copy epoch)
    case .one(let first): kept = .several([first, copy epoch])
    case .several(var all):
      kept = .none
      all.append(copy epoch)
      kept = .several(all)
    }
  }

  /// Forgets all of them, and hands them out.
  package mutating func take() -> ClosedEpochs {
    let taken = consume self
    self = ClosedEpochs()
    return taken
  }

  /// Tells of each in their order, and whether it is the newest.
  package consuming func forEach(_ body: (_ epoch: Epoch, _ isNewest: Bool) -> Void) {
    switch kept {
    case .none: break
    case .one(let epoch): body(epoch, true)
    case .several(let all): for (index, epoch) in all.enumerated() { body(epoch, index == all.count - 1) }
    }
  }
}

/// What the rider's sensors measured on a ride, in the units of ``SensorValues``: averages over the time of moving, maxima
/// of all of it.
package struct SensorSums: Hashable, Sendable {
  package var heartRate: SensorSum?
  /// The average is that of pedalling.
  package var cadence: SensorSum?
  /// The average is also of the time without pedalling.
  package var power: SensorSum?
  package var temperature: SensorSum?

  package var isEmpty: Bool { self == SensorSums() }

  /// Adds the values of a fix, which hold for so many seconds of moving.
  mutating func add(_ values: SensorValues, over seconds: Double) {
    guard !values.isEmpty else { return }
    Self.add(values.heartRate.map(Double.init), over: seconds, to: &heartRate)
    Self.add(values.cadence.map(Double.init), over: values.cadence == 0 ? 0 : seconds, to: &cadence)
    Self.add(values.power.map(Double.init), over: seconds, to: &power)
    Self.add(values.temperature, over: seconds, to: &temperature)
  }

  private static func add(_ value: Double?, over seconds: Double, to sum: inout SensorSum?) {
    guard let value else { return }
    var new = sum ?? SensorSum(maximum: value)
    new.total += value * seconds
    new.seconds += seconds
    new.maximum = max(new.maximum, value)
    sum = new
  }

  mutating func code(_ words: inout StateWords) {
    for sum in [\Self.heartRate, \.cadence, \.power, \.temperature] {
      words.code(&self[keyPath: sum], SensorSum(maximum: 0)) { words, sum in
        for value in [\SensorSum.total, \.seconds, \.maximum] { words.code(&sum[keyPath: value]) }
      }
    }
  }
}

/// Average and maximum of one quantity; as text its three numbers.
package struct SensorSum: Hashable, Sendable, LosslessStringConvertible {
  /// Of the value times its seconds.
  var total = 0.0
  var seconds = 0.0
  package var maximum: Double

  init(maximum: Double) { self.maximum = maximum }

  package init?(_ text: String) {
    let numbers = text.split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 3, numbers.allSatisfy({ $0.magnitude < 1e15 }) else { return nil }
    (total, seconds, maximum) = (numbers[0], numbers[1], numbers[2])
  }

  package var description: String { "\(total) \(seconds) \(maximum)" }
  /// `nil` without motion.
  package var average: Double? { seconds > 0 ? total / seconds : nil }
}

import GPSDProtocol

/// The unit as Home Assistant's MQTT discovery finds it: a device with a tracker and a sensor of its speed, which read
/// the topic of the fixes. Retained, so that a restarted Home Assistant finds it again
/// (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery).
struct HomeAssistant {
  let topic: String
  let statusTopic: String

  var entities: [(topic: String, description: [UInt8])] {
    [
      entity(
        "device_tracker", name: "Position",
        fields: [
          ("json_attributes_topic", topic), ("json_attributes_template", Self.attributes), ("source_type", "gps"),
        ]),
      entity(
        "sensor", name: "Speed",
        fields: [
          ("state_topic", topic), ("value_template", "{{ value_json.vel | default(None) }}"), ("device_class", "speed"),
          ("unit_of_measurement", "km/h"), ("state_class", "measurement"),
        ]),
    ]
  }

  /// OwnTracks' names as Home Assistant's; a missing value stays away.
  private static let attributes = """
    {% set names = {'lat': 'latitude', 'lon': 'longitude', 'acc': 'gps_accuracy', 'alt': 'altitude', 'vel': 'speed', 'cog': 'course'} %}\
    {% set found = namespace(values={}) %}\
    {% for name in names if name in value_json %}\
    {% set found.values = dict(found.values, **{names[name]: value_json[name]}) %}{% endfor %}\
    {{ found.values | tojson }}
    """

  /// The unit in names: Home Assistant takes letters, digits, `-` and `_`.
  private var unit: String {
    String(topic.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" })
  }

  private func entity(
    _ kind: String, name: String, fields: [(name: StaticString, value: String)]
  ) -> (topic: String, description: [UInt8]) {
    var line = JSONLine(capacity: 1024)
    line.beginObject()
    line.field("name", name)
    line.field("unique_id", "\(unit)_\(kind)")
    for (name, value) in fields { line.field(name, value) }
    line.field("availability_topic", statusTopic)
    line.beginObject("device")
    line.field("identifiers", unit)
    line.field("name", topic.split(separator: "/").last.map { String($0) } ?? topic)
    line.endObject()
    line.endObject()
    return ("homeassistant/\(kind)/\(unit)/config", Array(line.bytes))
  }
}

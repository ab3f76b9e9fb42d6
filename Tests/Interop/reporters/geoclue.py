"""Prints the locations of GeoClue: `geoclue.py APP`, on the system bus, as an application and the agent that allows it.

Debian's Python runs this. Each location is a line: latitude, longitude, altitude.
"""

import sys

from gi.repository import Gio, GLib

NAME = "org.freedesktop.GeoClue2"
MANAGER = ("/org/freedesktop/GeoClue2/Manager", f"{NAME}.Manager")
PROPERTIES = "org.freedesktop.DBus.Properties"
EXACT = 8
AGENT = f"""
<node>
  <interface name="{NAME}.Agent">
    <method name="AuthorizeApp">
      <arg type="s" direction="in"/> <arg type="u" direction="in"/>
      <arg type="b" direction="out"/> <arg type="u" direction="out"/>
    </method>
    <property name="MaxAccuracyLevel" type="u" access="read"/>
  </interface>
</node>
"""
app = GLib.Variant("s", sys.argv[1])
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)


def call(path, interface, method, arguments=None):
    """Calls GeoClue and answers what it asks meanwhile."""
    results = []
    bus.call(
        NAME, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, GLib.MAXINT, None,
        lambda _, result: results.append(result),
    )
    while not results:
        GLib.MainContext.default().iteration(True)
    return bus.call_finish(results[0]).unpack()


def authorize(*arguments):
    arguments[-1].return_value(GLib.Variant("(bu)", (True, EXACT)))


def told(*arguments):
    _, new = arguments[-1]
    try:
        (place,) = call(new, PROPERTIES, "GetAll", GLib.Variant("(s)", (f"{NAME}.Location",)))
    except GLib.Error as error:
        # Who asks late finds only newer ones.
        if "org.freedesktop.DBus.Error.Unknown" not in error.message:
            raise
        return
    print(place["Latitude"], place["Longitude"], place["Altitude"], flush=True)


appeared = []
Gio.bus_watch_name_on_connection(bus, NAME, Gio.BusNameWatcherFlags.NONE, lambda *_: appeared.append(NAME), None)
while not appeared:
    GLib.MainContext.default().iteration(True)
bus.register_object(
    "/org/freedesktop/GeoClue2/Agent", Gio.DBusNodeInfo.new_for_xml(AGENT).interfaces[0],
    authorize, lambda *_: GLib.Variant("u", EXACT), None,
)
call(*MANAGER, "AddAgent", GLib.Variant.new_tuple(app))
(client,) = call(*MANAGER, "GetClient")
for name, value in (("DesktopId", app), ("RequestedAccuracyLevel", GLib.Variant("u", EXACT))):
    call(client, PROPERTIES, "Set", GLib.Variant("(ssv)", (f"{NAME}.Client", name, value)))
bus.signal_subscribe(NAME, f"{NAME}.Client", "LocationUpdated", client, None, Gio.DBusSignalFlags.NONE, told)
call(client, f"{NAME}.Client", "Start")
GLib.MainLoop().run()

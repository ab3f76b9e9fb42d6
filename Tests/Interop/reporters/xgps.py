"""Runs the installed xgps and prints the texts of its windows: `xgps.py XGPS PICTURE HOST:PORT`.

Debian's Python runs this, and xgps in the same process. Each second it saves the screen as a picture and prints a line:
the texts of every window as a JSON list.
"""

import json
import runpy
import sys

import gi

gi.require_version("Gtk", "3.0")

from gi.repository import Gdk, GLib, Gtk  # noqa: E402


def texts(widget):
    if isinstance(widget, (Gtk.Entry, Gtk.Label)):
        yield widget.get_text().strip()
    if isinstance(widget, Gtk.Container):
        for child in widget.get_children():
            yield from texts(child)


def tell():
    screen = Gdk.get_default_root_window()
    Gdk.pixbuf_get_from_window(screen, 0, 0, screen.get_width(), screen.get_height()).savev(picture, "png", [], [])
    print(json.dumps([text for window in Gtk.Window.list_toplevels() for text in texts(window)]), flush=True)
    return True


program, picture, address = sys.argv[1:]
GLib.timeout_add(1000, tell)
sys.argv = [program, address]
runpy.run_path(program, run_name="__main__")

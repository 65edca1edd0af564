"""Fake desktop services on D-Bus. Run this with the system's Python.

``desktop_services.py [NAME ...]`` owns these names on the session bus, all by default. It writes
a JSON list per line: ``["ready"]``, then each method call and signal that it receives. It reads
orders from stdin: ``{"click": NUMBER, "token": TEXT}`` clicks on a notification,
``{"animate": true}`` changes the user's setting of animations (initially off).

GDBus refuses every call whose argument types differ from the specification.
"""

from __future__ import annotations

import json
import os
import sys
import threading

from gi.repository import Gio, GLib

NOTIFICATIONS, LOGIN, POWER = (
    "org.freedesktop.Notifications",
    "org.freedesktop.login1",
    "org.freedesktop.PowerManagement",
)
SERVICES = {
    NOTIFICATIONS: (
        "/org/freedesktop/Notifications",
        """<node><interface name='org.freedesktop.Notifications'>
        <method name='GetCapabilities'><arg type='as' direction='out'/></method>
        <method name='Notify'>
          <arg type='s' direction='in'/><arg type='u' direction='in'/><arg type='s' direction='in'/>
          <arg type='s' direction='in'/><arg type='s' direction='in'/>
          <arg type='as' direction='in'/><arg type='a{sv}' direction='in'/>
          <arg type='i' direction='in'/><arg type='u' direction='out'/>
        </method>
        <method name='CloseNotification'><arg type='u' direction='in'/></method>
        <signal name='ActionInvoked'><arg type='u'/><arg type='s'/></signal>
        <signal name='ActivationToken'><arg type='u'/><arg type='s'/></signal>
        </interface></node>""",
    ),
    LOGIN: (
        "/org/freedesktop/login1",
        """<node><interface name='org.freedesktop.login1.Manager'>
        <method name='Inhibit'>
          <arg type='s' direction='in'/><arg type='s' direction='in'/>
          <arg type='s' direction='in'/><arg type='s' direction='in'/>
          <arg type='h' direction='out'/>
        </method></interface></node>""",
    ),
    POWER: (
        "/org/freedesktop/PowerManagement/Inhibit",
        """<node><interface name='org.freedesktop.PowerManagement.Inhibit'>
        <method name='Inhibit'>
          <arg type='s' direction='in'/><arg type='s' direction='in'/>
          <arg type='u' direction='out'/>
        </method>
        <method name='UnInhibit'><arg type='u' direction='in'/></method>
        </interface></node>""",
    ),
}
PORTAL = "org.freedesktop.portal.Desktop"
SERVICES[PORTAL] = (
    "/org/freedesktop/portal/desktop",
    """<node><interface name='org.freedesktop.portal.Settings'>
    <method name='ReadAll'>
      <arg type='as' direction='in'/><arg type='a{sa{sv}}' direction='out'/>
    </method>
    <signal name='SettingChanged'><arg type='s'/><arg type='s'/><arg type='v'/></signal>
    </interface></node>""",
)
LAUNCHER = "com.canonical.Unity.LauncherEntry"


def write_line(*words):
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


class Services:
    """The D-Bus objects that answer the calls."""

    def __init__(self, names):
        self._bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        self._number = 40
        for name in names:
            path, text = SERVICES[name]
            (interface,) = Gio.DBusNodeInfo.new_for_xml(text).interfaces
            self._bus.register_object(path, interface, self._answer, None, None)
            self._bus.call_sync(
                *("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"),
                *("RequestName", GLib.Variant("(su)", (name, 0)), None, 0, -1, None),
            )
        self._bus.signal_subscribe(
            None, LAUNCHER, "Update", None, None, Gio.DBusSignalFlags.NONE, self._on_update
        )

    def _on_update(self, _bus, _sender, path, _interface, _member, values):
        write_line("Update", path, values.get_type_string(), *values.unpack())

    def _answer(self, _bus, _sender, _path, _interface, member, values, call):
        if member == "GetCapabilities":
            call.return_value(GLib.Variant("(as)", (["actions", "body", "body-markup"],)))
            return
        if member == "ReadAll":
            animated = {"enable-animations": GLib.Variant("b", False)}
            found = {"org.gnome.desktop.interface": animated}
            call.return_value(GLib.Variant("(a{sa{sv}})", (found,)))
            return
        write_line(member, *values.unpack())
        if member == "Inhibit" and values.get_type_string() == "(ssss)":
            reading, writing = os.pipe()
            threading.Thread(target=self._watch, args=(reading,), daemon=True).start()
            answer = GLib.Variant("(h)", (0,))
            call.return_value_with_unix_fd_list(answer, Gio.UnixFDList.new_from_array([writing]))
        elif member in {"Notify", "Inhibit"}:
            self._number += 1
            call.return_value(GLib.Variant("(u)", (self._number,)))
        else:
            call.return_value(None)

    def _watch(self, reading):
        os.read(reading, 1)  # empty once the other end is closed
        write_line("released")

    def click(self, number, token):
        self._emit("ActivationToken", number, token)
        self._emit("ActionInvoked", number, "default")

    def animate(self, animated):
        values = ("org.gnome.desktop.interface", "enable-animations", GLib.Variant("b", animated))
        self._bus.emit_signal(
            *(None, SERVICES[PORTAL][0], "org.freedesktop.portal.Settings", "SettingChanged"),
            GLib.Variant("(ssv)", values),
        )

    def _emit(self, member, number, text):
        path, values = SERVICES[NOTIFICATIONS][0], GLib.Variant("(us)", (number, text))
        self._bus.emit_signal(None, path, NOTIFICATIONS, member, values)


def main() -> None:
    services = Services(sys.argv[1:] or SERVICES)
    loop = GLib.MainLoop()

    def read() -> None:
        for line in sys.stdin:
            order = json.loads(line)
            if "animate" in order:
                GLib.idle_add(services.animate, order["animate"])
            else:
                GLib.idle_add(services.click, order["click"], order["token"])
        loop.quit()

    threading.Thread(target=read, daemon=True).start()
    write_line("ready")
    loop.run()


if __name__ == "__main__":
    main()

"""Hears what an application tells screen readers; a program for the system's Python.

``at_spi_client.py LAUNCHER COMMAND ...`` starts the accessibility bus and the application, and
answers questions in JSON, one a line: ``{"do": "tree"}`` with all that the application tells, and
``{"do": "act", "path": PATH, "number": N}`` by doing the action N of a thing. It ends, and ends
both, when nothing more is asked.

Plain D-Bus instead of the library Atspi: that one keeps what it heard, so that it may be old, and
is one package more.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

from gi.repository import Gio, GLib

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
ROOT = "/org/a11y/atspi/accessible/root"
PATIENCE_MS = 20_000
# Numbers of the specification.
STATES = {"enabled": 8, "focusable": 11, "showing": 25}
LABELLED_BY = 2
DEPTH = 40


class Desktop:
    """The bus that applications tell on."""

    def __init__(self) -> None:
        session = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        (address,) = session.call_sync(
            *("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"),
            *(None, None, Gio.DBusCallFlags.NONE, PATIENCE_MS, None),
        ).unpack()
        flags = Gio.DBusConnectionFlags
        self._bus = Gio.DBusConnection.new_for_address_sync(
            address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None
        )

    def call(self, place, interface, method, arguments=None):
        """Call a method, and return what it says."""
        name, path = place
        flags = Gio.DBusCallFlags.NONE
        return self._bus.call_sync(
            name, path, interface, method, arguments, None, flags, PATIENCE_MS, None
        ).unpack()

    def property(self, place, interface, name):
        """Return a property."""
        arguments = GLib.Variant("(ss)", (interface, name))
        return self.call(place, "org.freedesktop.DBus.Properties", "Get", arguments)[0]

    def begin(self, place, interface, method, arguments):
        """Call a method and do not wait: one that opens a dialog says nothing until it closes."""
        name, path = place
        flags = Gio.DBusCallFlags.NONE
        self._bus.call(name, path, interface, method, arguments, None, flags, -1, None, None)
        self._bus.flush_sync(None)

    def application(self):
        """Return the place of the first application, once there is one."""
        for _ in range(PATIENCE_MS // 100):
            try:
                (found,) = self.call(("org.a11y.atspi.Registry", ROOT), ACCESSIBLE, "GetChildren")
            except GLib.Error:
                found = []
            if found:
                return found[0]
            time.sleep(0.1)
        sys.exit("No application told anything.")

    def node(self, place, depth=0):
        """Return what a thing tells, and what is in it; None for one that is gone meanwhile."""
        try:
            low, high = self.call(place, ACCESSIBLE, "GetState")[0]
            interfaces = self.call(place, ACCESSIBLE, "GetInterfaces")[0]
            relations = self.call(place, ACCESSIBLE, "GetRelationSet")[0]
            said = {
                "path": list(place),
                "role": self.call(place, ACCESSIBLE, "GetRoleName")[0],
                "name": self.property(place, ACCESSIBLE, "Name"),
                "description": self.property(place, ACCESSIBLE, "Description"),
                "labelled": any(kind == LABELLED_BY and of for kind, of in relations),
                "actions": [],
            }
            if ACTION in interfaces:
                actions = self.call(place, ACTION, "GetActions")[0]
                said["actions"] = [name for name, *_ in actions]
            states = low | high << 32
            said |= {word: bool(states >> bit & 1) for word, bit in STATES.items()}
            children = self.call(place, ACCESSIBLE, "GetChildren")[0]
        except GLib.Error:
            return None
        inside = children if depth < DEPTH else []
        nodes = [self.node(tuple(child), depth + 1) for child in inside]
        said["children"] = [node for node in nodes if node is not None]
        return said


def main(launcher, *command):
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    bus = subprocess.Popen([launcher, "--launch-immediately"], stderr=subprocess.DEVNULL, **quiet)
    application = None
    try:
        desktop = Desktop()
        application = subprocess.Popen(command, **quiet)
        place = tuple(desktop.application())
        for line in sys.stdin:
            question = json.loads(line)
            if question["do"] == "tree":
                answer = desktop.node(place)
            else:
                number = GLib.Variant("(i)", (question["number"],))
                desktop.begin(tuple(question["path"]), ACTION, "DoAction", number)
                answer = {}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
    finally:
        for process in (application, bus):
            if process is not None:
                process.terminate()
                process.wait(10)


if __name__ == "__main__":
    main(*sys.argv[1:])

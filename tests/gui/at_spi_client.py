"""Hears what an application tells screen readers; a program for the system's Python.

``at_spi_client.py ANSWERS LAUNCHER COMMAND ...`` starts the accessibility bus and the application,
and answers questions in JSON, one a line, until nothing more is asked; then it ends both. ANSWERS
is the number of an open file.

- ``{"do": "windows"}``: the names of all windows.
- ``{"do": "tree", "menus": true}``: all that is told of what is shown, and of menus that are not.
- ``{"do": "act", "path": PATH, "number": N}``: does the action N of a thing.

Plain D-Bus instead of the library Atspi: that one keeps what it heard, so that it may be old, and
is one package more.
"""

from __future__ import annotations

import json
import os
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
MENUS = frozenset({"menu bar", "menu item", "check menu item", "popup menu", "separator"})
# Of these nobody asks what can be done with them; there are many.
MUTE = frozenset({"label", "tree item", "list item", "cell", "layered pane", "panel"})
DEPTH = 40


def patiently(ask):
    """Return what a question brings; ask again for a while: on a busy machine answers come late."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while True:
        try:
            return ask()
        except GLib.Error:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)  # of another process, which does not tell when it can answer


class Desktop:
    """The bus that applications tell on."""

    def __init__(self) -> None:
        self._bus = patiently(self._connected)

    @staticmethod
    def _connected():
        session = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        (address,) = session.call_sync(
            *("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"),
            *(None, None, Gio.DBusCallFlags.NONE, PATIENCE_MS, None),
        ).unpack()
        flags = Gio.DBusConnectionFlags
        return Gio.DBusConnection.new_for_address_sync(
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
        until = time.monotonic() + 3 * PATIENCE_MS / 1000
        while time.monotonic() < until:
            try:
                (found,) = self.call(("org.a11y.atspi.Registry", ROOT), ACCESSIBLE, "GetChildren")
            except GLib.Error:
                found = []
            if found:
                return found[0]
            time.sleep(0.1)  # of another process, which does not tell when it is there
        sys.exit("No application told anything.")

    def windows(self, place):
        """Return the names of all windows."""
        names = []
        for child in patiently(lambda: self.call(place, ACCESSIBLE, "GetChildren"))[0]:
            try:
                names.append(self.property(tuple(child), ACCESSIBLE, "Name"))
            except GLib.Error:
                continue  # gone meanwhile
        return names

    def node(self, place, depth=0, *, menus):
        """Return what a thing tells, and what is in it.

        None for one that is gone meanwhile, or not shown and in no menu.
        """
        try:
            low, high = self.call(place, ACCESSIBLE, "GetState")[0]
            states = low | high << 32
            states = {word: bool(states >> bit & 1) for word, bit in STATES.items()}
            role = self.call(place, ACCESSIBLE, "GetRoleName")[0]
            if not (states["showing"] or (menus and role in MENUS)):
                return None
            said = {
                "path": list(place),
                "role": role,
                "name": self.property(place, ACCESSIBLE, "Name"),
                "description": self.property(place, ACCESSIBLE, "Description"),
                "labelled": role == "combo box" and self.is_labelled(place),
                "actions": self.actions(place) if self.can_act(role, states) else [],
                **states,
            }
            children = self.call(place, ACCESSIBLE, "GetChildren")[0]
        except GLib.Error:
            return None
        inside = children if depth < DEPTH else []
        nodes = [self.node(tuple(child), depth + 1, menus=menus) for child in inside]
        said["children"] = [node for node in nodes if node is not None]
        return said

    @staticmethod
    def can_act(role, states):
        """Return whether it is worth asking what can be done with a thing."""
        return role not in MUTE and (role != "filler" or states["focusable"])

    def is_labelled(self, place):
        """Return whether a label stands for a thing."""
        relations = self.call(place, ACCESSIBLE, "GetRelationSet")[0]
        return any(kind == LABELLED_BY and of for kind, of in relations)

    def actions(self, place):
        """Return the names of what can be done with a thing."""
        try:
            return [name for name, *_ in self.call(place, ACTION, "GetActions")[0]]
        except GLib.Error:
            return []  # nothing


def main(answers, launcher, *command):
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    bus = subprocess.Popen([launcher, "--launch-immediately"], stderr=subprocess.DEVNULL, **quiet)
    application = None
    told = os.fdopen(answers, "w")
    try:
        desktop = Desktop()
        application = subprocess.Popen(command, **quiet)
        place = tuple(desktop.application())
        for line in sys.stdin:
            question = json.loads(line)
            if question["do"] == "windows":
                answer = desktop.windows(place)
            elif question["do"] == "tree":
                answer = desktop.node(place, menus=question["menus"])
            else:
                number = GLib.Variant("(i)", (question["number"],))
                desktop.begin(tuple(question["path"]), ACTION, "DoAction", number)
                answer = {}
            told.write(json.dumps(answer) + "\n")
            told.flush()
    finally:
        for process in (application, bus):
            if process is not None:
                process.terminate()
                process.wait(10)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])

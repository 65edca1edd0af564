"""Read the accessibility tree of an application. Run this with the system's Python.

``at_spi_client.py ANSWERS LAUNCHER COMMAND ...`` starts the accessibility bus and the application,
answers requests from stdin until it closes, then terminates both. Requests and answers are JSON,
one per line. ANSWERS is the file descriptor that the answers are written to.

- ``{"do": "windows"}``: the names of all windows.
- ``{"do": "tree", "menus": true}``: the visible objects, with ``"menus"`` also the menu entries.
  ``"front": true`` limits them to the window that was opened last; with ``"roles": [ROLE, ...]``
  objects of other roles have a path and children only.
- ``{"do": "act", "path": PATH, "number": N}``: run action N of an object.
- ``{"do": "write", "path": PATH, "text": TEXT}``: replace the text of a field.
- ``{"do": "set", "path": PATH, "value": X}``: set the value of a slider or spin box.
- ``{"do": "select", "path": PATH, "number": N}``: select child N of an object, and no other.

Objects in answers have their PATH, and their index among the children of their parent ("place").

Plain D-Bus is used because the library Atspi caches answers, which may be outdated, and is one
more package to install.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time

from gi.repository import Gio, GLib

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
EDITABLE = "org.a11y.atspi.EditableText"
SELECTION = "org.a11y.atspi.Selection"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"
PROPERTIES = "org.freedesktop.DBus.Properties"
ROOT = "/org/a11y/atspi/accessible/root"
PATIENCE_MS = 20_000
# Bit numbers of the AT-SPI specification.
STATES = {
    "checked": 4,
    "enabled": 8,
    "expanded": 10,
    "focusable": 11,
    "focused": 12,
    "selected": 23,
    "showing": 25,
}
LABELLED_BY = 2
MENUS = frozenset({"menu bar", "menu item", "check menu item", "popup menu", "separator"})
# Objects of these roles are many and have no useful actions: they are not queried.
PASSIVE = frozenset({"label", "layered pane", "panel"})
DEPTH = 40
NUMBERS = frozenset({"slider", "spin box", "spin button", "progress bar"})


def retry(ask):
    """Return the result of `ask`, retrying for `PATIENCE_MS` on D-Bus errors of a busy machine."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while True:
        try:
            return ask()
        except GLib.Error:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)  # polls another process, which sends no signal when it can answer


class Desktop:
    """The accessibility bus of the session."""

    def __init__(self) -> None:
        self._bus = retry(self._connect)

    @staticmethod
    def _connect():
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
        """Call a method and return its result. Raises `GLib.Error` if the call fails."""
        name, path = place
        flags = Gio.DBusCallFlags.NONE
        return self._bus.call_sync(
            name, path, interface, method, arguments, None, flags, PATIENCE_MS, None
        ).unpack()

    def call_all(self, calls):
        """Call many methods concurrently; an answer is None if the call failed (deleted object).

        One after another, the calls for a window with some hundred objects take seconds.
        """
        answers = [None] * len(calls)
        left = len(calls)

        def take(bus, result, number):
            nonlocal left
            left -= 1
            with contextlib.suppress(GLib.Error):  # the object is deleted
                answers[number] = bus.call_finish(result).unpack()

        flags = Gio.DBusCallFlags.NONE
        for number, ((name, path), interface, method, arguments) in enumerate(calls):
            self._bus.call(
                *(name, path, interface, method, arguments, None, flags, PATIENCE_MS, None),
                *(take, number),
            )
        while left:
            GLib.MainContext.default().iteration(True)
        return answers

    def send(self, place, interface, method, arguments):
        """Call a method without waiting: an action that opens a dialog returns after that."""
        name, path = place
        flags = Gio.DBusCallFlags.NONE
        self._bus.call(name, path, interface, method, arguments, None, flags, -1, None, None)
        self._bus.flush_sync(None)

    def application(self):
        """Return the address of the first application, or exit after a minute without one."""
        until = time.monotonic() + 3 * PATIENCE_MS / 1000
        while time.monotonic() < until:
            try:
                (found,) = self.call(("org.a11y.atspi.Registry", ROOT), ACCESSIBLE, "GetChildren")
            except GLib.Error:
                found = []
            if found:
                return found[0]
            time.sleep(0.1)  # polls another process, which sends no signal when it is registered
        sys.exit("No application is on the accessibility bus.")

    def windows(self, place):
        """Return the names of all windows."""
        (children,) = retry(lambda: self.call(place, ACCESSIBLE, "GetChildren"))
        found = self.call_all([property_of(tuple(child), ACCESSIBLE, "Name") for child in children])
        return [name for (name,) in filter(None, found)]

    def front(self, place):
        """Return the address of the window that was opened last."""
        (children,) = retry(lambda: self.call(place, ACCESSIBLE, "GetChildren"))
        return tuple(children[-1]) if children else place

    def tree(self, place, *, menus=False, roles=()):
        """Return an object with its descendants or None, querying a level at a time.

        Deleted objects are left out, as are hidden ones unless `menus` includes them.
        """
        top = []
        level = [(tuple(place), top, 0)]
        for _depth in range(DEPTH):
            below = []
            known = self.call_all(
                [
                    (at, ACCESSIBLE, method, None)
                    for at, _above, _number in level
                    for method in ("GetState", "GetRoleName")
                ]
            )
            shown = []
            for thing, state, role in zip(level, known[::2], known[1::2], strict=True):
                if state is None or role is None:
                    continue
                low, high = state[0]
                states = {w: bool((low | high << 32) >> bit & 1) for w, bit in STATES.items()}
                if states["showing"] or (menus and role[0] in MENUS):
                    shown.append((*thing, role[0], states))
            asked = [
                self.calls_for(at, role, states, mute=bool(roles) and role not in roles)
                for at, _, _, role, states in shown
            ]
            answers = iter(self.call_all([call for of in asked for call in of.values()]))
            for (at, above, number, role, states), of in zip(shown, asked, strict=True):
                values = {word: next(answers) for word in of}
                if values.get("name", ()) is None or values["children"] is None:
                    continue
                node = {
                    "path": list(at),
                    "place": number,
                    "role": role,
                    **states,
                    **parse_answers(values),
                }
                labels = node.pop("labels")
                named = self.call_all([property_of(label, ACCESSIBLE, "Name") for label in labels])
                node["label"] = " ".join(name for (name,) in filter(None, named))
                inside = values["children"][0]
                below += [(tuple(at), node["children"], n) for n, at in enumerate(inside)]
                above.append(node)
            level = below
        return top[0] if top else None

    def calls_for(self, place, role, states, *, mute):
        """Return the calls that describe an object by key; for a mute one only its children."""
        calls = {"children": (place, ACCESSIBLE, "GetChildren", None)}
        if mute:
            return calls
        calls["name"] = property_of(place, ACCESSIBLE, "Name")
        calls["description"] = property_of(place, ACCESSIBLE, "Description")
        if role == "combo box":
            calls["relations"] = (place, ACCESSIBLE, "GetRelationSet", None)
        if self.has_actions(role, states):
            calls["actions"] = (place, ACTION, "GetActions", None)
        if role in NUMBERS:
            calls["value"] = property_of(place, VALUE, "CurrentValue")
        if role == "text":
            calls["content"] = (place, TEXT, "GetText", GLib.Variant("(ii)", (0, -1)))
        return calls

    @staticmethod
    def has_actions(role, states):
        """Return whether the actions of an object are worth a query."""
        return role not in PASSIVE and (role != "filler" or states["focusable"])


def property_of(place, interface, name):
    """Return the call that reads a property."""
    return place, PROPERTIES, "Get", GLib.Variant("(ss)", (interface, name))


def parse_answers(values):
    """Return the answers to the calls of `Desktop.calls_for` as plain values."""
    relations = values.get("relations") or ((),)
    description = values.get("description") or ("",)
    actions = values.get("actions") or ((),)
    return {
        "name": values["name"][0] if "name" in values else "",
        "description": description[0],
        "labels": [tuple(at) for kind, of in relations[0] if kind == LABELLED_BY for at in of],
        "actions": [name for name, *_ in actions[0]],
        "value": values["value"][0] if values.get("value") else None,
        "content": values["content"][0] if values.get("content") else "",
        "children": [],
    }


def call_of(request):
    """Return interface, method and arguments of a request."""
    if request["do"] == "write":
        return EDITABLE, "SetTextContents", GLib.Variant("(s)", (request["text"],))
    if request["do"] == "set":
        value = GLib.Variant("(ssv)", (VALUE, "CurrentValue", GLib.Variant("d", request["value"])))
        return PROPERTIES, "Set", value
    number = GLib.Variant("(i)", (request["number"],))
    return (
        (SELECTION, "SelectChild", number)
        if request["do"] == "select"
        else (ACTION, "DoAction", number)
    )


def main(answers, launcher, *command):
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    bus = subprocess.Popen([launcher, "--launch-immediately"], stderr=subprocess.DEVNULL, **quiet)
    application = None
    output = os.fdopen(answers, "w")
    try:
        desktop = Desktop()
        application = subprocess.Popen(command, **quiet)
        place = tuple(desktop.application())
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "windows":
                answer = desktop.windows(place)
            elif request["do"] == "tree":
                top = desktop.front(place) if request.get("front") else place
                menus, roles = request["menus"], request.get("roles", ())
                answer = desktop.tree(top, menus=menus, roles=roles)
            else:
                if request["do"] == "select":
                    desktop.send(tuple(request["path"]), SELECTION, "ClearSelection", None)
                interface, method, arguments = call_of(request)
                desktop.send(tuple(request["path"]), interface, method, arguments)
                answer = {}
            output.write(json.dumps(answer) + "\n")
            output.flush()
    finally:
        for process in (application, bus):
            if process is not None:
                process.terminate()
                process.wait(10)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])

"""The protocol of D-Bus: what is written is read again, and nonsense is refused as such."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.gui.app.message_bus import BusError, BusMessage, Variant, _decoded, encoded
from tests.gui.app.test_desktop import PYTHON, needs_bus

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=20)
PLAIN = {
    "s": TEXT,
    "u": st.integers(0, 2**32 - 1),
    "i": st.integers(-(2**31), 2**31 - 1),
    "x": st.integers(-(2**63), 2**63 - 1),
    "y": st.integers(0, 255),
    "b": st.booleans(),
    "d": st.floats(allow_nan=False),
}
TYPED = st.one_of(
    *(st.tuples(st.just(kind), values) for kind, values in PLAIN.items()),
    st.tuples(st.just("as"), st.lists(TEXT, max_size=4)),
    st.tuples(st.just("(yx)"), st.tuples(PLAIN["y"], PLAIN["x"])),
    st.tuples(
        st.just("a{sv}"),
        st.dictionaries(
            TEXT,
            st.one_of(
                st.builds(Variant, st.just("u"), PLAIN["u"]),
                st.builds(Variant, st.just("as"), st.lists(TEXT, max_size=3)),
            ),
            max_size=3,
        ),
    ),
)


def no_fds(number):
    assert number == 0
    return []


def message(typed):
    signature = "".join(kind for kind, _value in typed)
    values = tuple(value for _kind, value in typed)
    return BusMessage(4, "/a/b", "c.d", "E", 0, "", signature, 0, values)


@given(st.lists(TYPED, max_size=5), st.binary(max_size=9))
def test_what_is_written_is_read_again(typed, more):
    sent = message(typed)
    received = bytearray(encoded(sent, 7) + more)
    assert _decoded(received, no_fds) == sent
    assert received == more
    half = bytearray(encoded(sent, 7)[:-1])
    assert _decoded(half, no_fds) is None or not typed


@given(st.lists(TYPED, max_size=3), st.data())
def test_what_was_damaged_is_read_as_something_or_refused(typed, data):
    whole = bytearray(encoded(message(typed), 7))
    for _ in range(data.draw(st.integers(0, 2))):
        whole[data.draw(st.integers(16, len(whole) - 1))] = data.draw(st.sampled_from(b"usgovab"))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] = data.draw(st.integers(0, 255))
    try:
        found = _decoded(whole, lambda _number: [])
    except BusError:
        return
    assert found is None or isinstance(found, BusMessage)


AS_GLIB = """
import sys
from gi.repository import Gio
told = Gio.DBusMessage.new_from_blob(sys.stdin.buffer.read(), Gio.DBusCapabilityFlags.NONE)
print(told.get_signature(), told.get_path(), told.get_interface(), told.get_member())
print(told.get_body().print_(True))
"""


@needs_bus
def test_glib_reads_what_is_written():
    typed = [
        *(("s", "Pruneapp"), ("u", 0), ("as", ["default", "Show"])),
        *(("a{sv}", {"progress": Variant("d", 0.5), "on": Variant("b", True)}), ("i", -1)),
    ]
    done = subprocess.run(
        [PYTHON, "-c", AS_GLIB], input=encoded(message(typed), 3), capture_output=True, check=True
    )
    assert done.stdout.decode().splitlines() == [
        "suasa{sv}i /a/b c.d E",
        "('Pruneapp', uint32 0, ['default', 'Show'], {'progress': <0.5>, 'on': <true>}, -1)",
    ]


def test_a_message_that_is_too_long_is_not_waited_for():
    with pytest.raises(BusError, match="too much"):
        _decoded(bytearray(b"l\4\0\1" + b"\xff" * 12), no_fds)

"""Threads of the window share malloc arenas and leave the interpreter to the main thread."""

from __future__ import annotations

import ctypes
import itertools
import sys

import pytest

from pruneapp.gui.app import runtime
from pruneapp.gui.app.runtime import SLEEP_EVERY_S, SLEEP_S, PausingToken, share_heap

GLIBC = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_info")
needs_glibc = pytest.mark.skipif(not GLIBC, reason="only glibc makes heaps for threads")

# More than the number of arenas that glibc allows by default on few cores.
THREADS = 6

HEAPS = """
import ctypes, sys, threading

libc = ctypes.CDLL(None)
libc.open_memstream.restype = ctypes.c_void_p
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = libc.fclose.argtypes = [ctypes.c_void_p]
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]

def heaps():
    text, size = ctypes.c_char_p(), ctypes.c_size_t()
    stream = libc.open_memstream(ctypes.byref(text), ctypes.byref(size))
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    return text.value.count(b"<heap nr=")

def at_once(count):
    together = threading.Barrier(count)
    def work():
        together.wait()
        mine = libc.malloc(10_000)
        together.wait()
        libc.free(mine)
    threads = [threading.Thread(target=work) for _ in range(count)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
"""

ALONE = """
from pruneapp.gui.app import runtime
from pruneapp.gui.app.runtime import SLEEP_EVERY_S, SLEEP_S, PausingToken, share_heap

changed = share_heap() if sys.argv[2] == "shared" else None
at_once(int(sys.argv[1]))
print(changed, heaps())
"""

WINDOW = """
from pathlib import Path
from pruneapp.gui import application as app
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.widgets.theme import ThemeManager as Appearance
from pruneapp.gui.mainwindow.window import MainWindow

application = app.make_application(["pruneapp"])
settings = Settings(Path(sys.argv[2]) / "settings.json")
appearance = Appearance(application)
start = app.Start(MainWindow(settings, appearance), settings, appearance)
found = []

def at_paint():
    found.append(heaps())

def at_ready(workbench):
    at_once(int(sys.argv[1]))
    found.append(heaps())
    workbench.shut_down()
    application.quit()

start.painted.disconnect()
start.painted.connect(at_paint)
start.painted.connect(start._on_first_paint)
start.ready.connect(at_ready)
start.window.show()
application.exec()
print(*found)
"""


@needs_glibc
def test_threads_have_heaps_of_their_own_unless_they_share(run_python):
    apart = run_python(HEAPS + ALONE, str(THREADS), "apart").split()
    shared = run_python(HEAPS + ALONE, str(THREADS), "shared").split()
    assert apart == ["None", str(THREADS + 1)]
    assert shared == ["True", "1"]


@needs_glibc
def test_the_window_makes_no_heap_for_its_threads(run_python, tmp_path):
    out = run_python(HEAPS + WINDOW, str(THREADS), str(tmp_path))
    assert out.split() == ["1", "1"], (
        "number of arenas when painted, and after concurrent allocations"
    )


@pytest.mark.parametrize(
    ("name", "value"), [("MALLOC_ARENA_MAX", "4"), ("GLIBC_TUNABLES", "glibc.malloc.arena_max=4")]
)
@needs_glibc
def test_what_the_user_chose_stays(run_python, name, value):
    out = run_python(HEAPS + ALONE, str(THREADS), "shared", **{name: value})
    assert out.split() == ["False", "4"]


def test_a_c_library_without_such_heaps_is_left_alone(monkeypatch):
    monkeypatch.delenv("MALLOC_ARENA_MAX", raising=False)
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    assert share_heap() is False


def test_a_task_sleeps_for_a_moment_at_times(monkeypatch):
    now, slept = [100.0], []
    monkeypatch.setattr(runtime.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(runtime.time, "sleep", lambda seconds: slept.append((now[0], seconds)))
    tokens = PausingToken(sleeps=True), PausingToken(sleeps=True)
    for _ in range(20):
        now[0] += SLEEP_EVERY_S / 3
        for token in tokens:  # the thread of a task may check several
            token.check()
    times, seconds = zip(*slept, strict=True)
    assert set(seconds) == {SLEEP_S}
    assert len(times) in {4, 5, 6, 7}
    assert min(b - a for a, b in itertools.pairwise(times)) >= SLEEP_EVERY_S * 0.99
    now[0] += 1
    PausingToken(sleeps=False).check()
    assert len(slept) == len(times)

"""One process for all windows: which requests a second start sends, and which are refused."""

from __future__ import annotations

import json
import logging
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import pruneapp
from pruneapp import __main__ as command
from pruneapp import instance, resources
from pruneapp.gui import application
from pruneapp.gui.application import InstanceServer
from pruneapp.instance import (
    ACCEPTED,
    GREETING,
    MAX_FILES,
    MAX_LINE_BYTES,
    OpenFiles,
    address,
    send_by_socket,
    send_to_running_instance,
)
from pruneapp.json_codec import encode
from tests.conftest import ROOT

SAMPLE = resources.path("sample/lenet-digits.safetensors")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such sockets")


@pytest.fixture(autouse=True)
def runtime(tmp_path_factory, monkeypatch):
    """Use a temporary folder for sockets, not the one of the user."""
    folder = tmp_path_factory.mktemp("run")
    folder.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture
def server(qtbot):
    """A listening server; `requests` lists the requests that it has received."""
    found = InstanceServer(address())
    found.requests = []
    found.received.connect(found.requests.append)
    assert found.listen()
    yield found
    found.close()
    qtbot.waitUntil(lambda: not found._clients)
    found.deleteLater()


def python(*arguments):
    """Start another Python process."""
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=SAMPLE.parent,
        text=True,
    )


def in_thread(qtbot, call):
    """Run a blocking call in a thread while the event loop runs, and return its result."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(call()))
    thread.start()
    qtbot.waitUntil(lambda: bool(answers))
    thread.join()
    return answers[0]


def test_files_are_handed_over(qtbot, server, tmp_path):
    odd = tmp_path / os.fsdecode(b"caf\xe9 \xe4.pt")  # not UTF-8
    request = OpenFiles((str(odd), "s3://bucket/m.pt"), "model", "token")
    assert in_thread(qtbot, lambda: send_by_socket(address(), request))
    assert server.requests == [request]
    assert Path(server.requests[0].files[0]) == odd


def test_only_its_owner_may_speak_to_it(server, runtime):
    (path,) = runtime.iterdir()
    assert str(path) == address()
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    assert pruneapp.__version__ in path.name


@pytest.mark.parametrize("variable", ["DISPLAY", "XDG_CONFIG_HOME"])
def test_another_screen_or_other_settings_are_another_instance(monkeypatch, variable):
    before = address()
    monkeypatch.setenv(variable, ":7")
    assert address() not in {before, None}


@pytest.mark.parametrize("wrong", ["mode", "link", "missing"])
def test_a_folder_that_others_may_write_to_is_not_used(runtime, tmp_path, monkeypatch, wrong):
    if wrong == "mode":
        runtime.chmod(0o770)
    elif wrong == "link":
        link = tmp_path / "link"
        link.symlink_to(runtime)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(link))
    else:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "missing"))
    assert address() is None
    assert not send_to_running_instance(OpenFiles())


def test_without_a_folder_of_the_session_there_is_one_of_the_user(runtime, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setenv("TMPDIR", str(runtime))
    folder = Path(address()).parent
    assert folder == runtime / f"pruneapp-{os.getuid()}"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (runtime / ("long" * 30)).mkdir()
    monkeypatch.setenv("TMPDIR", str(runtime / ("long" * 30)))
    assert address() is None


def test_what_a_killed_process_left_is_replaced(qtbot, server):
    second = InstanceServer(address())
    assert not second.listen(), "the first server listens"
    second.deleteLater()
    server.close()
    with socket.socket(socket.AF_UNIX) as unused:
        unused.bind(address())  # a socket file without a listener
    began = time.monotonic()
    assert not send_to_running_instance(OpenFiles())
    assert time.monotonic() - began < 0.5
    assert server.listen()
    assert in_thread(qtbot, lambda: send_to_running_instance(OpenFiles()))
    assert server.requests == [OpenFiles()]


def test_one_that_does_not_answer_is_passed_over_within_a_second(runtime, monkeypatch):
    monkeypatch.setattr(instance, "PATIENCE_S", 0.2)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(address())
        silent.listen()
        began = time.monotonic()
        assert not send_to_running_instance(OpenFiles((str(SAMPLE),)))
        assert 0.15 < time.monotonic() - began < 1
        with silent.accept()[0] as line:
            line.settimeout(1)
            assert line.recv(10) == b"", "nothing was sent to it"


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 200 OK\r\n", b"x" * 5000, b"", GREETING])
def test_something_else_at_the_address_is_not_spoken_to(runtime, monkeypatch, greeting):
    """Nor is the request considered delivered without the confirmation."""
    monkeypatch.setattr(instance, "PATIENCE_S", 0.3)
    received = []

    def serve(other):
        with other.accept()[0] as line:
            line.sendall(greeting)
            line.settimeout(1)
            received.append(line.recv(1000))

    with socket.socket(socket.AF_UNIX) as other:
        other.bind(address())
        other.listen()
        thread = threading.Thread(target=serve, args=(other,))
        thread.start()
        assert not send_to_running_instance(OpenFiles(("/a.pt",)))
        thread.join()
    assert bool(received[0]) == (greeting == GREETING)


HOSTILE = {
    "not JSON": b"open /etc/passwd\n",
    "not ours": b'{"files": "x"}\n',
    "another field": b'{"files": [], "run": "rm"}\n',
    "too many": encode({"files": ["/a"] * (MAX_FILES + 1)}) + b"\n",
    "twice": b'{"files": [], "files": []}\n',
    "deep": b"[" * 100_000 + b"\n",
    "not UTF-8": b'{"files": ["\xff"]}\n',
    "too long": b"x" * (MAX_LINE_BYTES + 4096),
}


@pytest.mark.parametrize("sent", HOSTILE)
def test_nonsense_is_ignored_in_a_sentence(qtbot, server, caplog, sent):
    caplog.set_level(logging.INFO, "pruneapp")

    def send():
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(address())
            line.settimeout(10)
            assert line.recv(1000) == GREETING
            try:
                line.sendall(HOSTILE[sent])
                return line.recv(1000)
            except OSError:  # the server closed the connection
                return b""

    assert in_thread(qtbot, send) == b""
    assert server.requests == []
    (message,) = [r.getMessage() for r in caplog.records if "ignored" in r.getMessage()]
    assert message.startswith("A request to open files was ignored: ")
    assert len(message) < 300
    assert in_thread(qtbot, lambda: send_to_running_instance(OpenFiles()))  # still serves


def test_who_says_nothing_whole_is_hung_up_on(qtbot, server, monkeypatch):
    monkeypatch.setattr(application, "PATIENCE_S", 0.1)

    def send_part():
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(address())
            line.settimeout(5)
            line.sendall(b'{"files"')
            return line.recv(1000), line.recv(1000)

    assert in_thread(qtbot, send_part) == (GREETING, b"")
    qtbot.waitUntil(lambda: not server._clients)


def test_so_many_speak_at_once_and_no_more(qtbot, server):
    lines = [socket.socket(socket.AF_UNIX) for _ in range(30)]
    try:
        for line in lines:
            line.connect(address())
        qtbot.wait(50)
        assert len(server._clients) <= 16
        closed = 0
        for line in lines:
            line.settimeout(1)
            closed += line.recv(1000) == b""
        assert closed == 14
    finally:
        for line in lines:
            line.close()
    qtbot.waitUntil(lambda: not server._clients)
    assert in_thread(qtbot, lambda: send_to_running_instance(OpenFiles()))


def test_another_user_is_not_listened_to(qtbot, server, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "pruneapp")
    monkeypatch.setattr(application, "belongs_to_other_user", lambda _fd: True)
    assert not in_thread(qtbot, lambda: send_by_socket(address(), OpenFiles()))
    assert "it is of another user" in caplog.text
    monkeypatch.undo()


@pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="Linux says who it is")
def test_whose_the_other_end_is(monkeypatch):
    one, other = socket.socketpair()
    with one, other:
        assert not instance.belongs_to_other_user(one.fileno())
        uid = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: uid + 1)
        assert instance.belongs_to_other_user(one.fileno())
        one.send(b"still open")


# In the window


@pytest.fixture
def first(new_user):
    """Return the user at a window whose process accepts requests."""
    user = new_user()
    user.launcher.listen()
    user.wait_ready()
    return user


def start_second(user, *files):
    """Start the command again; assert that it prints nothing and exits with status 0."""
    process = python("-m", "pruneapp", *files)
    user.wait(lambda: process.poll() is not None)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (0, "", "")


def test_a_second_start_opens_its_files_in_the_first(first, tmp_path):
    """Paths are relative to the working directory of the second process."""
    other = tmp_path / "model.safetensors"
    other.write_bytes(SAMPLE.read_bytes())
    start_second(first, SAMPLE.name, other)
    first.wait_open(SAMPLE)  # the first window was empty
    second = first.at_window(1)
    second.wait_open(other)
    first.wait_idle()
    assert second.window.isActiveWindow()
    start_second(first, SAMPLE.name)
    first.wait(first.window.isActiveWindow)
    assert len(first.launcher.starts) == 2


def test_requests_of_other_processes_are_served_until_the_last_window_is_closed(
    first, tmp_path, monkeypatch
):
    def send(*arguments, **more):
        request = OpenFiles(*arguments, **more)
        return in_thread(first.qtbot, lambda: send_to_running_instance(request))

    # a state dict, a file that is gone, and a URL of an unknown kind
    assert send((str(tmp_path / "gone.pt"),), "ema")
    first.wait(lambda: first.trouble)
    assert "gone.pt" in first.trouble[0]
    assert send(("what://x/y.pt",))
    first.wait(lambda: any("what" in sentence for sentence in first.trouble))
    assert len(first.launcher.starts) == 1

    # without a file: a window without one
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "abc")
    assert in_thread(first.qtbot, lambda: send_to_running_instance(OpenFiles.of((), None)))
    first.wait_idle()
    assert len(first.launcher.starts) == 1
    first.drop(SAMPLE)
    first.wait_open(SAMPLE)
    os.environ.pop("XDG_ACTIVATION_TOKEN", None)
    assert send((), token="def")
    second = first.at_window(1)
    assert second.document is None
    assert os.environ.get("XDG_ACTIVATION_TOKEN") in {"def", None}  # Qt may have consumed it

    assert second.window.close()
    assert Path(address()).exists()
    assert first.window.close()
    assert not Path(address()).exists()
    assert not send_to_running_instance(OpenFiles())


@pytest.fixture
def start(monkeypatch):
    """Return a function that runs the command; `shown` lists what is opened in a window."""

    def start(*arguments):
        return command.main(list(arguments))

    def show(files, state_dict, *, listens):
        start.shown.append(([file.name for file in files], state_dict, listens))
        return 0

    start.shown = []
    monkeypatch.setattr(application, "main", show)
    return start


def test_a_new_instance_speaks_to_nobody(start):
    """A first one does not either, as Qt sends startup notifications only for windows."""
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(address())
        line.listen()
        line.setblocking(False)
        assert start("--new-instance", "a.pt", "b.pt") == 0
        assert start.shown == [(["a.pt", "b.pt"], None, False)]
        with pytest.raises(BlockingIOError):
            line.accept()
    Path(address()).unlink()
    assert start("c.pt", "--state-dict", "ema") == 0
    assert start.shown[1:] == [(["c.pt"], "ema", True)]


def test_settings_are_set_aside_and_never_while_a_window_would_write_them_again(
    start, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file, kept = (tmp_path / "pruneapp" / name for name in ("settings.json", "settings.old.json"))
    file.parent.mkdir()
    file.write_text("{}")
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(address())
        line.listen()
        assert start("--reset") == 2
    assert file.exists()
    Path(address()).unlink()
    assert start("--reset", "a.pt") == 0
    assert capsys.readouterr().out == f"The previous settings are in '{kept}'.\n"
    assert (kept.read_text(), file.exists()) == ("{}", False)
    assert start("--reset") == 0
    assert capsys.readouterr().out == ""
    assert start.shown == [(["a.pt"], None, True), ([], None, True)]


def test_who_hands_over_needs_no_qt(run_python):
    out = run_python(
        "import sys, pruneapp.instance as i\n"
        "i.send_to_running_instance(i.OpenFiles())\n"
        "print('PySide6' in sys.modules)"
    )
    assert out == "False\n"


def test_what_is_said_is_a_line_of_json():
    assert json.loads(GREETING) == {"pruneapp": pruneapp.__version__}
    assert json.loads(ACCEPTED) == {"taken": True}
    assert GREETING.endswith(b"\n")

"""Models in object stores: no request before the user confirms, and none on the main thread."""

from __future__ import annotations

import threading

import pytest
import torch
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint.io.store import Store


@pytest.fixture
def url(bucket, tmp_path):
    save_file(
        {"fc.weight": torch.arange(1.0, 101).reshape(10, 10), "fc.bias": torch.ones(10)},
        tmp_path / "model.safetensors",
    )
    return str(bucket.put("m/model.safetensors", (tmp_path / "model.safetensors").read_bytes()))


@pytest.fixture(autouse=True)
def questions(monkeypatch):
    """Return a list of all names requested so far; fail if the main thread requested any."""
    names: list[str] = []
    threads: set[threading.Thread] = set()
    call = Store.call_with_retries

    def recording(self, path, request):
        names.append(path.name)
        threads.add(threading.current_thread())
        return call(self, path, request)

    monkeypatch.setattr(Store, "call_with_retries", recording)
    yield names
    assert threading.main_thread() not in threads


def writes_location(user, text, typed=lambda: None):
    """Type a location into the next dialog."""
    timer = QTimer(user.window)
    timer.setInterval(5)

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QInputDialog):
            timer.stop()
            field = dialog.findChild(QLineEdit)
            user.qtbot.keyClicks(field, text)
            typed()
            user.qtbot.keyClick(field, Qt.Key.Key_Return)

    timer.timeout.connect(look)
    timer.start()


def open_url(user, url):
    writes_location(user, url)
    user.key("Ctrl+U")
    user.wait(lambda: user.session.document is not None)
    user.wait(lambda: str(user.session.document.checkpoint.path) == url)


def test_a_url_is_opened_pruned_and_exported(user, url, bucket, questions, tmp_path):
    before = len(bucket.faults.requests)
    asked_while_typing = []
    writes_location(user, url, lambda: asked_while_typing.extend(questions))
    user.key("Ctrl+U")
    user.wait(lambda: user.session.document is not None)
    assert asked_while_typing == []
    assert len(bucket.faults.requests) > before
    assert user.states == ["Opened"]
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.session.unexported)

    dialog = user.open_export()
    assert "://" not in dialog.target.text()  # nothing is uploaded unless a URL is typed
    user.type(dialog.target.path, "s3://joe:SECRET@bucket/out.safetensors")
    assert not dialog.go.isEnabled()
    assert "must not contain ':'" in dialog.target.note.text()
    assert "SECRET" not in dialog.target.note.text()
    target = url.replace("model", "out")
    user.type(dialog.target.path, target)
    user.pause(600)  # longer than the pause after which typed text is checked
    assert "out.safetensors" not in questions
    assert "uploaded when you press the button" in dialog.target.note.text()
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    report = user.workbench.export.report
    assert report.show_folder.isHidden()
    assert "fsspec" in report.loads.text()
    assert target in report.as_text()
    user.click(report.close_button)
    assert bucket.uploads() == []
    assert "m/out.safetensors" in bucket.listed()
    (tmp_path / "seen.safetensors").write_bytes(bucket.get("m/out.safetensors"))
    zeros = (load_file(tmp_path / "seen.safetensors")["fc.weight"] == 0).sum()
    assert zeros == user.session.document.snapshot().export_mask("fc.weight").pruned > 0


def test_recent_urls_are_kept_and_not_contacted(new_user, url, questions):
    user = new_user().wait_ready()
    open_url(user, url)
    user.wait_idle()
    user.key("Ctrl+W")
    user.wait(lambda: user.session.document is None)
    user.wait_idle()
    count = len(questions)
    later = new_user().wait_ready()
    later.wait_idle()
    later.pause(200)
    assert [button.text() for button in later.window.empty.recent_buttons] == ["model.safetensors"]
    assert len(questions) == count
    later.click(later.window.empty.recent_buttons[0])
    later.wait(lambda: later.session.document is not None)
    assert str(later.session.document.checkpoint.path) == url


def test_a_session_refers_to_the_url(user, url, tmp_path, bucket):
    open_url(user, url)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.session.unexported)
    session = tmp_path / "work.prune"
    user.chooses_file(session, "getSaveFileName")
    user.key("Ctrl+S")
    user.wait(session.exists)
    user.wait_idle()
    assert b"SECRETSECRET" not in session.read_bytes()
    assert url.encode() in session.read_bytes()
    user.key("Ctrl+W")
    user.wait(lambda: user.session.document is None)
    user.drop(session)
    user.wait(lambda: user.session.document is not None)
    assert str(user.session.document.checkpoint.path) == url
    assert len(user.states) == 2


def test_paths_are_opened_and_other_urls_are_refused(user, url, questions, tmp_path):
    assert "unless you export to a URL" in user.window.empty.promise.text()
    for text, said in (
        ("s3://joe:SECRET@bucket/model.safetensors", "must not contain ':' or '?'"),
        ("https://example.org/model.safetensors", "begin with s3://"),
        ("gs://bucket/model.safetensors", "gcsfs"),
    ):
        writes_location(user, text)
        user.key("Ctrl+U")
        user.wait(lambda said=said: any(said in notice for notice in user.notices))
        assert not any("SECRET" in notice for notice in user.notices)
        assert questions == []
    writes_location(user, str(tmp_path / "model.safetensors"))
    user.key("Ctrl+U")
    user.wait_open(tmp_path / "model.safetensors")

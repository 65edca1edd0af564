"""Settings survive a restart, and a broken settings file never prevents the start."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from pruneapp.errors import ParameterError
from pruneapp.gui.app.settings import DEVICE, RECENT_FILES, SETTINGS, THEME, Settings
from pruneapp.kernels import devices
from tests.support.param_values import invalid, valid


@pytest.mark.parametrize("param", SETTINGS, ids=lambda p: p.name)
def test_every_valid_value_survives_a_restart(tmp_path, param):
    for value in valid(param):
        settings = Settings(tmp_path / "s.json")
        settings.set(param, value)
        settings.flush()

        assert Settings(tmp_path / "s.json").get(param) == value


@pytest.mark.parametrize("param", SETTINGS, ids=lambda p: p.name)
def test_every_invalid_value_is_refused(tmp_path, param):
    for value in invalid(param):
        with pytest.raises(ParameterError, match=param.name):
            Settings(tmp_path / "s.json").set(param, value)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"values": 3}', b'{"values": {"theme": "pink"}}', b"\xff\xfe"]
)
def test_a_broken_file_gives_the_defaults(tmp_path, content):
    (tmp_path / "s.json").write_bytes(content)

    settings = Settings(tmp_path / "s.json")

    assert [settings.get(p) for p in SETTINGS] == [p.default for p in SETTINGS]


def test_recent_files_are_the_latest_first_without_repetition(tmp_path):
    settings = Settings(tmp_path / "s.json")
    paths = [tmp_path / f"{i}.pt" for i in range(RECENT_FILES + 3)]
    for path in [*paths, paths[-2]]:
        settings.add_recent(path)
    settings.flush()

    found = Settings(tmp_path / "s.json").recent

    assert found[:2] == (paths[-2], paths[-1])
    assert len(found) == len(set(found)) == RECENT_FILES


def test_a_recent_file_whose_name_is_no_text_survives_a_restart(tmp_path):
    path = tmp_path / os.fsdecode(b"x\xff.safetensors")

    settings = Settings(tmp_path / "s.json")
    settings.add_recent(path)
    settings.flush()

    assert Settings(tmp_path / "s.json").recent == (path,)


def test_what_qt_made_survives_a_restart(tmp_path):
    settings = Settings(tmp_path / "s.json")
    settings.set_blob("geometry", b"\x00\xff\x01")
    settings.flush()

    assert Settings(tmp_path / "s.json").blob("geometry") == b"\x00\xff\x01"
    assert Settings(tmp_path / "s.json").blob("other") == b""


def test_a_folder_that_cannot_be_written_disturbs_nobody(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    settings = Settings(tmp_path / "file" / "s.json")
    settings.set(THEME, "dark")
    settings.flush()

    assert settings.get(THEME) == "dark"


def test_a_slow_disk_is_not_waited_for_and_the_last_choice_is_kept(tmp_path, monkeypatch):
    """Regression: the window was blocked for 1.9 seconds while a busy disk wrote the settings."""
    begun, free, replaced = threading.Event(), threading.Event(), []
    replace = Path.replace

    def replace_slowly(self, target):
        begun.set()
        assert free.wait(60)
        replaced.append(replace(self, target))

    monkeypatch.setattr(Path, "replace", replace_slowly)
    settings = Settings(tmp_path / "s.json")
    settings.set(THEME, "light")
    assert begun.wait(60)
    for theme in ("system", "light", "dark"):
        settings.set(THEME, theme)
    assert not replaced, "the caller was blocked"
    free.set()
    settings.flush()
    assert len(replaced) == 2, "a superseded value is not written"
    assert Settings(tmp_path / "s.json").get(THEME) == "dark"


def test_the_devices_of_the_settings_are_those_of_the_kernels():
    """Settings repeat the list, because the window is painted before numpy is imported."""
    assert tuple(choice.value for choice in DEVICE.choices) == devices.KEYS


def test_the_list_of_tensors_is_remembered(new_user):
    user = new_user().wait_ready()
    user.start.workbench.files.open_sample()
    user.wait(lambda: user.document is not None)
    tree = user.views.tree
    assert not tree.model.flat
    user.key("Ctrl+L")
    assert tree.model.flat
    assert tree.tree_filter.flat.isChecked()
    other = new_user().wait_ready()
    assert other.views.tree.model.flat
    other.workbench.files.open_sample()
    other.wait(lambda: other.document is not None)
    other.menu("View", "Tensors as a list")
    assert not other.views.tree.model.flat

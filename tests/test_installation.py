"""The version and missing packages, for every kind of installation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from pruneapp import installation, resources
from pruneapp.__main__ import main
from pruneapp.cli import prune
from pruneapp.errors import DeviceError, MethodError
from pruneapp.kernels import devices

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def bundle(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)


@pytest.fixture
def no_torch(monkeypatch):
    found = installation.find_spec
    monkeypatch.setattr(
        installation, "find_spec", lambda name: None if name == "torch" else found(name)
    )


def git(folder, *arguments):
    user = ["-c", "user.name=N", "-c", "user.email=n@example.org"]
    command = ["git", *user, "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@needs_git
def test_a_checkout_tells_its_commit_and_whether_something_was_changed(tmp_path):
    assert installation.commit_of_checkout(tmp_path) == ""
    git(tmp_path, "init", "-q")
    assert installation.commit_of_checkout(tmp_path) == ""  # without a commit
    (tmp_path / "file").write_text("1")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-q", "-m", "One")
    commit = git(tmp_path, "rev-parse", "HEAD")[:12]
    assert installation.commit_of_checkout(tmp_path) == commit
    (tmp_path / "file").write_text("2")
    assert installation.commit_of_checkout(tmp_path) == f"{commit}+changes"


def test_without_git_nobody_knows_the_commit(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installation.commit_of_checkout(tmp_path) == ""


def test_what_was_built_tells_what_it_was_built_from(tmp_path, monkeypatch):
    (tmp_path / "commit.txt").write_text("abc123\n")
    monkeypatch.setattr(resources, "path", lambda name: tmp_path / name)
    assert installation.find_commit() == "abc123"


def test_the_command_tells_all_versions(monkeypatch, capsys, bundle):
    monkeypatch.setattr(installation, "find_commit", lambda: "abc123")
    known = {"PySide6_Essentials": "6.9.2"}
    monkeypatch.setattr(installation, "_version", lambda package: known.get(package, ""))
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == "pruneapp 0.1.0 (commit abc123, bundle)"
    assert second == f"Python {sys.version.split()[0]}, Qt 6.9.2, no torch"


def test_programs_that_a_bundle_starts_do_not_load_its_libraries(monkeypatch, bundle):
    for name, value in {
        "LD_LIBRARY_PATH": "/bundle",
        "LD_LIBRARY_PATH_ORIG": "/mine",
        "QT_PLUGIN_PATH": "/bundle/plugins",
        "_PYI_ARCHIVE_FILE": "/bundle/pruneapp",
    }.items():
        monkeypatch.setenv(name, value)
    installation.release_environment()
    left = {name for name in os.environ if name.startswith(("LD_", "QT_PLUGIN", "_PYI"))}
    assert left == {"LD_LIBRARY_PATH"}
    assert os.environ["LD_LIBRARY_PATH"] == "/mine"


def test_elsewhere_the_environment_is_the_users(monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/mine")
    installation.release_environment()
    assert os.environ["LD_LIBRARY_PATH"] == "/mine"


def test_custom_methods_need_torch_and_say_how_to_get_it(tmp_path, no_torch, monkeypatch):
    file = tmp_path / "method.py"
    file.write_text("raise AssertionError('it was run')")
    with pytest.raises(MethodError, match="are classes of torch, which is not installed") as caught:
        prune.register_methods(str(file))
    assert caught.value.remedy == "Run: pip install 'torch'"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(MethodError) as caught:
        prune.register_methods(str(file))
    assert "full bundle" in caught.value.remedy


def test_a_gpu_in_sight_is_none_without_torch(no_torch, monkeypatch):
    monkeypatch.setattr(devices, "gpu_in_sight", lambda: True)
    devices.available_devices.cache_clear()
    try:
        assert [device.key for device in devices.available_devices()] == ["cpu"]
        with pytest.raises(DeviceError, match="no CUDA device") as caught:
            devices.kernel_for("cuda")
        assert caught.value.remedy.startswith("GPUs need torch, which is not installed.")
    finally:
        devices.available_devices.cache_clear()


def test_extras_are_named_where_pip_can_install_them(bundle, monkeypatch):
    assert "full bundle" in installation.remedy_for("onnx", extra="onnx")
    monkeypatch.delattr(sys, "frozen")
    assert installation.remedy_for("onnx", extra="onnx") == "Run: pip install 'pruneapp[onnx]'"

"""One command builds the published files reproducibly, and one workflow builds the bundles."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "packaging"


@pytest.fixture
def scripts(monkeypatch, tmp_path):
    """Provide `release` and `bundle`, with a temporary dist/ and build/."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    names = ("bundle_parts", "bundle", "release")
    found = SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    monkeypatch.setattr(found.bundle, "DIST", tmp_path / "dist")
    monkeypatch.setattr(found.bundle, "WORK", tmp_path / "work")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    yield found
    for name in (*names, "dev"):
        sys.modules.pop(name, None)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_two_builds_give_the_same_bytes_and_checksums(scripts, tmp_path):
    assert scripts.release.main([]) == 0
    first = contents(tmp_path / "dist")
    shutil.rmtree(tmp_path / "dist")
    assert scripts.release.main([]) == 0
    assert contents(tmp_path / "dist") == first
    version = scripts.bundle.version()
    names = [f"pruneapp-{version}-py3-none-any.whl", f"pruneapp-{version}.tar.gz"]
    assert sorted(first) == ["SHA256SUMS", *names]


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
def test_checksums_cover_all_files_of_the_version(scripts, tmp_path):
    version = scripts.bundle.version()
    names = [f"pruneapp-{version}-small-linux-x86_64.tar.xz", f"pruneapp_{version}_amd64.deb"]
    for name in (*names, "pruneapp-0.0.1.tar.gz"):
        (tmp_path / name).write_text(name)
    assert [path.name for path in scripts.release.write_checksums(tmp_path)] == names
    command = ["sha256sum", "-c", "SHA256SUMS"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{name}: OK" for name in names]


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="needs dpkg-deb")
def test_a_debian_package_has_the_desktop_files_and_is_reproducible(scripts, tmp_path):
    folder = tmp_path / "pruneapp"
    folder.mkdir()
    (folder / "pruneapp").write_text("program")
    (tmp_path / "dist").mkdir()
    package = scripts.bundle.debian_package(folder, "small")
    command = ["dpkg-deb", "-c", str(package)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for place in ("bin/pruneapp", "lib/pruneapp/pruneapp", *scripts.bundle.shared_files().values()):
        assert f" ./usr/{place}" in listed
    first = package.read_bytes()
    assert scripts.bundle.debian_package(folder, "small").read_bytes() == first


def test_the_release_workflow_uses_the_steps_of_the_bundles():
    workflows = ROOT / ".github" / "workflows"
    release = (workflows / "release.yml").read_text(encoding="utf-8")
    assert "uses: ./.github/workflows/bundles.yml" in release
    assert "workflow_call:" in (workflows / "bundles.yml").read_text(encoding="utf-8")
    assert "python packaging/release.py" in release
    assert "dev.py bundle" not in release

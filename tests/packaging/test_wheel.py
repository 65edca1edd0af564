"""The wheel contains everything that the application needs, and works outside of the checkout."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib.metadata import distributions
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "packaging"

APP_ID = "io.github.pruneapp.Pruneapp"

SAMPLE = "from pruneapp import resources; print(resources.path('sample/lenet-digits.safetensors'))"

# Opens the window with a file, as the command does, and closes it as soon as the file is open.
WINDOW = """
import sys
from PySide6.QtCore import QTimer
from pruneapp.__main__ import main
from pruneapp.gui import application as app

class Start(app.Start):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.timer = QTimer(self, interval=20)
        self.timer.timeout.connect(self.look)
        self.timer.start()

    def look(self):
        title = self.window.windowTitle()
        if "lenet-digits" in title:
            print(title, self.window.isVisible(), app.__file__, sep="|")
            self.window.close()

app.Start = Start
sys.exit(main(sys.argv[1:]))
"""


def run(command, **environment) -> str:
    """Run a command outside of the checkout; return its standard output."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd="/",
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def build(root: Path, kind: str, folder: Path) -> Path:
    """Build a wheel or an sdist with the installed hatchling, without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


def contents(wheel: Path) -> dict[str, int]:
    """Return the checksums of all files but the list of files, whose order may differ."""
    with zipfile.ZipFile(wheel) as archive:
        files = {info.filename: info.CRC for info in archive.infolist()}
    return {name: crc for name, crc in files.items() if not name.endswith("/RECORD")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Path:
    """Write a wheel without modules for each installed distribution.

    Installers resolve and install these instead of hundreds of megabytes. The modules are imported
    from this environment.
    """
    folder = tmp_path_factory.mktemp("index")
    wheel = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    for one in distributions():
        stem = f"{one.name.lower().replace('-', '_')}-{one.version}"
        files = {"METADATA": one.read_text("METADATA"), "WHEEL": wheel}
        parts = {f"{stem}.dist-info/{name}": text for name, text in files.items()}
        if one.name == "torch":
            parts["borrowed.pth"] = sysconfig.get_path("purelib") + "\n"
        parts[f"{stem}.dist-info/RECORD"] = "".join(f"{name},,\n" for name in parts)
        if one.name != "pruneapp":
            with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
                for name, text in parts.items():
                    archive.writestr(name, text)
    return folder


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """Install the wheel into a new environment that reuses the installed dependencies.

    A .pth file in a folder named by a .pth file is not read, so the checkout is not importable.
    """
    venv = tmp_path_factory.mktemp("installed") / "venv"
    run([sys.executable, "-m", "venv", "--without-pip", venv])
    packages = next((venv / "lib").glob("python*")) / "site-packages"
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", venv]
    run([*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel])
    return venv


def test_the_wheel_has_every_module_and_resource(wheel):
    tracked = {
        *(p.relative_to(ROOT).as_posix() for p in (ROOT / "pruneapp").rglob("*.py")),
        *(
            f"pruneapp/{p.relative_to(ROOT).as_posix()}"
            for p in (ROOT / "resources").rglob("*")
            if p.is_file() and "__pycache__" not in p.parts
        ),
        "pruneapp/py.typed",
    }
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("pruneapp/")}
    # Wheels built from a checkout contain its commit.
    commit = {"pruneapp/resources/commit.txt"} if (ROOT / ".git").exists() else set()
    assert packed == tracked | commit


def test_a_source_archive_builds_the_same_wheel(wheel, tmp_path):
    with tarfile.open(build(ROOT, "sdist", tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    (root,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert contents(build(root, "wheel", tmp_path)) == contents(wheel)
    for name in ("CITATION.cff", "mkdocs.yml"):
        assert (root / name).exists()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")
def test_what_is_installed_tells_the_commit_it_was_built_from(installed):
    commit = run(["git", "-C", ROOT, "rev-parse", "HEAD"]).strip()[:12]
    said = run([installed / "bin" / "pruneapp", "--version"])
    assert f"(commit {commit}" in said
    assert "Qt 6." in said
    assert "torch 2." in said


def test_uvx_runs_the_wheel(wheel, index, tmp_path):
    command = [sys.executable, "-m", "uv", "tool", "run", "--offline", "--python", sys.executable]
    command += ["--find-links", index, "--from", wheel, "pruneapp"]
    assert "torch 2." in run([*command, "--version"], UV_CACHE_DIR=str(tmp_path))
    assert "usage: pruneapp scan" in run([*command, "scan", "--help"], UV_CACHE_DIR=str(tmp_path))


def test_pipx_installs_the_wheel(wheel, index, tmp_path):
    home = {"PIPX_HOME": str(tmp_path), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    offline = f"--pip-args=--no-index --find-links={index}"
    command = [sys.executable, "-m", "pipx", "install", "--python", sys.executable]
    run([*command, offline, wheel], **home)
    assert "torch 2." in run([tmp_path / "bin" / "pruneapp", "--version"])
    assert "usage: pruneapp scan" in run([tmp_path / "bin" / "pruneapp", "scan", "--help"])


def test_the_command_works_where_the_wheel_is_installed(installed):
    sample = run([installed / "bin" / "python", "-P", "-c", SAMPLE]).strip()
    assert Path(sample).is_relative_to(installed)
    found = json.loads(run([installed / "bin" / "pruneapp", "inspect", sample, "--json"]))
    assert "conv1.weight" in json.dumps(found)


def test_the_window_works_where_the_wheel_is_installed(installed):
    python = installed / "bin" / "python"
    sample = run([python, "-P", "-c", SAMPLE]).strip()
    said = run([python, "-P", "-c", WINDOW, sample], QT_QPA_PLATFORM="offscreen")
    title, visible, module = said.strip().split("|")
    assert "Pruneapp" in title
    assert visible == "True"
    assert Path(module).is_relative_to(installed)


def test_a_desktop_finds_the_application(installed):
    share = installed / "share"
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str
    entry.read(share / "applications" / f"{APP_ID}.desktop")
    desktop = entry["Desktop Entry"]
    command = desktop["Exec"].split()[0]
    assert (installed / "bin" / command).exists()
    assert (share / f"icons/hicolor/scalable/apps/{desktop['Icon']}.svg").exists()

    types = set(desktop["MimeType"].strip(";").split(";"))
    mime = ET.parse(share / "mime" / "packages" / f"{APP_ID}.xml").getroot()
    space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    assert {kind.get("type") for kind in mime.findall("m:mime-type", space)} == types
    about = ET.parse(share / "metainfo" / f"{APP_ID}.metainfo.xml").getroot()
    assert {kind.text for kind in about.iter("mediatype")} == types
    assert about.findtext("id") == APP_ID
    assert about.findtext("launchable") == f"{APP_ID}.desktop"


def test_the_version_is_the_same_everywhere(wheel, installed):
    version = run(
        [installed / "bin" / "python", "-P", "-c", "import pruneapp; print(pruneapp.__version__)"]
    ).strip()
    assert wheel.name.startswith(f"pruneapp-{version}-")
    about = ET.parse(PACKAGING / f"{APP_ID}.metainfo.xml").getroot()
    assert about.find("releases/release").get("version") == version
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()

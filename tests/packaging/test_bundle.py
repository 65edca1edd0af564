"""The declared parts of a bundle exist, and nothing that the application needs is missing.

Building a bundle takes minutes: ``dev.py bundle --check`` does that.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import SimpleNamespace

import PySide6
import pytest
from PySide6.QtGui import QImage

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "packaging"
QT = Path(PySide6.__file__).parent

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at libraries for Linux")


@pytest.fixture(scope="module")
def scripts():
    """Provide the modules of packaging/ that make bundles."""
    names = ("bundle_parts", "bundle", "acceptance", "icon_files")
    sys.path.insert(0, str(PACKAGING))
    try:
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    finally:
        sys.path.remove(str(PACKAGING))
        for name in (*names, "dev"):
            sys.modules.pop(name, None)


def test_every_module_is_in_and_nothing_that_is_imported_stays_away(scripts):
    modules, imported = set[str](), set[str]()
    for file in (ROOT / "pruneapp").rglob("*.py"):
        name = file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        modules.add(name.removesuffix(".__init__"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
    for flavour, missing in (("small", {"torch", "onnx", "tokenizers", "google"}), ("full", set())):
        hidden = set(scripts.bundle_parts.hidden(flavour))
        assert modules - hidden == set()
        for name in hidden:
            if flavour == "small" or name.split(".")[0] not in {"onnx", "tokenizers"}:
                assert importlib.util.find_spec(name) is not None, name
        away = tuple(scripts.bundle_parts.excluded(flavour))
        lacked = {
            name for name in imported if any(f"{name}.".startswith(f"{one}.") for one in away)
        }
        assert {name.split(".")[0] for name in lacked} == missing, flavour


def test_pyinstaller_runs_where_it_cannot_take_the_checkout_for_what_is_installed():
    assert '(python, "-P", "-m", "PyInstaller"' in (PACKAGING / "bundle.py").read_text()


# Imports like the start of the window, which loads pyqtgraph with all of its dependencies.
LOADED = "import sys, pruneapp.gui.mainwindow.workbench; print(*sys.modules)"


def test_nothing_that_the_window_loads_stays_away(scripts):
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    away = scripts.bundle_parts.excluded("small")
    loaded = {
        name
        for name in done.stdout.split()
        if any(name == one or name.startswith(f"{one}.") for one in away)
    }
    # pyqtgraph works without it.
    assert loaded <= {"PySide6.QtTest"}


def test_every_resource_is_in(scripts):
    for file in (ROOT / "resources").rglob("*"):
        target = f"pruneapp/resources/{file.relative_to(ROOT / 'resources').as_posix()}"
        assert scripts.bundle_parts.is_kept(target, str(file))
    assert "collect_data_files(" in (PACKAGING / "pruneapp.spec").read_text()


def test_what_names_this_machine_or_is_of_no_use_stays_away(scripts):
    kept = scripts.bundle_parts.is_kept
    assert kept("numpy-2.4.6.dist-info/METADATA", "/x")
    assert not kept("numpy-2.4.6.dist-info/RECORD", "/x")
    assert kept("PySide6/Qt/translations/qtbase_zh_CN.qm", "/x")
    assert not kept("PySide6/Qt/translations/qtbase_fr.qm", "/x")
    assert not kept("PySide6/Qt/translations/designer_de.qm", "/x")
    assert kept("PySide6/Qt/plugins/platforms/libqxcb.so", "/x")
    assert not kept("PySide6/Qt/plugins/platforms/libqvnc.so", "/x")
    assert not kept("PySide6/Qt/plugins/sqldrivers/libqsqlite.so", "/x")
    assert not kept("libQt6Quick.so.6", "/x")


@on_linux
def test_of_the_system_only_what_python_is_linked_with_is_in(scripts):
    kept = scripts.bundle_parts.is_kept
    assert kept("libcrypto.so.3", "/lib/x86_64-linux-gnu/libcrypto.so.3")
    assert kept("libsqlite3.so.0", "/lib/x86_64-linux-gnu/libsqlite3.so.0")
    assert not kept("libxcb.so.1", "/lib/x86_64-linux-gnu/libxcb.so.1")
    assert not kept("libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6")
    assert kept("libscipy_openblas64_.so", "/somewhere/site-packages/numpy.libs/x.so")


@on_linux
def test_kept_parts_of_qt_exist_and_find_their_libraries(scripts):
    parts = scripts.bundle_parts
    plugins = (QT / "Qt" / "plugins").rglob("*.so")
    kept = [f for f in plugins if parts.is_kept(f"PySide6/{f.relative_to(QT)}", str(f))]
    names = {file.stem for file in kept}
    assert {"libqxcb", "libqwayland", "libqoffscreen", "libqsvg", "libqsvgicon"} <= names
    modules = [QT / f"{name}.abi3.so" for name in ("QtCore", "QtGui", "QtWidgets", "QtSvg")]
    needed = {
        name.decode()
        for file in (*kept, *modules)
        for name in re.findall(rb"libQt6\w+\.so\.6", file.read_bytes())
    }
    assert {name for name in needed if not parts.is_kept(name, "/x")} == set()
    for language in parts.LANGUAGES:
        assert (QT / "Qt" / "translations" / f"qtbase_{language}.qm").exists()


def test_the_small_one_needs_all_but_torch(scripts):
    named = {
        f: {scripts.bundle.name_of(n) for n in scripts.bundle.requirements(f)}
        for f in scripts.bundle_parts.FLAVOURS
    }
    assert named["full"] - named["small"] == {"torch", "onnx", "tokenizers"}
    assert {"pyside6-essentials", "numpy", "msgspec", "zstandard"} <= named["small"]


def test_licences_of_all_that_is_inside_are_found(scripts):
    parts = scripts.bundle_parts
    for requirement in scripts.bundle.requirements("full"):
        name = scripts.bundle.name_of(requirement)
        try:
            files = distribution(name).files or ()
        except PackageNotFoundError:
            continue  # an extra that is not installed here
        of_wheel = [
            f for f in files if "licen" in f.as_posix().lower() and ".dist-info" in f.parts[0]
        ]
        assert of_wheel or name in parts.LICENCES, name
    for texts in parts.LICENCES.values():
        for text in texts:
            assert (PACKAGING / "licences" / text).stat().st_size > 5000
    assert scripts.bundle.licence_of_python().exists()


def test_the_tool_is_pinned_and_no_dependency_of_the_wheel():
    pinned = (PACKAGING / "constraints.txt").read_text()
    assert re.search(r"(?m)^pyinstaller==\d", pinned)
    assert "pyinstaller" in (PACKAGING / "bundle-requirements.txt").read_text()
    assert "pyinstaller" not in (ROOT / "pyproject.toml").read_text().lower()


def test_paths_of_this_machine_are_overwritten_and_ends_of_texts_stay(
    scripts, tmp_path, monkeypatch
):
    monkeypatch.setattr(scripts.bundle, "places", lambda: [b"/home/me/pythons/3.11.7"])
    file = tmp_path / "library"
    before = b"\0/home/me/pythons/3.11.7/lib\0/home/me/other\0"
    file.write_bytes(before)
    scripts.bundle.forget_paths(file)
    after = file.read_bytes()
    assert len(after) == len(before)
    assert after == b"\0/nonexistent/////3.11.7/lib\0/home/me/other\0".replace(
        b"/////", b"/" * (len(b"/home/me/pythons/3.11.7") - len(b"/nonexistent3.11.7"))
    )


@on_linux
def test_a_library_that_strip_has_spoilt_is_known(scripts):
    library = bytearray((QT / "QtSvg.abi3.so").read_bytes())
    assert scripts.bundle.is_loadable(bytes(library))
    start = int.from_bytes(library[32:40], "little")
    size = int.from_bytes(library[54:56], "little")
    number = int.from_bytes(library[56:58], "little")
    segments = [start + size * n for n in range(number)]
    loaded = next(s for s in segments if int.from_bytes(library[s : s + 4], "little") == 1)
    library[loaded + 8] ^= 1  # the offset of the first loaded segment
    assert not scripts.bundle.is_loadable(bytes(library))


def test_two_folders_are_compared_by_content_mode_and_links(scripts, tmp_path):
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "same").write_text("1")
        (folder / "changed").write_text(name)
        (folder / "link").symlink_to("same" if name == "one" else "changed")
        (folder / "runs").touch(mode=0o755 if name == "one" else 0o644)
    (tmp_path / "two" / "more").touch()
    found = scripts.acceptance.differences(tmp_path / "one", tmp_path / "two")
    assert found == ["changed", "link", "more", "runs"]


def test_libraries_that_are_there_twice_are_found(scripts, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "libqt.so").write_bytes(b"1")
    assert scripts.acceptance.twins(tmp_path) == []
    (tmp_path / "other" / "module.so").write_bytes(b"1")
    assert scripts.acceptance.twins(tmp_path) == ["libqt.so = module.so"]


def test_the_icons_of_other_systems_show_the_picture(scripts, tmp_path):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    scripts.icon_files.main(ROOT / "resources" / "icons" / "pruneapp.svg", tmp_path)
    for name in ("pruneapp.ico", "pruneapp.icns"):
        image = QImage(str(tmp_path / name))
        assert not image.isNull()
        colours = {image.pixel(x, image.height() // 2) for x in range(image.width())}
        assert len(colours) > 2


def test_debian_is_told_of_every_library_that_qt_needs(scripts):
    control = scripts.bundle.control_of("pruneapp", "small", 160.0)
    dev = importlib.import_module("dev")
    for package in dev.QT_LIBRARIES.values():
        assert package in control
    assert "Conflicts: pruneapp-full" in control
    targets = set(scripts.bundle.shared_files().values())
    assert "share/mime/packages/io.github.pruneapp.Pruneapp.xml" in targets
    assert all(source.exists() for source in scripts.bundle.shared_files())

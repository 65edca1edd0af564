"""The contents of a bundle, used by `pruneapp.spec` and checked by a fast test.

Standard library only, and no paths of a machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
APP_ID = "io.github.pruneapp.Pruneapp"
FLAVOURS = ("small", "full")

# Dependencies of the wheel that are excluded, and extras that are added: the small bundle has no
# torch; the full one also has packages for ONNX shapes and tokenization.
LEFT_OUT = {"small": ("torch",), "full": ()}
EXTRAS: dict[str, tuple[str, ...]] = {"small": (), "full": ("onnx", "tokenizers")}

# Imported optionally by pyqtgraph, the standard library or wheels, and never needed here.
EXCLUDED = (
    # pyqtgraph and its optional renderers
    *("OpenGL", "cupy", "colorcet", "matplotlib", "scipy", "numba", "h5py", "IPython", "PIL"),
    *("pyqtgraph.examples", "pyqtgraph.opengl", "pyqtgraph.canvas", "pyqtgraph.flowchart"),
    *("pyqtgraph.console", "pyqtgraph.jupyter"),
    *("PySide6.QtTest", "PySide6.QtNetwork", "PySide6.QtQml", "PySide6.QtQuick"),
    # The second backend of zstandard, 12 MB, for interpreters that are not CPython.
    *("zstandard._cffi", "zstandard.backend_cffi", "_cffi_backend", "cffi"),
    # standard library: no network, no interactive prompt
    *("_ssl", "ssl", "tkinter", "_tkinter", "curses", "_curses", "readline"),
    *("idlelib", "lib2to3", "ensurepip", "turtle", "turtledemo", "test", "pydoc_data"),
    # build and test tools
    *("pip", "setuptools", "wheel", "pkg_resources", "PyInstaller", "pytest", "hypothesis", "mypy"),
    *("numpy.f2py", "numpy.distutils", "numpy.testing.tests", "numpy.array_api"),
)
# Excluded modules that torch imports.
NEEDED_BY_TORCH = ("numpy.f2py", "setuptools", "wheel", "curses", "_curses")

# Standard library modules for user files: pruning methods (in the full bundle) are Python files
# that may import anything.
STANDARD = ("cmath", "decimal", "fractions", "random", "statistics", "csv", "heapq", "bisect")

# Imported by pyqtgraph under a computed name.
BY_NAME = ("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtSvg")

# Folders of Qt's plugins, and the used plugins of each; all others are excluded.
QT_PLUGINS = {
    "platforms": ("qxcb", "qwayland", "qoffscreen", "qwindows", "qcocoa"),
    "platforminputcontexts": ("composeplatform", "ibusplatform"),
    "platformthemes": ("qgtk3", "qxdgdesktopportal"),
    "iconengines": ("qsvgicon",),
    "imageformats": ("qsvg", "qjpeg"),
    "styles": ("qmodernwindowsstyle", "qmacstyle"),
    "wayland-decoration-client": ("adwaita", "bradient"),
    "wayland-shell-integration": ("xdg-shell",),
    "accessiblebridge": ("",),
}
# Languages of the application; Qt's own translations of these are included too.
LANGUAGES = ("zh_CN", "de")

# Wheels without a licence text, and the files of packaging/licences/ to use instead.
LICENCES = {
    "pyside6-essentials": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "tokenizers": ("Apache-2.0.txt",),
}

# System libraries linked by modules of Python's standard library. All others (X, fonts, GL, C++)
# must come from the system that the bundle runs on, whose display, fonts and settings they use.
OF_PYTHON = re.compile(r"lib(python3|crypto|ffi|z|bz2|lzma|expat|uuid|mpdec|sqlite3)[.\d-]")

# Folders of system libraries.
_SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/")


def modules() -> Iterator[str]:
    """Yield the names of all modules of the application: most are imported lazily."""
    for file in sorted((ROOT / "pruneapp").rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def hidden(flavour: str) -> list[str]:
    """Return modules that PyInstaller's import analysis may miss."""
    found = [*modules(), *STANDARD, *BY_NAME]
    more = ["torch", "onnx.shape_inference", "tokenizers"]
    return found if flavour == "small" else [*found, *more]


def excluded(flavour: str) -> list[str]:
    if flavour == "small":
        return [*EXCLUDED, "torch", "onnx", "tokenizers", "google.protobuf"]
    return [name for name in EXCLUDED if name not in NEEDED_BY_TORCH]


def is_kept(target: str, source: str) -> bool:
    """Return whether a file found by PyInstaller is included.

    Parameters
    ----------
    target
        Path in the bundle.
    source
        Current path.
    """
    path = PurePosixPath(target.replace("\\", "/"))
    parts = path.parts
    if any(part.endswith(".dist-info") for part in parts):
        # RECORD and others contain paths of this machine
        return path.name in {"METADATA", "entry_points.txt"}
    if path.match("pyqtgraph/icons/peegee/*"):
        return False
    if "plugins" in parts and "PySide6" in parts:
        folder, name = path.parent.name, path.stem.removeprefix("lib")
        return any(name.startswith(one) for one in QT_PLUGINS.get(folder, ()))
    if "translations" in parts and "PySide6" in parts:
        return path.stem in {f"qtbase_{language}" for language in LANGUAGES}
    if "qml" in parts and "PySide6" in parts:
        return False
    if path.name.startswith("libQt6") or re.match(r"Qt6\w+\.dll", path.name):
        return re.sub(r"^(lib)?Qt6|\..*$", "", path.name) in _QT_LIBRARIES
    if sys.platform.startswith("linux") and source.startswith(_SYSTEM):
        return OF_PYTHON.match(path.name) is not None or "python3" in source
    return True


# Qt libraries that the modules and plugins above link to.
_QT_LIBRARIES = {
    *("Core", "Gui", "Widgets", "Svg", "DBus", "XcbQpa", "WaylandClient", "WlShellIntegration"),
    *("OpenGL", "OpenGLWidgets"),
}


def information() -> dict[str, object]:
    """Return the entries of Info.plist for macOS: the types of files to open."""
    kinds = {
        "Safetensors checkpoint": ["safetensors"],
        "Pruneapp session": ["prune"],
        "PyTorch checkpoint": ["pt", "pth", "pt2", "ckpt"],
        "ONNX model": ["onnx"],
        "GGUF model": ["gguf"],
        "NumPy archive": ["npz"],
        "Pickle of arrays": ["pkl"],
    }
    return {
        "NSHighResolutionCapable": True,
        "LSMinimumSystemVersion": "13.0",
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": name,
                "CFBundleTypeExtensions": extensions,
                "CFBundleTypeRole": "Editor" if "prune" in extensions else "Viewer",
                "LSHandlerRank": "Owner" if "prune" in extensions else "Alternate",
            }
            for name, extensions in kinds.items()
        ],
    }

"""What goes into a bundle and what does not: `pruneapp.spec` asks, and a fast test looks it over.

Standard library only, and no path of a machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
APP_ID = "io.github.pruneapp.Pruneapp"
FLAVOURS = ("small", "full")

# What pip installs beside the dependencies of the wheel, of which the small one has all but torch.
# In the full one is what else the window offers: shapes of ONNX graphs, and tokens of texts.
LEFT_OUT = {"small": ("torch",), "full": ()}
EXTRAS: dict[str, tuple[str, ...]] = {"small": (), "full": ("onnx", "tokenizers")}

# Imported by pyqtgraph, the standard library or wheels "if they are there", and never needed here.
EXCLUDED = (
    # of pyqtgraph and of what it would draw with
    *("OpenGL", "cupy", "colorcet", "matplotlib", "scipy", "numba", "h5py", "IPython", "PIL"),
    *("pyqtgraph.examples", "pyqtgraph.opengl", "pyqtgraph.canvas", "pyqtgraph.flowchart"),
    *("pyqtgraph.console", "pyqtgraph.jupyter"),
    *("PySide6.QtTest", "PySide6.QtNetwork", "PySide6.QtQml", "PySide6.QtQuick"),
    # The second backend of zstandard, 12 MB, for interpreters that are not CPython.
    *("zstandard._cffi", "zstandard.backend_cffi", "_cffi_backend", "cffi"),
    # of the standard library: nothing is fetched from anywhere, and nothing is typed at a prompt
    *("_ssl", "ssl", "tkinter", "_tkinter", "curses", "_curses", "readline", "sqlite3", "_sqlite3"),
    *("idlelib", "lib2to3", "ensurepip", "turtle", "turtledemo", "test", "pydoc_data"),
    # of build and test
    *("pip", "setuptools", "wheel", "pkg_resources", "PyInstaller", "pytest", "hypothesis", "mypy"),
    *("numpy.f2py", "numpy.distutils", "numpy.testing.tests", "numpy.array_api"),
)
# What torch needs of the above, as it is imported.
NEEDED_BY_TORCH = ("numpy.f2py", "setuptools", "wheel", "curses", "_curses")

# Modules of the standard library for files of the person's own: pruning methods (the full one) are
# Python files that import what they like.
STANDARD = ("cmath", "decimal", "fractions", "random", "statistics", "csv", "heapq", "bisect")

# What pyqtgraph imports by a name that it puts together.
BY_NAME = ("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtSvg")

# Folders of Qt's plugins, and the files of each that are used; all others stay away.
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
# Languages of the application, for which the dialogs of Qt itself are kept, too.
LANGUAGES = ("zh_CN", "de")

# Wheels that hold no text of their licence, and files of packaging/licences/ that are it.
LICENCES = {
    "pyside6-essentials": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "tokenizers": ("Apache-2.0.txt",),
}

# Libraries of the system that the modules of Python's own standard library are linked with. All
# others (of X, of fonts, of GL, of C++) have to be those of the system that the bundle runs on:
# they speak to its display, and read its fonts and settings.
OF_PYTHON = re.compile(r"lib(python3|crypto|ffi|z|bz2|lzma|expat|uuid|mpdec)[.\d-]")

# Where libraries lie that belong to a system and not to a wheel.
_SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/")


def modules() -> Iterator[str]:
    """Yield the name of every module of the application: it imports most of them late."""
    for file in sorted((ROOT / "pruneapp").rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def hidden(flavour: str) -> list[str]:
    """Return what the analysis of imports does not find, or not for sure."""
    found = [*modules(), *STANDARD, *BY_NAME]
    more = ["torch", "onnx.shape_inference", "tokenizers"]
    return found if flavour == "small" else [*found, *more]


def excluded(flavour: str) -> list[str]:
    """Return the modules that stay away."""
    if flavour == "small":
        return [*EXCLUDED, "torch", "onnx", "tokenizers", "google.protobuf"]
    return [name for name in EXCLUDED if name not in NEEDED_BY_TORCH]


def is_kept(target: str, source: str) -> bool:
    """Whether a file that PyInstaller found goes into the bundle.

    Parameters
    ----------
    target
        Where it would lie in the bundle.
    source
        Where it lies now.
    """
    path = PurePosixPath(target.replace("\\", "/"))
    parts = path.parts
    if any(part.endswith(".dist-info") for part in parts):
        return path.name in {"METADATA", "entry_points.txt"}  # RECORD and others name this machine
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


# The libraries of Qt that the modules and plugins above are linked with.
_QT_LIBRARIES = {
    *("Core", "Gui", "Widgets", "Svg", "DBus", "XcbQpa", "WaylandClient", "WlShellIntegration"),
    *("OpenGL", "OpenGLWidgets"),
}


def information() -> dict[str, object]:
    """Return what macOS is told of the application: the files that it opens."""
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

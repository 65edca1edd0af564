"""Lets every process that the tests start note which statements of Pruneapp it runs.

Python imports a module of this name at its start if its folder is in ``PYTHONPATH``. It takes the
code with probes that packaging/line_coverage.py has prepared; a probe sets a byte of a file that
all processes map into their memory, so nothing is lost with one that is killed, or forks.
"""

from __future__ import annotations

import marshal
import mmap
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

FOLDER = os.environ.get("PRUNEAPP_COVERAGE", "")


class _Loader(SourceFileLoader):
    """Takes the prepared code of a module, if there is any for this very file."""

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            with open(f"{FOLDER}/{fullname}.code", "rb") as file:  # noqa: PTH123 - a small start
                code: CodeType = marshal.load(file)  # noqa: S302 - written by ourselves
        except OSError:
            return super().get_code(fullname)
        return code if code.co_filename == self.path else super().get_code(fullname)


class _Finder:
    """Finds modules as Python does, and gives those of Pruneapp the loader above."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != "pruneapp":
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(name, spec.loader.path)
        return spec


try:
    with open(f"{FOLDER}/seen", "r+b") as _file:  # noqa: PTH123 - a small start
        seen = mmap.mmap(_file.fileno(), 0)
except OSError:
    pass  # nothing is measured
else:
    sys.meta_path.insert(0, _Finder)

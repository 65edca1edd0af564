"""Requirements for every test: no thread, widget, warning or log line is left behind."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.forked_workers import WorkerPopen
from tests.support.stores import bucket, memory_store, s3_server  # noqa: F401 - fixtures

# Tests need no screen, and do not use the user's settings.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYTHONFAULTHANDLER", "1")
# Several test processes share the cores, so threads of torch would be slow.
os.environ.setdefault("OMP_NUM_THREADS", "1")

if sys.platform == "linux":
    subprocess.Popen = WorkerPopen

# No deadline, because durations depend on the machine. Each run tries other examples;
# `dev.py test --thorough` tries many. Fixtures and test classes are shared by the examples of a
# test on purpose.
settings.register_profile(
    "pruneapp",
    deadline=None,
    max_examples=10,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.differing_executors,
        HealthCheck.too_slow,
    ],
)
settings.register_profile("thorough", settings.get_profile("pruneapp"), max_examples=500)
settings.load_profile("pruneapp")

ROOT = Path(__file__).resolve().parent.parent
# Folders with tests of many seconds.
_LONGEST = {"packaging", "reliability", "monkey"}


def shared_folder() -> Path | None:
    """Return the folder of real checkpoints next to the checkout, or None."""
    for candidate in (os.environ.get("PRUNEAPP_SHARED"), str(ROOT.parent / "shared")):
        if candidate and (Path(candidate) / "data").is_dir():
            return Path(candidate)
    return None


@pytest.fixture(scope="session")
def resnet20() -> Path:
    """Return a real checkpoint: ResNet-20 on CIFAR-10, in the format before torch 1.6."""
    shared = shared_folder()
    if shared is None:
        pytest.skip("needs shared/data/resnet20-12fca82f.th beside the checkout")
    return shared / "data" / "resnet20-12fca82f.th"


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    """Use the real application class in tests."""
    from pruneapp.gui.application import Application

    return Application


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return paths for folders."""
    base = tmp_path_factory.getbasetemp()
    return (base / f"test-{number}-home" for number in itertools.count())


@pytest.fixture
def fixture_patch() -> Iterator[pytest.MonkeyPatch]:
    """Return the patches of fixtures, which `monkeypatch.undo()` in a test does not undo."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(autouse=True)
def own_folders(homes: Iterator[Path], fixture_patch: pytest.MonkeyPatch) -> Path:
    """Use a folder of the test for settings, caches and logs, and return it."""
    home = next(homes)
    home.mkdir()
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        fixture_patch.setenv(variable, str(home / variable.lower()))
    return home


@pytest.fixture
def tmp_path(own_folders: Path) -> Path:
    """Return an empty folder; pytest's fixture lists all existing ones, which takes 2 ms."""
    folder = own_folders.with_name(own_folders.name.removesuffix("-home"))
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Make torch's random numbers independent of preceding tests."""
    if torch := sys.modules.get("torch"):  # avoid importing it for other tests
        torch.manual_seed(0)


@pytest.fixture(autouse=True)
def own_statistics():
    """Close the activation statistics that a test opens."""
    opened = sys.modules.get("pruneapp.statistics.file")
    before = set(opened._open) if opened else set()
    yield
    if opened := sys.modules.get("pruneapp.statistics.file"):
        for name in set(opened._open) - before:
            opened._open.pop(name).close()


@pytest.fixture(autouse=True)
def no_unexpected_logs(caplog: pytest.LogCaptureFixture, request: pytest.FixtureRequest):
    """Fail a test that logs a warning or error, unless it is marked ``logs``."""
    yield
    bad = [r for r in caplog.get_records("call") if r.levelno >= logging.WARNING]
    if request.node.get_closest_marker("logs") is None:
        assert not bad, f"unexpected log lines: {[r.getMessage() for r in bad]}"


@pytest.fixture(autouse=True)
def no_live_threads():
    """Fail a test that leaves a thread, with its name."""
    before = set(threading.enumerate())
    yield
    left = [t for t in threading.enumerate() if t not in before and not t.daemon]
    for thread in left:
        thread.join(2)
    left = [t for t in left if t.is_alive()]
    assert not left, f"threads left running: {left}"


@pytest.fixture(autouse=True)
def no_leaked_widgets(request: pytest.FixtureRequest):
    """Fail a test with Qt that leaves a window."""
    if "qtbot" not in request.fixturenames:
        yield
        return
    from PySide6.QtWidgets import QApplication

    before = {id(w) for w in QApplication.topLevelWidgets()}
    yield
    from PySide6.QtCore import QCoreApplication, QEvent

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    _collect()
    left = [w for w in QApplication.topLevelWidgets() if id(w) not in before and w.isVisible()]
    assert not left, f"windows left open: {left}"


def pytest_collection_finish() -> None:
    """Exclude modules of torch, Qt and the tests from garbage collection."""
    _collect()


def _collect(freeze=gc.freeze) -> None:  # tests of the window replace gc.freeze
    """Collect garbage, and exclude what is left from later collections.

    Imported modules and caches of libraries are millions of objects, which take 0.6 s, and outlive
    the tests.
    """
    gc.collect()
    freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first, and skip tests that need a missing device."""
    # One that starts last leaves the other processes idle.
    items.sort(key=lambda item: _LONGEST.isdisjoint(item.path.parts))
    needs_cuda = [item for item in items if item.get_closest_marker("cuda")]
    if not needs_cuda:
        return
    import torch

    if not torch.cuda.is_available():
        for item in needs_cuda:
            item.add_marker(pytest.mark.skip(reason="no CUDA device on this machine"))


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Provide a folder of installed packages; undo their registrations and imports afterwards."""
    from pruneapp.checkpoint.checkpoint import READERS
    from pruneapp.export import catalog
    from pruneapp.groups import family
    from pruneapp.methods import registry
    from pruneapp.plugins import REGISTERED

    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    methods, formats, readers = {*registry.METHODS}, {*catalog.FORMATS}, [*READERS]
    yield folder
    for name in {*registry.METHODS} - methods:
        registry.unregister(name)
    for name in {*catalog.FORMATS} - formats:
        catalog.unregister(name)
    READERS[:] = readers
    REGISTERED.clear()
    for path in [*family._registered]:
        family.unregister(path)
    for name, module in [*sys.modules.items()]:
        if str(getattr(module, "__file__", "")).startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture
def source_of(tmp_path: Path):
    """Provide a function that writes and opens a container; close all afterwards."""
    from pruneapp.checkpoint.checkpoint import open_checkpoint
    from tests.support.containers import SOURCES

    opened = []

    def make(container: str, tensors: dict):
        folder = tmp_path / f"source{len(opened)}"
        folder.mkdir()
        checkpoint = open_checkpoint(SOURCES[container](folder, tensors))
        opened.append(checkpoint)
        return checkpoint

    yield make
    for checkpoint in opened:
        checkpoint.close()


@pytest.fixture
def model():
    """Return two convolutions, a tied linear layer, a norm, and a counter that cannot be pruned."""
    import numpy as np

    from tests.support.memory_checkpoint import MemoryCheckpoint

    rng = np.random.default_rng(0)

    def f32(*shape):
        return rng.normal(size=shape).astype(np.float32)

    return MemoryCheckpoint(
        {
            "module.conv1.weight": f32(8, 3, 3, 3),
            "module.bn1.weight": f32(8),
            "module.bn1.num_batches_tracked": np.array(7, np.int64),
            "module.conv2.weight": f32(16, 8, 3, 3),
            "module.fc.weight": f32(10, 64),
            "module.fc.bias": f32(10),
        },
        chunk=100,
        **{
            "module.conv1.weight": {"kind": "Conv2d", "by_default": True},
            "module.conv2.weight": {"kind": "Conv2d", "by_default": True},
            "module.fc.weight": {
                "kind": "Linear",
                "by_default": True,
                "aliases": ("module.decoder.weight",),
            },
        },
    )


@pytest.fixture
def run_python():
    """Provide a function that runs code in a new interpreter and returns its standard output."""

    def run(code: str, *arguments: str, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run

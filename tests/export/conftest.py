"""Opened checkpoints of every container."""

from __future__ import annotations

import pytest

from pruneapp.checkpoint.reader import open_checkpoint
from tests.export.containers import SOURCES


@pytest.fixture(params=SOURCES)
def container(request) -> str:
    return request.param


@pytest.fixture
def source_of(tmp_path):
    """Make a file of a container and open it; closed at the end."""
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

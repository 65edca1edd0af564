"""A file to work on, and where the journals of a test are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.session_documents import write_model


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where journals are kept."""
    return tmp_path / "journals"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A checkpoint of three tensors."""
    return write_model(tmp_path / "model.safetensors")

"""A model, and the folder for the journals of a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.session_documents import write_model


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return the folder of journals."""
    return tmp_path / "journals"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a checkpoint of three tensors."""
    return write_model(tmp_path / "model.safetensors")

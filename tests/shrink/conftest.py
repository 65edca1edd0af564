"""Tiny models on disk, each made once per run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.shrink import tiny_models


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Provide a function that returns the folder of a tiny model; tests change only copies."""
    place = tmp_path_factory.mktemp("tiny")

    def folder(name: str) -> Path:
        made = place / name
        return made if made.is_dir() else tiny_models.make(name, made)

    return folder

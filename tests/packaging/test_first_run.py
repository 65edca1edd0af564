"""Without a display, the main job is run once and each step prints its results."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*arguments):
    command = [sys.executable, str(ROOT / "packaging" / "first_run.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_sample_is_pruned_evaluated_repaired_exported_and_compared(tmp_path):
    done = run("--folder", tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    before, pruned, repaired = map(
        float, re.findall(r"accuracy ([\d.]+)", done.stdout.split("Repaired:")[1])
    )
    assert pruned < repaired <= before
    assert "all 20 tensors are equal" in done.stdout
    pictures = sorted((tmp_path / "first-run").glob("*.png"))
    assert 5 <= len(pictures) <= 10
    for path in (*pictures, tmp_path / "first-run" / "pruned.safetensors"):
        assert str(path) in done.stdout


def test_a_file_of_the_user_is_pruned_exported_and_compared(tmp_path):
    rng = np.random.default_rng(0)
    save_file(
        {"fc.weight": rng.standard_normal((8, 16), np.float32)}, tmp_path / "model.safetensors"
    )
    done = run(tmp_path / "model.safetensors", "--folder", tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    written = load_file(tmp_path / "first-run" / "pruned.safetensors")
    assert np.count_nonzero(written["fc.weight"]) == 64
    assert "need a script of yours" in done.stdout


def test_a_missing_file_is_named(tmp_path):
    done = run(tmp_path / "none.pt", "--folder", tmp_path)
    assert done.returncode == 1
    assert "none.pt" in done.stdout

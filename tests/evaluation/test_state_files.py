"""Commands get a state as a file of the original format."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.runner import CommandRunner
from pruneapp.evaluation.script import Options
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from tests.support.gguf_files import write_gguf

SHAPE = (8, 32)
NAME = "blk.0.ffn_up.weight"
COUNT_ZEROS = {
    ".gguf": "import gguf; print((gguf.GGUFReader(p).tensors[0].data == 0).sum())",
    ".npz": "print(sum((a == 0).sum() for a in numpy.load(p).values()))",
    ".npy": "print(sum((a == 0).sum() for a in numpy.load(p).values()))",  # an archive of one array
}


def write(path: Path) -> Path:
    values = np.ones(SHAPE, np.float32)
    if path.suffix == ".npz":
        np.savez(path, **{NAME: values})
    elif path.suffix == ".npy":
        np.save(path, values)
    else:
        write_gguf(path, {NAME: values})
    return path


@pytest.mark.parametrize("suffix", COUNT_ZEROS)
def test_a_command_reads_the_format_that_was_opened(suffix, tmp_path):
    code = f"import sys, numpy; p = sys.argv[1]; {COUNT_ZEROS[suffix]}"
    command = shlex.join([sys.executable, "-c", code]) + " {checkpoint}"
    runner = CommandRunner(command, Options())
    with open_checkpoint(write(tmp_path / f"m{suffix}")) as checkpoint:
        (name,) = checkpoint.entries
        kept = BitMask.from_bools(np.arange(256) % 4 != 0)
        pruned = Snapshot(checkpoint, MaskLayers(MaskSet({name: kept})))
        for state, zeros in ((Snapshot(checkpoint), 0), (pruned, 64)):
            assert runner.run(state, 0, Job()).metrics["score"].value == zeros

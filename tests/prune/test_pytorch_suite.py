"""PyTorch's own tests of pruning, run with our module.

They are not part of this project. ``PRUNEAPP_TORCH_TEST_PRUNING`` is the path of a copy of
PyTorch's ``test/nn/test_pruning.py``; folders that it needs (the package expecttest) may be next to
it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = os.environ.get("PRUNEAPP_TORCH_TEST_PRUNING", "")

RUN = """
import runpy, sys, unittest
sys.path.append(sys.argv[2])
import torch.nn.utils
from pruneapp import prune
sys.modules["torch.nn.utils.prune"] = torch.nn.utils.prune = prune
suite = runpy.run_path(sys.argv[1], run_name="suite")
cases = unittest.defaultTestLoader.loadTestsFromTestCase(suite["TestPruningNN"])
assert suite["prune"] is prune
result = unittest.TextTestRunner(verbosity=2).run(cases)
passed = result.testsRun - len(result.failures) - len(result.errors) - len(result.skipped)
print(f"{passed} of {cases.countTestCases()} passed")
"""


@pytest.mark.skipif(not SUITE, reason="PRUNEAPP_TORCH_TEST_PRUNING names no file")
def test_every_test_of_pytorch_passes():
    """All 34 tests of PyTorch pass with our module instead of torch's."""
    path = Path(SUITE)
    done = subprocess.run(
        [sys.executable, "-c", RUN, path, path.parent],
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    counts = re.findall(r"(\d+) of (\d+) passed", done.stdout)
    assert counts, done.stderr
    assert counts[0][0] == counts[0][1], done.stderr
    assert int(counts[0][1]) >= 34, done.stdout

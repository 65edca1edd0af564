"""Threads of the kernel end, and errors of devices become messages."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.errors import DeviceError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.gpu import translate_device_errors
from pruneapp.kernels.kernel import Threshold
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.progress import Cancelled, Job
from tests.support.tensors import reading


@pytest.mark.parametrize("name", ["find_threshold", "shares", "masks"])
def test_threads_end_with_a_cancelled_job(name):
    """Even though the exception and its frames are still referenced."""

    class Stopping:
        def report(self, done, _total, _label):
            if done >= 1 << 19:
                raise Cancelled

    size = 1 << 21
    kernel = CpuKernel(threads=2, stretch=1 << 17)
    ranking = Magnitudes(reading(np.arange(size, dtype=np.uint32)), size, DTYPES["F32"])
    calls = {
        "find_threshold": lambda job: kernel.find_threshold([ranking], size // 2, job),
        "shares": lambda job: kernel.shares([ranking], size // 2, job),
        "masks": lambda job: list(kernel.masks([ranking], Threshold(99, 1), job)),
    }
    with pytest.raises(Cancelled) as held:
        calls[name](Job(Stopping()))

    assert held.value
    assert not [t for t in threading.enumerate() if t.name.startswith("pruneapp-kernel")]


def test_what_a_device_refuses_is_said_in_a_sentence():
    """No memory, a lost driver: the message suggests the CPU."""

    class Lost:
        def __getattr__(self, name):
            raise RuntimeError("CUDA error: out of memory\nCompile with TORCH_USE_CUDA_DSA")

    said = r"CUDA error: out of memory\. Choose the CPU"
    with pytest.raises(DeviceError, match=said), translate_device_errors("CUDA 0"):
        Lost().anything()

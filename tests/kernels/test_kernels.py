"""The contract, kept by every kernel there is."""

from __future__ import annotations

import pytest
import torch

from pruneapp.errors import DeviceError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.device import TorchKernel
from pruneapp.kernels.moving import refusals
from tests.kernels.contract import KernelContract


class TestCpuKernel(KernelContract):
    kernel = CpuKernel()


class TestTorchKernelOnCpu(KernelContract):
    """The code for GPUs, run by torch on the CPU: no GPU is needed to see that it is right."""

    kernel = TorchKernel("cpu", worth_moving=0)


@pytest.mark.cuda
class TestTorchKernelOnCuda(KernelContract):
    kernel = TorchKernel("cuda", worth_moving=0)


@pytest.mark.skipif(not torch.backends.mps.is_available(), reason="no Apple GPU on this machine")
class TestTorchKernelOnMps(KernelContract):
    kernel = TorchKernel("mps", worth_moving=0)


def test_what_a_device_refuses_is_said_in_a_sentence():
    """No memory, a lost driver: the person can go on with the CPU."""

    class Lost:
        def __getattr__(self, name):
            raise RuntimeError("CUDA error: out of memory\nCompile with TORCH_USE_CUDA_DSA")

    said = r"CUDA error: out of memory\. Choose the CPU"
    with pytest.raises(DeviceError, match=said), refusals("CUDA 0"):
        Lost().anything()

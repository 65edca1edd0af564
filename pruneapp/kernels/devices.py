"""Detection of devices, without loading torch if the machine shows no signs of a GPU."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pruneapp.errors import DeviceError
from pruneapp.installation import has_torch, remedy_for
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import Kernel

KEYS = ("auto", "cpu", "cuda", "mps")


@dataclass(frozen=True)
class Device:
    """A device for pruning: its key in settings and on the command line, and its label."""

    key: str
    label: str


def gpu_in_sight() -> bool:
    """Return whether the machine seems to have a GPU that torch supports.

    Looks for files of drivers (on macOS, at the processor) without loading torch; the GPU may not
    be usable.
    """
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    if sys.platform == "win32":
        return (Path(os.environ.get("SYSTEMROOT", r"C:\Windows")) / "System32/nvcuda.dll").exists()
    signs = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
    return any(Path(sign).exists() for sign in signs)


@lru_cache
def available_devices() -> tuple[Device, ...]:
    """Return the available devices, the CPU first. The result is cached for the process.

    Loads torch, which takes one or two seconds, only if the machine seems to have a GPU.
    """
    devices = [Device("cpu", "CPU")]
    if gpu_in_sight() and has_torch():
        from pruneapp.kernels.gpu import gpus

        devices += [Device(key, label) for key, label in gpus()]
    return tuple(devices)


def kernel_for(key: str) -> Kernel:
    """Return a new kernel for a key of `KEYS`; "auto" selects a GPU if there is one, else the CPU.

    For keys other than "cpu", torch is loaded if the machine seems to have a GPU. Raises
    `DeviceError` for another key, or if there is no such device.
    """
    if key not in KEYS:
        raise DeviceError(f"'device' must be one of {', '.join(KEYS)} (got {key!r}).")
    keys = ["cpu"] if key == "cpu" else [device.key for device in available_devices()]
    if key == "auto":
        key = keys[1] if len(keys) > 1 else "cpu"
    if key not in keys:
        raise DeviceError(
            f"There is no {key.upper()} device here (there are: {', '.join(keys)}).",
            remedy="Choose auto or cpu."
            if has_torch()
            else f"GPUs need torch, which is not installed. {remedy_for('torch')}",
        )
    if key == "cpu":
        return CpuKernel()
    from pruneapp.kernels.gpu import TorchKernel

    return TorchKernel(key)

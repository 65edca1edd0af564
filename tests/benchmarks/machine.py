"""Description of the machine and its load."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata
from pathlib import Path


def describe() -> str:
    """Return processor, cores, memory, system and the relevant versions, in one line."""
    parts = [
        f"{_cpu()}, {os.cpu_count()} cores",
        f"{_memory_gb():.0f} GB",
        f"{platform.system()} {platform.release()}",
        f"Python {sys.version.split()[0]}",
    ]
    parts += [
        f"{name} {metadata.version(name)}" for name in ("numpy", "torch", "PySide6-Essentials")
    ]
    return ", ".join(parts)


def load() -> str:
    """Return the load average of the last minute."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30

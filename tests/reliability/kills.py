"""Kill exports at random moments."""

from __future__ import annotations

import collections
import random
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pruneapp.checkpoint.io.files import find_abandoned
from tests.reliability import export_process, export_targets
from tests.reliability.export_targets import Contents, Scene


@dataclass
class Tally:
    """The states of the folder after the process was killed."""

    runs: int = 0
    leftovers: int = 0
    ends: collections.Counter[str] = field(default_factory=collections.Counter)
    wrong: list[str] = field(default_factory=list)


def duration(form: str, layout: Path, scene: Scene) -> float:
    """Return the seconds of an export that is not killed; the median of five."""
    taken = []
    for _ in range(5):
        with tempfile.TemporaryDirectory(prefix="pruneapp-kills-") as name:
            folder = Path(name) / "run"
            export_targets.place(scene, layout, folder)
            child = export_process.fork(partial(export_targets.run, scene, form, folder))
            began = time.perf_counter()
            child.go()
            code, said = child.wait()
            taken.append(time.perf_counter() - began)
            if code:
                raise RuntimeError(said)
    return sorted(taken)[2]


def kill(form: str, layout: Path, scene: Scene, after: Contents, times: int, tally: Tally) -> None:
    """Kill an export `times` times, at moments spread over its duration and a little beyond."""
    lasts = duration(form, layout, scene)
    rng = random.Random(f"{form} {scene.name}")
    several = (layout / scene.source).is_dir()
    for number in range(times):
        with tempfile.TemporaryDirectory(prefix="pruneapp-kills-") as name:
            folder = Path(name) / "run"
            export_targets.place(scene, layout, folder)
            before = export_targets.contents(folder)
            child = export_process.fork(partial(export_targets.run, scene, form, folder))
            child.go()
            moment = (number + rng.random()) / times * lasts * 1.1
            time.sleep(moment)  # a random delay is intended: the kill is at any moment
            child.kill()
            child.wait()
            now = export_targets.contents(folder)
            found = export_targets.judge(now, before, after)
            left = [n for n in now if export_targets.is_temporary(n)]
            tally.runs += 1
            tally.leftovers += bool(left)
            tally.ends[found] += 1
            # Files of a folder are renamed one after another; each must be complete.
            allowed = {"old", "new", "mixed"} if several else {"old", "new"}
            lost = _not_offered(folder)
            if found not in allowed or lost:
                tally.wrong.append(f"{form}, {scene.name}, kill {number}: {found}, left {left}")


def _not_offered(folder: Path) -> list[Path]:
    """Return the temporary files whose deletion would not be offered at the next start."""
    homes = [folder, *(p for p in folder.rglob("*") if p.is_dir())]
    offered = {path for home in homes for path in find_abandoned(home)}
    left = [p for p in folder.rglob("*") if export_targets.is_temporary(p.name)]
    return [p for p in left if offered.isdisjoint({p, *p.parents})]

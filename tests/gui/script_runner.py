"""A replacement of the process that runs an evaluation script."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.metric import Metric
from pruneapp.evaluation.runner import Measured
from pruneapp.evaluation.script import EvaluationScript, Options
from tests.gui.job_gate import Gate

# Returns a value for the test to record, and the metrics of a state.
Measure = Callable[[Snapshot], tuple[Any, dict[str, Metric]]]


class LocalRunner:
    """Measures in this process. After `most` evaluations it closes its gate and blocks."""

    name, interpreter = "my_evaluation.py", "python"
    agrees, has_reference, directions = False, False, None
    notices: tuple[str, ...] = ()

    def __init__(
        self, script: EvaluationScript, measure: Measure, options: Options | None = None
    ) -> None:
        self.sha256, self.options, self.seeds = script.sha256, options or Options(), []
        self.measuring_sha256 = script.measuring_sha256
        self.key = f"{script.sha256} {self.options}"
        self.gate, self.most = Gate(), None
        self.worker = SimpleNamespace(control=lambda _what: None)
        self.measured, self.repaired, self.error, self.closed = [], [], None, False
        self._measure = measure

    def start(self, _job):
        self.closed = False

    def direction_remedy(self, metric):
        return f"HIGHER_IS_BETTER = {metric}"

    def run(self, snapshot, seed, job, *, reference=False):
        if self.most is not None and len(self.measured) >= self.most:
            self.gate.closed = True
        self.gate.wait(job)
        if self.error is not None:
            raise self.error
        found, metrics = self._measure(snapshot)
        self.measured.append(found)
        self.seeds.append(seed)
        self.repaired.append(set(snapshot.values))
        return Measured(metrics, 0.25, notices=self.notices)

    def kill_on_cancel(self):
        pass

    def close(self):
        self.closed = True

"""Writing one planned file, with progress that ends where the file does."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pruneapp.checkpoint.io.atomic_file_writer import AtomicFile
from pruneapp.export.format import Plan
from pruneapp.export.report import WrittenFile
from pruneapp.progress import Job


class Sized:
    """A plan and how many bytes it is expected to write, so that progress ends where it should."""

    def __init__(self, plan: Plan, job: Job) -> None:
        self._plan = plan
        self._job = job
        self._expected = plan.nbytes if plan.expected is None else plan.expected(job)

    @property
    def work(self) -> int:
        """By how much writing it steps the job, as far as that is known."""
        return self._plan.work + 2 * self._expected

    def write(self, target: Path, stack: contextlib.ExitStack) -> tuple[AtomicFile, WrittenFile]:
        """Write and seal a file, which is gone with `stack` unless it is committed."""
        with contextlib.ExitStack() as preparing:
            plan = self._plan
            if plan.prepare is not None:
                plan = preparing.enter_context(plan.prepare(self._job))
            file = AtomicFile(target, plan.nbytes, self._job, exact=plan.exact)
            stack.enter_context(file)
            told = self._expected
            if plan.exact:
                self._job.extend(2 * (plan.nbytes - told))
                told = plan.nbytes
            for piece in plan.pieces():
                more = file.taken + len(piece) - told
                if more > 0:  # than the sample promised
                    self._job.extend(2 * more)
                    told += more
                self._job.cancel.check()
                file.write(piece)
            self._job.extend(2 * (file.taken - told))
            return file, WrittenFile(target, file.taken, file.seal())

"""Application of recipes whose schedules recover after each round; complete rounds are kept."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.digest import files_sha256
from pruneapp.document.edit import Edit, Json
from pruneapp.document.entries import RecoverConfiguration
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import ParameterError, PruneAppError, RecipeError, words_of
from pruneapp.evaluation.metric import Tolerance
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.recovery import RecoverySettings
from pruneapp.evaluation.rounds import (
    Round,
    RoundsSettings,
    prune_in_rounds,
    select_round,
    steps_per_round,
    summarize,
)
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.worker import EventCallback
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.recipes.fit import Fit, Schedule, fit
from pruneapp.recipes.recipe import Recipe, load, recipe_of, save, with_statistics
from pruneapp.recipes.replay import expand_action, replay

_FILE = "rounds.recipe.json"
_KEEP_SECONDS = 30 * 24 * 3600.0


def settings_of(recover: RecoverConfiguration, rounds: int, seed: int) -> RoundsSettings:
    """Return the settings of a schedule with this number of rounds."""
    recovery = RecoverySettings(
        steps=steps_per_round(rounds) if recover.steps is None else recover.steps,
        windows=recover.windows,
        lr=recover.lr,
        seed=seed,
    )
    return RoundsSettings(
        "" if recover.method == "none" else recover.method,
        recovery,
        evaluate=recover.evaluate or recover.stop is not None,
        stop=None if recover.stop is None else Tolerance.parse(recover.stop),
        metric=recover.metric,
        rewind=recover.rewind,
    )


@dataclass(frozen=True)
class KeptRounds:
    """A folder with the complete rounds of a schedule, to continue after the process was killed.

    They are a recipe, so the pruning steps are computed again, but no recovery is.
    """

    folder: Path

    @classmethod
    def of(
        cls, runner: ScriptRunner, checkpoint: Checkpoint, recipe: Recipe, entry: int, job: Job
    ) -> KeptRounds:
        """Return the folder for an entry of a recipe; equal for equal files and scripts.

        Deletes folders that were not used for 30 days. Raises `EvaluationError` if the folder
        cannot be created.
        """
        root = Path(platformdirs.user_cache_path("pruneapp", appauthor=False)) / "rounds"
        files = files_sha256(checkpoint.files, job)
        key = json.dumps([files, recipe.sha256, entry, runner.key, runner.options.seed])
        folder = root / hashlib.sha256(key.encode()).hexdigest()[:32]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for other in root.iterdir():
                if other != folder and time.time() - other.stat().st_mtime > _KEEP_SECONDS:
                    shutil.rmtree(other, ignore_errors=True)
        except OSError as error:
            raise EvaluationError(
                f"The folder for complete rounds, '{folder}', cannot be used: {words_of(error)}.",
                remedy="Make it writable.",
            ) from error
        return cls(folder)

    def save(self, checkpoint: Checkpoint, rounds: list[Round], job: Job) -> None:
        """Write the edits of rounds; values that are there already are not written again."""
        masks: dict[str, BitMask] = {}
        entries = [edit.to_dict(masks) for one in rounds for edit in one.edits]
        save(recipe_of(checkpoint, entries, masks), self.folder / _FILE, Job(cancel=job.cancel))

    def load(
        self, state: Snapshot, statistics: tuple[str, ...], kernel: Kernel, job: Job
    ) -> list[tuple[Edit, ...]]:
        """Return the edits of the rounds, which begin with `state`; none if they cannot be read.

        `statistics` are names of open statistics, for steps that rank by them.
        """
        path, job = self.folder / _FILE, Job(cancel=job.cancel)
        if not path.exists():
            return []
        found: list[list[Edit]] = []
        try:
            recipe = with_statistics(load(path, job), state.checkpoint, statistics, job)
            actions = fit(recipe, state.checkpoint, job).actions(recipe.where)
            for done in replay(state, actions, kernel, job):
                if done.edit.step is not None:
                    found.append([])
                found[-1].append(done.edit)
        except (PruneAppError, IndexError):
            return []
        return [tuple(edits) for edits in found]

    def delete(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass
class RecipeRun:
    """A recipe that is applied with a script; `kept` are the complete rounds on disk."""

    runner: ScriptRunner
    recipe: Recipe
    fitted: Fit
    kernel: Kernel
    statistics: tuple[str, ...] = ()  # names of open statistics
    resume: bool = False  # whether complete rounds of an earlier run are used
    kept: list[KeptRounds] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)  # of the last schedule
    summaries: list[str] = field(default_factory=list)  # a sentence for each schedule

    def apply(
        self, state: Snapshot, job: Job, on_event: EventCallback | None = None
    ) -> tuple[Snapshot, Recipe]:
        """Return the state after the recipe, and the recipe that has the selected rounds.

        `state` is that of the file. Raises `RecipeError` as `replay_all` does, and the errors of
        `prune_in_rounds`; complete rounds remain on disk then.
        """
        checkpoint = state.checkpoint
        masks: dict[str, BitMask] = {}
        entries: list[Json] = []
        actions = self.fitted.actions(self.recipe.where)
        parts = job.parts(len(actions))
        for number, (action, part) in enumerate(zip(actions, parts, strict=True)):
            try:
                if isinstance(action, Schedule) and action.recover is not None:
                    edits = self._prune(number, action, state, part, on_event)
                else:
                    edits = (one.edit for one in replay(state, (action,), self.kernel, part))
                for edit in edits:
                    entries.append(edit.to_dict(masks))
                    state = edit.apply_to(state)
            except ParameterError as error:
                place = self.fitted.place(number)
                raise RecipeError(
                    f"'{self.recipe.where}', at {place}: {error.sentence}", remedy=error.remedy
                ) from None
        return state, recipe_of(checkpoint, entries, masks)

    def _prune(
        self,
        number: int,
        schedule: Schedule,
        state: Snapshot,
        job: Job,
        on_event: EventCallback | None,
    ) -> Iterator[Edit]:
        """Yield the edits of the rounds up to the selected one."""
        assert schedule.recover is not None
        settings = settings_of(schedule.recover, schedule.steps, self.runner.options.seed)
        kept = KeptRounds.of(self.runner, state.checkpoint, self.recipe, number, job)
        self.kept.append(kept)
        known = kept.load(state, self.statistics, self.kernel, job) if self.resume else []
        steps = [step for step in expand_action(state, schedule) if isinstance(step, Step)]
        self.rounds = []
        for done in prune_in_rounds(
            self.runner,
            state,
            steps,
            settings,
            job,
            kernel=self.kernel,
            known=known,
            on_event=on_event,
        ):
            self.rounds.append(done)
            if len(self.rounds) > len(known):
                kept.save(state.checkpoint, self.rounds, job)
        self.summaries.append(summarize(self.rounds, len(steps)))
        selected = select_round(self.rounds)
        for done in self.rounds:
            yield from done.edits
            if done is selected:
                return

    def delete_kept(self) -> None:
        """Delete the rounds on disk, after the result was written."""
        for kept in self.kept:
            kept.delete()

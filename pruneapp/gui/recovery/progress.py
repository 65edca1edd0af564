"""The state of a running recovery, as far as its events report it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

# Names of curves that every recovery can have; metrics of the user's training have others.
TRAINING, HELD_OUT, RATE = "training", "held_out", "lr"

Points = list[tuple[float, float]]  # (step, value)
# A script may yield after each step. Every second point of a longer curve is dropped, because the
# curves are drawn several times per second: 14,000 points took 30 ms each time.
_MOST_POINTS = 4_000
_RISE = 1.1  # a smaller rise of the error is not mentioned


@dataclass(frozen=True)
class TrainedWindow:
    """A block that was trained, with its held-out error before and after."""

    name: str
    before: float
    after: float

    @property
    def is_kept(self) -> bool:
        """Whether its new weights are better, so that they are used."""
        return self.after < self.before


@dataclass
class RecoveryProgress:
    """What the events of a recovery reported so far; not for several threads."""

    steps: int = 0  # of the whole model, in total; 0 if unknown
    trains: bool = False  # whether train() of the script is run
    blocks: bool = False  # whether each block is trained alone first
    plan: Mapping[str, Any] = field(default_factory=dict)  # the event "plan"; {} before it
    can_be_stopped: bool = False  # whether the worker can pause and stop by now
    losses: dict[str, float] = field(default_factory=dict)  # by stage
    windows: list[TrainedWindow] = field(default_factory=list)
    rates: list[tuple[float, float]] = field(
        default_factory=list
    )  # errors of tried rates: (error, rate)
    trial: float = 0.0  # the learning rate that is being tried; 0 for none
    step: int = 0
    speed: float = 0.0  # steps per second; 0 if unknown
    memory: int = 0  # bytes; 0 if unknown
    curves: dict[str, Points] = field(default_factory=dict)
    metrics: dict[str, Points] = field(default_factory=dict)  # of the user's training

    @classmethod
    def of(
        cls, events: Iterable[Mapping[str, Any]], steps: int, *, trains: bool = False
    ) -> RecoveryProgress:
        """Return the state after some events."""
        progress = cls(steps, trains)
        for event in events:
            progress.add(event)
        return progress

    def add(self, event: Mapping[str, Any]) -> None:
        """Update it by an event; see `recovery.Reporter` of the worker. Ignores unknown ones."""
        match event["what"]:
            case "plan":
                self.plan, self.can_be_stopped = event, True
            case "training":
                self.can_be_stopped = True
            case "block":
                self.speed = event["speed"]
            case "window":
                window = TrainedWindow(event["name"], event["before"], event["after"])
                self.windows.append(window)
            case "trial":
                self.trial = event["lr"]
            case "rate":
                self.trial = 0.0
                self.rates.append((event["error"], event["lr"]))
                self._add_figures(event)
            case "stage":
                self.losses[event["name"]] = event["loss"]
            case "point":
                self._add_point(event)

    def _add_point(self, event: Mapping[str, Any]) -> None:
        self.step, self.trial = event["step"], 0.0
        self._add_figures(event)
        values = {name: event[name] for name in (TRAINING, HELD_OUT, RATE) if name in event}
        for curves, found in ((self.curves, values), (self.metrics, event.get("metrics", {}))):
            for name, value in found.items():
                points = curves.setdefault(name, [])
                points.append((self.step, value))
                if len(points) > _MOST_POINTS:
                    del points[1::2]  # the first and the last one remain

    def _add_figures(self, event: Mapping[str, Any]) -> None:
        self.speed = event.get("speed", self.speed)
        self.memory = event.get("memory", self.memory)

    @property
    def peak(self) -> float | None:
        """The largest held-out error, if it rose by more than a tenth and fell below the start."""
        errors = [error for _, error in self.curves.get(HELD_OUT, ())]
        if len(errors) < 3 or errors[-1] >= errors[0]:
            return None
        peak = max(errors)
        return peak if peak > _RISE * errors[0] else None

    @property
    def rate(self) -> float:
        """The learning rate: the last one reported, or the best one tried; 0 if unknown."""
        if reported := self.curves.get(RATE):
            return reported[-1][1]
        return min(self.rates)[1] if self.rates else 0.0

    @property
    def start(self) -> float | None:
        """The held-out error at the start; None if unknown."""
        return self.losses.get("start")

    @property
    def error(self) -> float | None:
        """The last held-out error; None if unknown."""
        if points := self.curves.get(HELD_OUT):
            return points[-1][1]
        return self.start

    def earlier_step_with(self, error: float) -> int | None:
        """Return the step with a held-out error; None if it is the last one, or unknown."""
        points = self.curves.get(HELD_OUT, [])
        if not points or points[-1][1] == error:
            return None
        return next((round(step) for step, value in reversed(points) if value == error), None)

    @property
    def loss(self) -> float | None:
        """The last training loss; None if unknown."""
        points = self.curves.get(TRAINING)
        return points[-1][1] if points else None

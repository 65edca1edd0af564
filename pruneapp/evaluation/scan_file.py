"""The file format of sensitivity scans.

Strict JSON. Cells that are not measured yet are missing, so the file of an interrupted scan is
valid.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field
from msgspec.structs import asdict, replace

from pruneapp import json_codec
from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.document.entries import Part
from pruneapp.errors import JsonError, suggest_nearest
from pruneapp.evaluation.process import EvaluationError
from pruneapp.progress import Job

FORMAT: Literal["pruneapp-scan"] = "pruneapp-scan"
VERSION: Literal[1] = 1
SUFFIX = ".scan.json"
# More than a scan of a hundred thousand tensors.
_LARGEST = 256 << 20
_MOST = 1 << 53

Weights = Annotated[int, Meta(ge=0, le=_MOST)]
Fraction = Annotated[float, Meta(gt=0.0, le=1.0)]


class ScanConditions(Part, frozen=True):
    """The conditions that all numbers of a scan depend on; scans with other conditions differ.

    File names are informative only. Compared are the SHA-256 of the checkpoint (of those of its
    files), of the script (or the command), and of the path of the interpreter.
    """

    checkpoint: str
    checkpoint_sha256: str
    script: str
    script_sha256: str
    interpreter_sha256: str
    method: str
    # Parameters of the method without the amount.
    values: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    limit: int | None = None
    device: str = ""
    # SHA-256 of masks and values before the scan; empty if nothing was pruned or replaced.
    state_sha256: str = ""
    # SHA-256 of the statistics used to repair each tensor before it is measured.
    repair: str = ""
    # `data_of` the runner that measured: equal for equal data; empty if unknown.
    data: str = ""


class ScanMetric(Part, frozen=True):
    """One metric, and its value before the scan prunes anything."""

    name: str
    higher: bool  # whether a higher value is better
    before: float
    noise: float = 0.0  # largest difference of three runs of the unpruned model

    def damage(self, value: float) -> float:
        """Return how much worse a value is than before."""
        return self.before - value if self.higher else value - self.before


class ScanCell(Part, frozen=True):
    """The measurement with one tensor pruned to one amount."""

    amount: Fraction  # share of the weights kept before
    pruned: Weights  # number of pruned weights, including those pruned before
    # Finite values only: a missing metric was NaN or infinite.
    metrics: dict[str, float] = field(default_factory=dict)
    # Half of the 95 % interval of the difference from before, for metrics with known samples.
    noise: dict[str, Annotated[float, Meta(ge=0.0)]] = field(default_factory=dict)


class ScanTensor(Part, frozen=True):
    """A tensor and its measurements."""

    name: str
    weights: Annotated[int, Meta(ge=1, le=_MOST)]
    pruned: Weights = 0  # number of weights pruned before the scan
    protected: Weights = 0  # number of protected weights when it was last scanned
    unit: Annotated[int, Meta(ge=1, le=_MOST)] = 1  # weights of a channel, for methods that
    # prune whole ones
    cells: tuple[ScanCell, ...] = ()

    def with_cell(self, cell: ScanCell) -> ScanTensor:
        """Return a copy with `cell`, sorted by amount; a cell with the same amount is replaced."""
        others = [one for one in self.cells if one.amount != cell.amount]
        return replace(self, cells=tuple(sorted([*others, cell], key=lambda one: one.amount)))


class Scan(Part, frozen=True):
    """A sensitivity scan, complete or not."""

    format: Literal["pruneapp-scan"]
    version: Literal[1]
    conditions: ScanConditions
    # All amounts and tensors, measured or not.
    amounts: Annotated[tuple[Fraction, ...], Meta(min_length=1)]
    tensors: Annotated[tuple[ScanTensor, ...], Meta(min_length=1)]
    metrics: Annotated[tuple[ScanMetric, ...], Meta(min_length=1)]
    seconds: Annotated[float, Meta(ge=0.0)] = 0.0  # duration of one evaluation
    # Names of the data that calibrated the measured states: of the scanned state, and of the
    # statistics that rank weights or repair a tensor.
    calibration: tuple[str, ...] = ()

    @property
    def chosen_by(self) -> tuple[str, ...]:
        """Names of the data that determine amounts chosen by this scan."""
        return tuple(filter(None, [self.conditions.data]))

    @property
    def calibrated(self) -> bool:
        """Whether states were calibrated with the evaluation data, so that values are too good."""
        return self.conditions.data in self.calibration

    @property
    def measured(self) -> int:
        """Number of measured cells."""
        return sum(len(tensor.cells) for tensor in self.tensors)

    @property
    def wanted(self) -> int:
        """Number of cells of the complete scan."""
        return len(self.amounts) * len(self.tensors)

    def metric(self, name: str | None = None) -> ScanMetric:
        """Return the metric called `name`.

        Without a name the first for which lower is better: a loss changes with every weight, an
        accuracy in steps. The first of all if there is no such metric. Raises `EvaluationError` if
        there is no metric called `name`.
        """
        if name is None:
            return next((one for one in self.metrics if not one.higher), self.metrics[0])
        found = {one.name: one for one in self.metrics}
        if name not in found:
            raise EvaluationError(
                f"The scan has no metric '{name}'.", remedy=suggest_nearest(name, found, "metrics")
            )
        return found[name]

    def text(self) -> bytes:
        """Return the scan as JSON."""
        return json_codec.encode(self, indent=1) + b"\n"


def read_scan(path: Path) -> Scan:
    """Read a scan; cells may be missing.

    Raises `EvaluationError` if the file cannot be read, is larger than 256 MiB, is not a scan, has
    a newer version, or is inconsistent.
    """
    text = json_codec.read(path, "scan", _LARGEST, EvaluationError)
    try:
        head = json_codec.load_object(text, path.name, file_names=True)
        if head.get("format") != FORMAT:
            raise EvaluationError(
                f'\'{path.name}\' is not a sensitivity scan: it lacks "format": "{FORMAT}".',
                remedy="Choose a file that `pruneapp scan` wrote.",
            )
        version = head.get("version")
        if type(version) is int and version > VERSION:
            raise EvaluationError(
                f"'{path.name}' is a scan of version {version:,}, and this Pruneapp reads up to "
                f"{VERSION}.",
                remedy="Install a newer Pruneapp.",
            )
        scan = json_codec.decode(text, Scan, path.name, file_names=True)
        check_scan(scan, path.name)
    except JsonError as error:
        raise EvaluationError(
            error.sentence, remedy=f"{error.remedy} See docs/sensitivity.md.".lstrip()
        ) from None
    return scan


def write_scan(scan: Scan, path: Path) -> None:
    """Write a scan; an existing file is replaced atomically. Raises `ExportError`."""
    write_whole(path, scan.text(), Job())


def refuse_other_conditions(scan: Scan, conditions: ScanConditions, where: str) -> None:
    """Raise `EvaluationError`, with all differences, if the conditions of a scan are others.

    `where` is the name of the scan in the message.
    """
    others = find_differences(scan, conditions)
    if others:
        raise EvaluationError(
            f"'{where}' is a scan with {' and '.join(others)}.",
            remedy="Choose another name for this scan, or delete that file.",
        )


def find_differences(scan: Scan, conditions: ScanConditions) -> list[str]:
    """Return descriptions of the conditions that differ."""
    before, now = asdict(scan.conditions), asdict(conditions)
    return [words for key, words in _WORDS.items() if before[key] != now[key]]


_WORDS = {
    "checkpoint_sha256": "another checkpoint",
    "state_sha256": "another state of the checkpoint",
    "script_sha256": "another script",
    "interpreter_sha256": "another Python interpreter",
    "method": "another method",
    "values": "another setting of the method",
    "seed": "another seed",
    "limit": "another number of samples",
    "device": "another device",
    "repair": "another repair",
    "data": "other data",
}


def check_scan(scan: Scan, where: str) -> None:
    """Raise `JsonError` for the first inconsistency of a scan that types do not exclude.

    Names and amounts are unique; counts fit the tensor; amounts and metrics of cells are among
    those of the scan. `where` is the name of the file in the message.
    """
    _check_unique((one.name for one in scan.tensors), where, "tensors")
    _check_unique((one.name for one in scan.metrics), where, "metrics")
    _check_unique(map(str, scan.amounts), where, "amounts")
    if sum(tensor.weights for tensor in scan.tensors) > _MOST:
        raise JsonError("these are more weights than any model has", where, "tensors")
    known = {metric.name for metric in scan.metrics}
    for number, tensor in enumerate(scan.tensors):
        place = f"tensors[{number}]"
        if tensor.weights % tensor.unit:
            raise JsonError("'unit' does not divide 'weights'", where, place)
        if tensor.pruned + tensor.protected > tensor.weights:
            raise JsonError("more is pruned and protected than there is", where, place)
        _check_unique((str(cell.amount) for cell in tensor.cells), where, f"{place}.cells")
        for index, cell in enumerate(tensor.cells):
            at = f"{place}.cells[{index}]"
            if cell.amount not in scan.amounts:
                raise JsonError(f"{cell.amount} is not one of the amounts of the scan", where, at)
            # The number of protected weights may have changed since the cell was measured.
            if not tensor.pruned <= cell.pruned <= tensor.weights:
                raise JsonError("'pruned' is not a count that this tensor can have", where, at)
            for name in (cell.metrics.keys() | cell.noise.keys()) - known:
                raise JsonError(f"'{name}' is not one of the metrics of the scan", where, at)


def _check_unique(names: Iterable[str], where: str, place: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise JsonError(f"'{name}' appears twice", where, place)
        seen.add(name)

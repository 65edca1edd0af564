"""What was done, as plain JSON: the entries of histories and recipes, each a name and its settings.

The first paragraph of a docstring here is a description in docs/recipe.schema.json.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from pruneapp.errors import JsonError, ParameterError
from pruneapp.json_codec import convert
from pruneapp.results.document_rows import Operation, Shape

# What a step means by its rows and by the ends of a model, see `pruneapp.document.selection`.
Version: TypeAlias = Literal[1, 2]

Names: TypeAlias = tuple[str, ...]
Path: TypeAlias = Literal["linear", "cubic"]
Share: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]


class Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of an entry: without keys of other names, and without what is as usual."""


class RowConfiguration(Part, frozen=True):
    """Which tensors, and the values of the method's parameters."""

    # By the names of the parameters; absent ones take their defaults.
    values: dict[str, Any] = {}
    # Which tensors, the first of these that is there: a glob over whole names, a kind of layer, or
    # names. None of them: those that are pruned if nothing is selected.
    pattern: str = ""
    kind: str = ""
    names: Names = ()
    # Whether `names` may be floats of quantized layers: the user confirmed that they are pruned.
    quantized: bool = False


class RowEntry(Part, frozen=True):
    """A method on some tensors; `name` is that of the method."""

    name: str
    configuration: RowConfiguration = RowConfiguration()


class LimitsConfiguration(Part, frozen=True):
    """What a step may not do; see `pruneapp.methods.limits.Limits`."""

    floor: Share = 0.0
    ceiling: Share = 1.0
    total: Count | Share | None = None
    spare: tuple[Literal["embeddings", "first", "last"], ...] = ()


class StepConfiguration(Part, frozen=True):
    """Rows, applied as one; of several that name a tensor the last takes precedence."""

    rows: Annotated[tuple[RowEntry, ...], Meta(min_length=1)]
    # Whether each tensor has its own threshold, or all of them one.
    scope: Literal["local", "global"] = "local"
    limits: LimitsConfiguration = LimitsConfiguration()
    # Whether bias and norm go with the channels of dim 0.
    companions: bool = False
    # Whether everything goes with the channels that depends on them.
    dependents: bool = False
    # Names of the data by which the amounts were chosen, as those of a sensitivity scan.
    data: Names = ()
    # That of the recipe, if nothing is said; 1 in a history.
    version: Version | UnsetType = UNSET


class StepEntry(Part, frozen=True, tag_field="name", tag="step"):
    """A step: one or several methods."""

    configuration: StepConfiguration


class ScheduleConfiguration(Part, frozen=True):
    """A step that is repeated until a share of its tensors is pruned."""

    # One row, whose amount is of no account.
    step: StepEntry
    # How much of the step's tensors is pruned at the end, what was pruned before among it.
    final: Count | Share
    steps: Annotated[int, Meta(ge=1, le=1000)]
    # linear: the same number of weights each time. cubic: many at first and few at the end (Zhu and
    # Gupta 2017): s_t = s_f + (s_i - s_f) (1 - t / n)^3.
    path: Path = "cubic"


class ScheduleEntry(Part, frozen=True, tag_field="name", tag="schedule"):
    """One step, repeated along a path to a final amount."""

    configuration: ScheduleConfiguration


class TargetConfiguration(Part, frozen=True):
    """Which weights of a tensor an edit means: boxes of indices, or a mask in a side file."""

    name: str
    boxes: tuple[tuple[tuple[int, int], ...], ...] = ()
    shape: Shape = "rectangle"
    dim: int = -1
    mask: str = ""
    size: Count = 0


class EditConfiguration(Part, frozen=True):
    """One operation by hand on chosen weights."""

    operation: Operation
    targets: Annotated[tuple[TargetConfiguration, ...], Meta(min_length=1)]
    words: str = ""


class EditEntry(Part, frozen=True, tag_field="name", tag="edit"):
    """What was pruned, restored, protected or released by hand."""

    configuration: EditConfiguration


class ChosenConfiguration(Part, frozen=True):
    """Which tensors: a pattern, else names, else all that it can be done to."""

    pattern: str = ""
    names: Names = ()


class TreatZerosEntry(Part, frozen=True, tag_field="name", tag="treat_zeros"):
    """Zeros of the file count as pruned."""

    configuration: ChosenConfiguration = ChosenConfiguration()


class FinalizeEntry(Part, frozen=True, tag_field="name", tag="finalize"):
    """Pruned weights become ordinary zeros, as torch's ``remove`` makes them."""

    configuration: ChosenConfiguration = ChosenConfiguration()


class FileMasksEntry(Part, frozen=True, tag_field="name", tag="file_masks"):
    """Masks that torch's pruning left in the file are in force."""

    configuration: ChosenConfiguration = ChosenConfiguration()


class ValuesConfiguration(Part, frozen=True):
    """All elements of a tensor, in a side file."""

    name: str
    values: str  # ``sha256:`` and the SHA-256 of the raw elements, little-endian in C order
    # The same of the elements in the file that they were computed from: of another tensor they are
    # refused.
    original: str
    size: Count  # bytes


class RepairSource(Part, frozen=True):
    """What repaired values were computed from; they are not computed again."""

    # SHA-256 of the statistics of the inputs of the layers; empty if they lie in no file.
    statistics: str = ""
    # SHA-256 of the files of the model whose outputs were wanted; none for the one that is pruned.
    against: tuple[str, ...] = ()
    iterations: Count = 10
    damping: float = 0.01
    # Whether the running variances of norms changed with the outputs of the layers before them.
    norms: bool = False
    # Whether the inputs of each layer came from the model with the layers before it repaired.
    sequential: bool = False
    # What the inputs were: a name that is the same for the same data; empty if it is not known.
    data: str = ""


class RepairConfiguration(Part, frozen=True):
    """The tensors that a repair changed."""

    tensors: Annotated[tuple[ValuesConfiguration, ...], Meta(min_length=1)]
    source: RepairSource = RepairSource()


class RepairEntry(Part, frozen=True, tag_field="name", tag="repair"):
    """What is left of pruned layers has other values, so that their outputs come out as before."""

    configuration: RepairConfiguration


Entry: TypeAlias = (
    StepEntry
    | ScheduleEntry
    | EditEntry
    | RepairEntry
    | TreatZerosEntry
    | FinalizeEntry
    | FileMasksEntry
)
T = TypeVar("T")


def read_entry(data: object, kind: type[T]) -> T:
    """Return what an edit said of itself as the entry that it is; raises `ParameterError`."""
    try:
        return convert(data, kind, "entry")
    except JsonError as error:
        raise ParameterError(error.sentence, remedy=error.remedy) from None

"""Edits as plain JSON: the entries of histories and recipes, each with a name and settings.

The first paragraph of each class docstring is a description in docs/recipe.schema.json.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from msgspec import Meta, Struct

from pruneapp.errors import JsonError, ParameterError
from pruneapp.json_codec import convert

Names: TypeAlias = tuple[str, ...]
Path: TypeAlias = Literal["linear", "cubic"]
Share: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]


# "restore" keeps pruned weights again; "protect" exempts weights from later methods until
# "release".
Operation = Literal["prune", "restore", "protect", "release"]
Shape = Literal["rectangle", "row", "column", "channel", "brush"]


class Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base class: unknown keys are rejected, and default values are not written."""


class RowConfiguration(Part, frozen=True):
    """Selection of tensors, and the values of the method's parameters."""

    # Values by parameter name; missing ones are the defaults.
    values: dict[str, Any] = {}
    # The first of these that is not empty selects the tensors: a glob over whole names, a kind of
    # layer, or names. If all are empty, the default selection applies.
    pattern: str = ""
    kind: str = ""
    names: Names = ()
    # Whether `names` may include floats of quantized layers: the user confirmed this.
    quantized: bool = False


class RowEntry(Part, frozen=True):
    """A method on some tensors; `name` is that of the method."""

    name: str
    configuration: RowConfiguration = RowConfiguration()


class LimitsConfiguration(Part, frozen=True):
    """Sparsity limits and exclusions of a step; see `pruneapp.methods.limits.Limits`."""

    min_sparsity: Share = 0.0
    max_sparsity: Share = 1.0
    target_sparsity: Count | Share | None = None
    exclude: tuple[Literal["embeddings", "first", "last"], ...] = ()


class StepConfiguration(Part, frozen=True):
    """Rows, applied as one step; if several name a tensor, the last one applies."""

    rows: Annotated[tuple[RowEntry, ...], Meta(min_length=1)]
    # "local": one threshold per tensor. "global": one threshold for all.
    scope: Literal["local", "global"] = "local"
    limits: LimitsConfiguration = LimitsConfiguration()
    # Whether to prune matching bias and norm entries with channels of dim 0.
    prune_bias_and_norm: bool = False
    # Whether to prune everything that depends on the channels.
    dependents: bool = False
    # Names of the data that the amounts were derived from, as by a sensitivity scan.
    data: Names = ()
    # "sha256:" and the SHA-256 of the trace that the groups come from, which the recipe contains;
    # "none": the groups known without a trace. If it is empty, they are those of the checkpoint.
    trace: str = ""


class StepEntry(Part, frozen=True, tag_field="name", tag="step"):
    """A pruning step: one or more methods on tensors."""

    configuration: StepConfiguration


class RecoverConfiguration(Part, frozen=True):
    """What follows each round of a schedule; needs a script."""

    # none: nothing is trained. distillation, training: see the source of the entry "recovery".
    method: Literal["none", "distillation", "training"] = "distillation"
    # Steps of distillation per round; without it, 300 are divided by the number of rounds.
    steps: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    # Learning rate of distillation; without it, it is chosen by short trials.
    lr: Annotated[float, Meta(gt=0.0, le=1.0)] | None = None
    # Whether blocks are trained before the whole model.
    windows: bool = True
    # Whether each round is measured; implied by `stop`.
    evaluate: bool = False
    # The rounds end when the metric is worse than that of the unpruned model by more: 0.01 in its
    # own unit, 1% relative to it.
    stop: str | None = None
    # The metric of `stop`; without it, the first that measures quality.
    metric: str = ""
    # Whether each recovery begins with the values before the first round.
    rewind: bool = False


class ScheduleConfiguration(Part, frozen=True):
    """A step that is repeated until its tensors reach a final sparsity."""

    # A step with one row, whose amount is ignored.
    step: StepEntry
    # Amount pruned at the end, including what was pruned before the first round.
    final: Count | Share
    steps: Annotated[int, Meta(ge=1, le=1000)]
    # linear: the same number of weights in each round. cubic: s_t = s_f + (s_i - s_f) (1 - t/n)^3,
    # which prunes most weights in the first rounds (Zhu and Gupta, 2017).
    path: Path = "cubic"
    # What follows each round; nothing if it is missing.
    recover: RecoverConfiguration | None = None


class ScheduleEntry(Part, frozen=True, tag_field="name", tag="schedule"):
    """A step that is repeated on a sparsity schedule up to a final amount."""

    configuration: ScheduleConfiguration


class TargetConfiguration(Part, frozen=True):
    """Which weights of a tensor an edit changes: boxes of indices, or a mask in a side file."""

    name: str
    boxes: tuple[tuple[tuple[int, int], ...], ...] = ()
    shape: Shape = "rectangle"
    dim: int = -1
    mask: str = ""
    size: Count = 0


class EditConfiguration(Part, frozen=True):
    """One manual operation on selected weights."""

    operation: Operation
    targets: Annotated[tuple[TargetConfiguration, ...], Meta(min_length=1)]
    words: str = ""


class EditEntry(Part, frozen=True, tag_field="name", tag="edit"):
    """A manual edit: weights that were pruned, restored, protected or unprotected."""

    configuration: EditConfiguration


class ChosenConfiguration(Part, frozen=True):
    """Which tensors: a pattern, else names, else all tensors that the edit applies to."""

    pattern: str = ""
    names: Names = ()


class TreatZerosEntry(Part, frozen=True, tag_field="name", tag="treat_zeros"):
    """Count zeros of the file as pruned."""

    configuration: ChosenConfiguration = ChosenConfiguration()


class FinalizeEntry(Part, frozen=True, tag_field="name", tag="finalize"):
    """Turn pruned weights into ordinary zeros, as ``torch.nn.utils.prune.remove`` does."""

    configuration: ChosenConfiguration = ChosenConfiguration()


class FileMasksEntry(Part, frozen=True, tag_field="name", tag="file_masks"):
    """Apply the masks that torch.nn.utils.prune left in the file."""

    configuration: ChosenConfiguration = ChosenConfiguration()


class ValuesConfiguration(Part, frozen=True):
    """All values of a tensor, stored in a side file."""

    name: str
    values: str  # "sha256:" and the SHA-256 of the raw elements, little-endian in C order
    size: Count  # bytes
    # The same of the elements in the file that the values were computed from; the values are
    # rejected for a tensor with other elements. Missing in a recipe if an earlier entry has it.
    original: str = ""
    # The same of the mask that the values were computed with; they are rejected for another one.
    # Missing if nothing of the tensor was pruned.
    mask: str = ""


class RepairSource(Part, frozen=True):
    """How repaired values were computed; replaying does not compute them again."""

    # SHA-256 of the statistics of the inputs of the layers; empty if they are in no file.
    statistics: str = ""
    # SHA-256 of the files of the model whose outputs are the target; empty for the pruned model.
    against: tuple[str, ...] = ()
    iterations: Count = 10
    damping: float = 0.01
    # Whether running variances of norms were adapted to the changed outputs of earlier layers.
    norms: bool = False
    # Whether the inputs of each layer came from the model with all earlier layers repaired.
    sequential: bool = False
    # Identifier of the input data, and its file name; empty if unknown.
    data: str = ""
    name: str = ""
    samples: Count = 0  # number of samples of the data; 0 if unknown


class RepairConfiguration(Part, frozen=True):
    """The tensors whose values a repair replaced."""

    tensors: Annotated[tuple[ValuesConfiguration, ...], Meta(min_length=1)]
    source: RepairSource = RepairSource()


class RepairEntry(Part, frozen=True, tag_field="name", tag="repair"):
    """Replaced values of remaining weights, so that the outputs of pruned layers are preserved."""

    configuration: RepairConfiguration


class RecoverySource(Part, frozen=True):
    """How recovered values were computed; replaying does not compute them again."""

    # distillation: trained to reproduce the outputs of the unpruned model on inputs without labels.
    # training: trained by the user's own function.
    method: Literal["distillation", "training"] = "distillation"
    # SHA-256 of the files of the unpruned model; empty if it is the file that was pruned.
    against: tuple[str, ...] = ()
    script: str = ""  # SHA-256 of the script
    # Steps of the whole model, its largest learning rate, and the number of samples.
    steps: Count = 0
    lr: float = 0.0
    samples: Count = 0
    seed: Count = 0
    # Whether trained blocks are used, and whether a sequential repair was made before.
    windows: bool = False
    # Number of blocks that were trained, and of all; 0 if none was to be trained.
    trained_blocks: Count = 0
    blocks: Count = 0
    repaired: bool = False
    # Whether training began with the values of an earlier state, see "schedule".
    rewound: bool = False
    # Identifier of the input data, and its file name; empty if unknown.
    data: str = ""
    name: str = ""

    @property
    def is_repair_only(self) -> bool:
        """Whether only the sequential repair is used, because training did not improve it."""
        return self.method == "distillation" and self.repaired and not (self.steps or self.windows)

    @property
    def is_blocks_only(self) -> bool:
        """Whether only blocks were trained, such as because the user stopped the training."""
        return self.windows and not self.steps and bool(self.blocks)


class RecoveryConfiguration(Part, frozen=True):
    """The tensors whose values training with masks replaced."""

    tensors: Annotated[tuple[ValuesConfiguration, ...], Meta(min_length=1)]
    source: RecoverySource = RecoverySource()


class RecoveryEntry(Part, frozen=True, tag_field="name", tag="recovery"):
    """Replaced values of remaining weights, which were trained while pruned weights stayed zero."""

    configuration: RecoveryConfiguration


ValuesEntry: TypeAlias = RepairEntry | RecoveryEntry
Entry: TypeAlias = (
    StepEntry
    | ScheduleEntry
    | EditEntry
    | RepairEntry
    | RecoveryEntry
    | TreatZerosEntry
    | FinalizeEntry
    | FileMasksEntry
)
T = TypeVar("T")


def read_entry(data: object, kind: type[T]) -> T:
    """Convert JSON of an edit to the struct `kind`; raises `ParameterError` if it is not valid."""
    try:
        return convert(data, kind, "entry")
    except JsonError as error:
        raise ParameterError(error.sentence, remedy=error.remedy) from None

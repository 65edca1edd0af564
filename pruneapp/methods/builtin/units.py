"""Methods for units of a model (neurons, heads, layers, channels) in all their tensors."""

from __future__ import annotations

from pruneapp.groups.group import MULTIPLES
from pruneapp.methods.coupled_units import FLAP, USUAL, WANDA
from pruneapp.methods.method import CoupledMethod
from pruneapp.params import STATISTICS, AmountParam, Choice, ChoiceParam

BY = ChoiceParam(
    name="by",
    label="Rank by",
    help="How each unit is scored, over all its weights: by a norm, or by statistics of "
    "activations.",
    default="l2",
    choices=(
        Choice("l2", "L2 norm", "Root of the sum of squares."),
        Choice("l1", "L1 norm", "Sum of magnitudes."),
        Choice("mean", "Mean magnitude", "Sum of magnitudes, divided by the number of weights."),
        Choice(
            WANDA,
            "Wanda (with activations)",
            "Sum of squares of each weight times the root mean square of its input, in the "
            "tensors that have statistics (Sun et al., 2024).",
            needs=(STATISTICS.name,),
        ),
        Choice(
            FLAP,
            "FLAP (fluctuation)",
            "Sum of squares of each weight times the standard deviation of its input, in the "
            "tensors that read the unit (An et al., 2024).",
            needs=(STATISTICS.name,),
        ),
    ),
)
MULTIPLE = ChoiceParam(
    name="multiple",
    label="Multiple",
    help=(
        "Keep a multiple of this many units (rounded up): some kernels reject other widths, "
        "others are slow with them. The export 'shrunk' rounds in the same way."
    ),
    default=USUAL,
    choices=(
        Choice(
            USUAL, "Automatic", "ONNX: 16 (8 below 32 channels); other channels: 8; neurons: 64."
        ),
        *(Choice(str(n), str(n), "") for n in MULTIPLES),
    ),
)
_AMOUNT = AmountParam(help="Fraction of remaining units of each group, or a number.", unit="units")
_FORMULA = (
    "score = norm of the unit over all tensors of its group; Wanda: sum of (w * RMS of the input "
    "of w)^2; FLAP: sum of (w * standard deviation of the input of w)^2 over the weights w that "
    "read the unit"
)
_ALONG = (
    "All tensors of their group are pruned together, biases and norms included, so that the "
    "export 'shrunk' can remove the units. "
)

FFN_NEURONS = CoupledMethod(
    name="ffn_neurons",
    label="FFN neurons",
    axis="ffn",
    help=(
        "Prunes whole neurons of the feed-forward layers of a transformer, the same number in "
        "each layer. " + _ALONG + "Needs a model of a known type, with its config.json."
    ),
    formula=_FORMULA,
    params=(_AMOUNT, BY, MULTIPLE, STATISTICS),
)
ATTENTION_HEADS = CoupledMethod(
    name="attention_heads",
    label="Attention heads",
    axis="kv-groups",
    help=(
        "Prunes whole key/value heads with their query heads, the same number in each "
        "layer. " + _ALONG + "Not every model class supports fewer heads."
    ),
    formula=_FORMULA,
    params=(_AMOUNT, BY, STATISTICS),
)
LAYERS = CoupledMethod(
    name="layers",
    label="Layers",
    axis="layers",
    help=(
        "Prunes the output projections of whole layers, so that these layers return their inputs "
        "unchanged. The export 'shrunk' removes them."
    ),
    formula=_FORMULA,
    params=(_AMOUNT, BY, STATISTICS),
)
CHANNEL_GROUPS = CoupledMethod(
    name="channel_groups",
    label="Channel groups",
    axis="channels",
    help=(
        "Prunes channels of convolutions. " + _ALONG + "Needs a file that contains the graph "
        "(ONNX or .pt2), blocks of a known type, or a traced model. The scope Per group prunes "
        "the same share of each group. Global ranks the units of all groups together, without "
        "scaling the scores of a group (Torch-Pruning divides them by their mean), so it may prune "
        "all units of a group."
    ),
    formula=_FORMULA,
    params=(_AMOUNT, BY, MULTIPLE, STATISTICS),
    scopes=("local", "global"),
)
# The methods that round the number of kept units of a group by `MULTIPLE`.
ROUNDED = frozenset({FFN_NEURONS.name, CHANNEL_GROUPS.name})

"""Effect of a recovery after a sequential repair, on small models at high sparsity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.benchmarks.benchmark import Ground, Line, Subject
from tests.benchmarks.subjects.quality import Pruning

if TYPE_CHECKING:
    from torch import Tensor

ROUNDS = 5  # of an iterative pruning
SENTENCES = 2_048  # for the encoder, whose recovery does little with 256 of them
ROWS = 16  # per batch of ResNet-20; the default of 64 takes four times as long


def _l1(amount: float, *, local: bool = False) -> Pruning:
    words = f"L1 {'each layer' if local else 'global'} {amount:.0%}"
    return Pruning(words, "l1_unstructured", {"amount": amount}, "local" if local else "global")


def _per_row(amount: float, patterns: tuple[str, ...]) -> Pruning:
    words = f"L1 per row {amount:.0%}"
    return Pruning(words, "l1_per_row", {"amount": amount}, "local", patterns=patterns)


def measure(_ground: Ground) -> Iterator[Line]:
    from tests.benchmarks.quality_models import sample  # imports torch and data sets
    from tests.benchmarks.recovery import Case, compare

    lamp = Pruning("LAMP 95%", "lamp", {"amount": 0.95})
    cases = (
        Case(lamp, bounded=True, rounds=ROUNDS),
        Case(_l1(0.95), bounded=True, rounds=ROUNDS),
        Case(_l1(0.8, local=True)),
        Case(_l1(0.9, local=True), bounded=True),
    )
    yield from compare("sample", sample(), cases, "%")


def measure_photos(_ground: Ground) -> Iterator[Line]:
    from tests.benchmarks.quality_models import resnet20, sample
    from tests.benchmarks.recovery import Case, compare

    resnet = resnet20()
    if resnet is None:
        return
    cases = (
        Case(_l1(0.7), rows=ROWS, labels=False),
        Case(_l1(0.8), bounded=True, rows=ROWS, labels=False),
        Case(_l1(0.9), bounded=True, rows=ROWS),
    )
    yield from compare("ResNet-20", resnet, cases, "%")
    digits = sample()

    def as_photos(draw: int) -> Tensor:
        """Return digits in the format of the photos."""
        from torch.nn import functional

        pictures = functional.interpolate(digits.calibration(draw), size=32, mode="bilinear")
        return 2 * pictures.repeat(1, 3, 1, 1) - 1

    unlike = replace(resnet, calibration=as_photos)
    case = Case(_l1(0.8), rows=ROWS, labels=False)
    yield from compare("ResNet-20, calibrated with digits", unlike, (case,), "%")


def measure_llama(ground: Ground) -> Iterator[Line]:
    from tests.benchmarks.char_llama import quality_model, train  # imports torch
    from tests.benchmarks.recovery import Case, compare

    patterns = ("model.layers.*_proj.weight",)
    path = train(ground.folder / "char-llama")
    cases = (
        Case(_per_row(0.7, patterns), bounded=True, labels=False),
        Case(_per_row(0.8, patterns), bounded=True),
        Case(
            Pruning("2:4", "n_m", {"pattern": "2:4"}, "local", patterns=patterns),
            group=4,
            labels=False,
        ),
    )
    yield from compare("char llama", quality_model(path), cases, "")
    unlike = quality_model(path, "prose")
    yield from compare(
        "char llama, calibrated with prose",
        unlike,
        (Case(_per_row(0.7, patterns), labels=False),),
        "",
    )


def measure_encoder(_ground: Ground) -> Iterator[Line]:
    from tests.benchmarks.recovery import Case, compare
    from tests.benchmarks.sentence_encoder import encoder

    model = encoder(SENTENCES)
    if model is None:
        return
    patterns = ("encoder.layer.*.self.*.weight", "encoder.layer.*.dense.weight")
    case = Case(_per_row(0.7, patterns), bounded=True, labels=False)
    yield from compare("MiniLM", model, (case,), "%")


_METHOD = (
    " Means of four draws of the calibration data and of the seed, with their range. A recovery has"
    " its defaults, 1,000 steps, and starts from the sequential repair. The gap is that between the"
    " sequential repair and the unpruned model; the worst draw is the smallest improvement of the"
    " four, with the noise that the number of test samples causes (95 % confidence). Trained with"
    " labels: a loop with the masks of torch.nn.utils.prune and AdamW from the pruned weights, with"
    " the same data, batches, default learning rate and schedule, and with as many steps as the"
    " recovery with its trials and blocks. SparseGPT chooses its own zeros, as many per"
    " layer, with the same data, without a recovery."
)
SUBJECT = Subject(
    "recover",
    "Recovery of the sample",
    measure,
    "Accuracy on its own 360 test pictures, calibrated with 256 training pictures."
    + _METHOD
    + f" Iterative: {ROUNDS} times pruning, sequential repair and recovery, with as many steps in"
    " total.",
    on_request=True,
    page="quality.md",
    has_columns=True,
)
PHOTOS = Subject(
    "recover-photos",
    "Recovery of ResNet-20 on photos",
    measure_photos,
    "The model and the data of the table about its repair; below, calibrated with the digits of the"
    f" sample instead of photos. Batches of {ROWS}. The labels are those of the unpruned model."
    + _METHOD,
    on_request=True,
    page="quality.md",
    has_columns=True,
)
LLAMA = Subject(
    "recover-llama",
    "Recovery of a language model",
    measure_llama,
    "Perplexity of the language model of the other tables on their test data, calibrated with 384"
    " windows of 64 bytes of what it was trained on; below, of the English text of Python's"
    " reference, which is unlike the test data. The labels are the next bytes." + _METHOD,
    on_request=True,
    page="quality.md",
    has_columns=True,
)
ENCODER = Subject(
    "recover-encoder",
    "Recovery of a sentence encoder",
    measure_encoder,
    "all-MiniLM-L6-v2: the mean cosine between its embeddings and those of the unpruned model, for"
    f" 512 sentences of Python's reference, calibrated with {SENTENCES:,} others. It has no labels."
    + _METHOD,
    on_request=True,
    page="quality.md",
    has_columns=True,
)

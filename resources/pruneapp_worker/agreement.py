"""Measure agreement with the unpruned model, for scripts without labels.

The outputs of the unpruned model are stored in a file, call by call, and those of a pruned model
are compared with them. With more than 512 classes, only the 512 largest outputs of the unpruned
model are stored and compared; the Kullback-Leibler divergence treats all others as one class.
Embeddings have no classes: all coordinates are compared, and measures of classes are omitted. For
pooled embeddings, one row per sentence, there is a cosine per sentence.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch

from pruneapp_worker import tensors
from pruneapp_worker.pipe import ContractError

MOST_CLASSES = 512
# Names of embeddings in outputs of models without a head: sentence-transformers, transformers.
POOLED = "sentence_embedding"
EMBEDDINGS = (POOLED, "last_hidden_state")


def embedding_of(output: Any) -> torch.Tensor | None:
    """Return the embedding in the output of a model without a head; None if it has logits."""
    if not isinstance(output, dict) or any("logits" in str(name) for name in output):
        return None
    return next((output[name] for name in EMBEDDINGS if name in output), None)


def first_tensor(output: Any) -> torch.Tensor:
    """Return the first tensor in a model's output: logits, or the first in a tuple or dict.

    None in it is skipped. Raises `ContractError` if the first value contains no tensor.
    """
    if isinstance(output, torch.Tensor):
        return output
    values = output.values() if hasattr(output, "values") else output
    for value in values if isinstance(values, (list, tuple)) or hasattr(values, "__iter__") else ():
        if value is not None:
            return first_tensor(value)
    raise ContractError(
        f"The model returned an object of type {type(output).__name__} without a tensor in it.",
        "Agreement with the unpruned model needs a model that returns a tensor.",
    )


class Reference:
    """The outputs of the unpruned model, in a file."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / "reference.pt"
        self.calls = 0

    def comparison(self, *, write: bool) -> Comparison:
        """Return a comparison for one evaluation; with `write` it stores the outputs instead."""
        return Comparison(self, self._path.open("w+b" if write else "rb"), write=write)


class Comparison:
    """Compares outputs, call by call, with those of the reference."""

    def __init__(self, reference: Reference, file: Any, *, write: bool) -> None:
        self._reference = reference
        self._file = file
        self._write = write
        self._calls = 0
        self._classes = True  # whether columns are classes
        self._same = self._rows = 0
        self.cosines: list[float] = []  # per sentence, if rows are pooled embeddings
        self._pooled = False
        self._divergence = self._apart = self._norm = self._other = self._inner = 0.0

    def __enter__(self) -> Comparison:  # noqa: PYI034 - typing.Self needs Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def take(self, output: Any) -> None:
        """Add the output of one call: compare it with that of the same call of the reference.

        If this comparison writes, the output is stored as the reference first. Raises
        `ContractError` if its shape differs.
        """
        embedding = embedding_of(output)
        self._classes = embedding is None
        self._pooled = embedding is not None and embedding.dim() == 2 and POOLED in output
        with torch.no_grad():
            tensor = first_tensor(output) if embedding is None else embedding
            logits = rows_of(tensor.detach())
            self._calls += 1
            if self._write:
                self._reference.calls = self._calls
                kept, places, total = (
                    select_largest(logits) if self._classes else select_all(logits)
                )
                head = {"shape": list(logits.shape), "all": places is None}
                self._file.write(json.dumps(head).encode() + b"\n")
                for part in (kept, places, total):
                    if part is not None:
                        self._file.write(tensors.buffer_of(part.contiguous()))
            else:
                head = json.loads(self._file.readline() or "{}")
                if head.get("shape") != list(logits.shape):
                    raise other_inputs_error(self._calls)
                rows, columns = logits.shape
                size = columns if head["all"] else MOST_CLASSES
                kept = self._read((rows, size), torch.float32)
                places = None if head["all"] else self._read((rows, size), torch.int64)
                total = None if head["all"] else self._read((rows, 1), torch.float64)
            self._compare(logits, kept.double(), places, total)

    def _read(self, shape: tuple[int, int], dtype: torch.dtype) -> torch.Tensor:
        part = torch.empty(shape, dtype=dtype)
        self._file.readinto(tensors.buffer_of(part))
        return part

    def _compare(self, logits: torch.Tensor, kept: torch.Tensor, places: Any, total: Any) -> None:
        """Add the measures of one call.

        `kept` are the stored outputs, in the columns `places`, with the log-sum-exp `total` of each
        row; None for both if all columns are stored.
        """
        log_q = torch.log_softmax(logits, -1)
        if places is None:
            now, log_p, top = logits, torch.log_softmax(kept, -1), kept.argmax(-1)
        else:
            now, log_q = logits.gather(-1, places), log_q.gather(-1, places)
            log_p, top = kept - total, places[:, 0]
        p = log_p.exp()
        rows = torch.where(p > 0, p * (log_p - log_q), torch.zeros_like(p)).sum(-1)
        if places is not None:
            rest_p, rest_q = (
                (1 - p.sum(-1)).clamp_min(0),
                (1 - log_q.exp().sum(-1)).clamp_min(1e-12),
            )
            rows = rows + torch.where(
                rest_p > 0,
                rest_p * (rest_p.clamp_min(1e-12) / rest_q).log(),
                torch.zeros_like(rest_p),
            )
        if self._pooled:
            self.cosines += torch.cosine_similarity(now, kept, dim=-1).tolist()
        self._rows += logits.shape[0]
        self._same += int((logits.argmax(-1) == top).sum())
        self._divergence += float(rows.clamp_min(0).sum())
        self._apart += float(((now - kept) ** 2).sum())
        self._norm += float((kept**2).sum())
        self._other += float((now**2).sum())
        self._inner += float((now * kept).sum())

    def metrics(self) -> dict[str, dict[str, Any]]:
        """Return the measures of agreement: four for classes, two or three for embeddings.

        Each is a JSON object as in `contract.value_of`. Raises `ContractError` if the model was not
        called, or not as often as the unpruned one.
        """
        if not self._calls:
            raise ContractError(
                "calibrate() never called the model.", "Run some inputs through the model in it."
            )
        if self._calls != self._reference.calls:
            raise other_inputs_error(self._calls)
        norms = math.sqrt(self._norm * self._other)
        classes = {
            "same_top1": {"value": self._same / self._rows, "counts": [self._same, self._rows]},
            "kl": {"value": self._divergence / self._rows},
        }
        if self.cosines:
            from pruneapp_worker.contract import value_of

            cosines = {
                "mean_cosine": value_of("calibrate", "mean_cosine", self.cosines),
                "lowest_cosine": {"value": min(self.cosines)},
            }
        else:
            cosines = {"cosine": {"value": self._inner / norms if norms else math.nan}}
        return {
            **(classes if self._classes else {}),
            **cosines,
            "relative_error": {
                "value": math.sqrt(self._apart / self._norm) if self._norm else math.nan
            },
        }


def rows_of(output: torch.Tensor) -> torch.Tensor:
    """Return an output as rows of float64, with a column per class."""
    if output.dim() == 0:
        output = output.reshape(1, 1)
    elif output.dim() >= 4:  # images: classes are dim 1
        output = output.movedim(1, -1)
    return output.cpu().double().reshape(-1, output.shape[-1])


def select_all(rows: torch.Tensor) -> Any:
    """Return all columns to store, like `select_largest`."""
    return rows.float(), None, None


def select_largest(logits: torch.Tensor) -> Any:
    """Return the outputs to store as float32, their columns, and the log-sum-exp of each row.

    The latter two are None if all columns are stored, that is up to `MOST_CLASSES`. Descending by
    output otherwise.
    """
    if logits.shape[-1] <= MOST_CLASSES:
        return select_all(logits)
    values, places = logits.topk(MOST_CLASSES, -1)
    return values.float(), places, logits.logsumexp(-1, keepdim=True).double()


def other_inputs_error(call: int) -> ContractError:
    """Return the error for inputs that differ from run to run."""
    return ContractError(
        f"calibrate() ran other inputs than with the unpruned model (call {call}).",
        "Run the same inputs in the same order each time; 'seed' is the same for each state. "
        "Outputs whose shape depends on the weights need an evaluation script with evaluate.",
    )

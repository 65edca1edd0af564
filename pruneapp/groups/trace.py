"""Programs of traced models, by the checkpoint with their weights.

The file of a traced model has only the weights. Its groups come from the program of one call of the
model, which `torch.export` traced in the user's Python.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import JsonError, ParameterError
from pruneapp.json_codec import encode, load_object

NO_TRACE = "none"  # for the groups that are known without a trace
_MAX_PROGRAM = 64 << 20  # bytes of JSON, about 60 for each operator
_HOW_TO_TRACE = (
    "Choose the checkpoint that was pruned. To prune another one, trace its model in the window "
    "(Tools > Trace the model…)."
)


@dataclass(frozen=True, eq=False)
class Trace:
    """The program of a traced model, with the names of tensors as in the checkpoint."""

    key: str  # "sha256:" and the SHA-256 of `text`
    text: str  # as recipes and sessions store it: compressed JSON in base64
    program: Mapping[str, Any]  # the JSON of ``traced_model.describe``

    @classmethod
    def of(cls, program: Mapping[str, Any]) -> Trace:
        """Create the trace from its program."""
        text = base64.b64encode(zlib.compress(encode(program))).decode()
        return cls(_key_of(text), text, program)

    @classmethod
    def read(cls, text: str) -> Trace:
        """Create the trace from stored text; raises `JsonError` if it is not valid."""
        try:
            data = zlib.decompressobj().decompress(base64.b64decode(text), _MAX_PROGRAM)
            program = load_object(data)
        except (ValueError, zlib.error) as error:
            raise JsonError(f"the program of a traced model is damaged ({error})") from None
        return cls(_key_of(text), text, program)

    def refuse_other(self, checkpoint: Checkpoint) -> None:
        """Raise `ParameterError` if a checkpoint lacks a tensor, or has it in another shape.

        Also if the program is not valid.
        """
        try:
            module = self.program["graph_module"]
            values = module["graph"]["tensor_values"]
            shapes = {}
            for spec in module["signature"]["input_specs"]:
                ((kind, inside),) = spec.items()
                if kind in {"parameter", "buffer"} and (name := inside[f"{kind}_name"]):
                    sizes = values[inside["arg"]["name"]]["sizes"]
                    shapes[name] = [size.get("as_int") for size in sizes]
        except (LookupError, TypeError, AttributeError, ValueError):
            raise ParameterError(
                "The trace that the groups come from is damaged.",
                remedy="Restore the recipe from where it came from.",
            ) from None
        for name, shape in shapes.items():
            if not checkpoint.holds(name):
                raise ParameterError(
                    f"The groups come from a trace of another model: '{name}' is missing in the "
                    "checkpoint.",
                    remedy=_HOW_TO_TRACE,
                )
            found = list(checkpoint.entry(name).shape)
            if found != shape:
                raise ParameterError(
                    f"The groups come from a trace of another model: '{name}' has the shape "
                    f"{found} instead of {shape}.",
                    remedy=_HOW_TO_TRACE,
                )


def _key_of(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


@dataclass(eq=False)
class _Traces:
    """The traces of a checkpoint."""

    current: Trace | None = None
    known: dict[str, Trace] = field(default_factory=dict)  # by key, with earlier ones
    copies: dict[str, Checkpoint] = field(default_factory=dict)  # by key, see `with_trace`


_traces: WeakKeyDictionary[Checkpoint, _Traces] = WeakKeyDictionary()


def use_trace(checkpoint: Checkpoint, trace: Trace) -> None:
    """Use a traced model for a checkpoint, as if its file contained the program."""
    add_trace(checkpoint, trace)
    _traces[checkpoint].current = _traces[checkpoint].known[trace.key]


def add_trace(checkpoint: Checkpoint, trace: Trace) -> None:
    """Make a trace known for `with_trace`; the groups of the checkpoint do not change."""
    _traces.setdefault(checkpoint, _Traces()).known.setdefault(trace.key, trace)


def trace_of(checkpoint: Checkpoint) -> Trace | None:
    """Return the trace that a checkpoint uses; None if there is none."""
    found = _traces.get(checkpoint)
    return None if found is None else found.current


def trace_key(checkpoint: Checkpoint) -> str:
    """Return the key of the trace that a checkpoint uses; "" if there is none."""
    trace = trace_of(checkpoint)
    return "" if trace is None else trace.key


def known_traces(checkpoint: Checkpoint) -> Mapping[str, Trace]:
    """Return the traces that a checkpoint uses or has used, or that were added, by key."""
    found = _traces.get(checkpoint)
    return {} if found is None else found.known


# Keys of a session: the trace in use, and others that steps of its history may name.
_CURRENT, _OTHERS = "trace", "other_traces"


def stored_traces(checkpoint: Checkpoint, most: int) -> dict[str, Any]:
    """Return the traces of a checkpoint for `restore_traces`, as JSON.

    Traces of more than `most` characters are left out.
    """
    current = trace_of(checkpoint)
    texts = [t.text for t in known_traces(checkpoint).values() if t is not current]
    others = [text for text in texts if len(text) <= most]
    stored: dict[str, Any] = {_OTHERS: others} if others else {}
    if current is not None and len(current.text) <= most:
        stored[_CURRENT] = current.text
    return stored


def restore_traces(checkpoint: Checkpoint, stored: Mapping[str, Any]) -> None:
    """Use the traces that `stored_traces` returned; invalid ones are ignored."""
    others = stored.get(_OTHERS)
    for text in (*(others if isinstance(others, list) else ()), stored.get(_CURRENT)):
        with contextlib.suppress(JsonError):
            if isinstance(text, str):
                restore = use_trace if text is stored.get(_CURRENT) else add_trace
                restore(checkpoint, Trace.read(text))


def with_trace(checkpoint: Checkpoint, key: str) -> Checkpoint:
    """Return the checkpoint if it uses the trace with this key, otherwise a copy of it that does.

    A copy has the same tensors and shares the open files, which are those of `checkpoint`; each
    call returns the same one. `NO_TRACE` stands for none, and "" for any. Raises `ParameterError`
    if the trace is not known.
    """
    if key in {"", trace_key(checkpoint) or NO_TRACE}:
        return checkpoint
    trace = known_traces(checkpoint).get(key)
    if trace is None and key != NO_TRACE:
        raise ParameterError(
            "The step prunes channel groups of a traced model, and the trace is not known.",
            remedy="Trace the model, and prune again.",
        )
    found = _traces[checkpoint]
    if key not in found.copies:
        other = copy.copy(checkpoint)
        _traces[other] = _Traces(trace, found.known)  # of which a later step may use another
        found.copies[key] = other
    return found.copies[key]

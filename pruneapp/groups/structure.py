"""Find the groups of a model: by its family, its graph, or known blocks."""

from __future__ import annotations

import stat
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.torchfile import exported_program
from pruneapp.errors import CheckpointError, JsonError, words_of
from pruneapp.groups.axis import Axis, fields_of
from pruneapp.groups.blocks import KnownBlock, find_blocks
from pruneapp.groups.family import LABELS, AxisName, Family, family_of
from pruneapp.groups.family_groups import CONFIG, FamilyGroups, ModelLayer
from pruneapp.groups.program_graph import ProgramGraph, read_program
from pruneapp.groups.trace import Trace, trace_of
from pruneapp.json_codec import load_object
from pruneapp.progress import Job

if TYPE_CHECKING:
    from pruneapp.groups.onnx_graph import OnnxGraph

_LARGEST_CONFIG = 16 << 20
# Multimodal models with a language model under this key of their configuration; only tested ones.
_WRAPPERS = frozenset({"gemma3", "llava", "qwen2_5_vl"})
_INSIDE = "text_config"
_ARGUMENTS = "model_args"  # timm: arguments of the function that creates the model
# For models without a family.
_NO_FAMILY = Family(types=(), layer="")


@dataclass(frozen=True, eq=False)
class Structure:
    """The known structure of a model.

    Attributes
    ----------
    folder
        Folder of the checkpoint.
    axes
        The axes that can be cut, and those that cannot, with the reason.
    model_type
        From the configuration; for a nested language model that of the inner one.
    config
        All of config.json.
    inside
        The keys of the nested part of `config` that the axes refer to.
    layers
        In file order.
    depths
        The configuration field with the number of layers, by stack.
    blocks
        Known blocks, for models of timm or without a configuration.
    graph
        The graph of an ONNX model, a torch.export program or a traced model.
    """

    folder: Path
    axes: Mapping[AxisName, Axis]
    family: Family = _NO_FAMILY
    model_type: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    layers: tuple[ModelLayer, ...] = ()
    depths: Mapping[str, str] = field(default_factory=dict)
    blocks: tuple[KnownBlock, ...] = ()
    graph: ProgramGraph | OnnxGraph | None = None

    @property
    def fields(self) -> Mapping[str, Any]:
        """The part of the configuration that the axes refer to."""
        return fields_of(self.config, self.inside)

    @property
    def file_graph(self) -> ProgramGraph | OnnxGraph | None:
        """The graph that the file contains, and that changes with a cut; None for a traced one."""
        return None if self.is_traced else self.graph

    @property
    def is_traced(self) -> bool:
        """Whether the groups are those of a traced model, whose file has only the weights."""
        return isinstance(self.graph, ProgramGraph) and not self.graph.name

    @property
    def has_class(self) -> bool:
        """Whether a class of transformers configures the model."""
        return self.graph is None and not self.blocks

    def stacks(self) -> dict[str, int]:
        """Return the number of layers of each stack."""
        found: dict[str, int] = {}
        for layer in self.layers:
            found[layer.stack] = max(found.get(layer.stack, 0), layer.number + 1)
        return found


@dataclass(frozen=True)
class Unknown:
    """A model without known structure, and the reason."""

    why_not: str  # a sentence


class _Binding:
    """The lazily computed structure of a checkpoint; concurrent callers wait for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: Structure | Unknown | None = None
        self._trace: Trace | None = None  # the trace that `_known` was found with
        self._apart = False

    def of(self, checkpoint: Checkpoint, job: Job, *, apart: bool) -> Structure | Unknown:
        self._apart |= apart  # kept for the next caller, in case the job is cancelled
        with self._lock:
            trace = trace_of(checkpoint)
            if self._known is None or self._trace is not trace:
                self._known = bind(checkpoint, job, apart=self._apart)
                self._trace = trace
            return self._known


_bindings: WeakKeyDictionary[Checkpoint, _Binding] = WeakKeyDictionary()
_lock = threading.Lock()


def structure_of(
    checkpoint: Checkpoint, job: Job | None = None, *, apart: bool = False
) -> Structure | Unknown:
    """Return the result of `bind`, computed once per checkpoint and trace; thread-safe."""
    with _lock:
        binding = _bindings.setdefault(checkpoint, _Binding())
    return binding.of(checkpoint, job or Job(), apart=apart)


def bind(
    checkpoint: Checkpoint, job: Job | None = None, *, apart: bool = False
) -> Structure | Unknown:
    """Return the groups of a checkpoint, from config.json or a graph, without reading weights.

    Computed at each call (`structure_of` caches); O(n) in the number of tensors. With `apart`, code
    that a malicious file may crash runs in a separate process; see
    `pruneapp.groups.onnx_graph.read_graph`. Returns `Unknown` with the reason if nothing is known,
    also for an unreadable file; `job` can cancel.
    """
    if checkpoint.format in {exported_program.FORMAT, ONNX.name}:
        return _of_graph(checkpoint, job or Job(), apart=apart)
    folder = checkpoint.folder
    config = read_config(folder)
    if isinstance(config, Unknown) or config.get("model_type") is None:
        blocks = _of_blocks(checkpoint, folder, config)
        if trace_of(checkpoint) is None:
            return blocks
        # A trace shows all layers, but a known block may contain operators, such as attention,
        # through which `program_graph` cannot follow channels: use what can remove more units. A
        # family of transformers is never replaced, because its cut also changes config.json.
        traced = _of_graph(checkpoint, job or Job(), apart=apart)
        if isinstance(blocks, Unknown) or _n_units(traced) > _n_units(blocks):
            return traced
        return blocks
    if "auto_map" in config:
        return Unknown(
            f"'{folder / CONFIG}' refers to the model's own code (auto_map), so its class is not "
            "one of transformers and nothing is known about it."
        )
    model_type = config.get("model_type")
    inside: tuple[str, ...] = ()
    if isinstance(model_type, str) and model_type in _WRAPPERS and _INSIDE in config:
        inside = (_INSIDE,)
        inner = config[_INSIDE]
        model_type = inner.get("model_type") if isinstance(inner, dict) else None
    family = family_of(model_type) if isinstance(model_type, str) else None
    if family is None:
        named = "names no model type" if model_type is None else f"is of type '{model_type}'"
        return Unknown(
            f"The model {named}, and it is not known which of its tensors share units. Open an "
            "ONNX file of the model: its graph shows them."
        )
    assert isinstance(model_type, str)
    fields = fields_of(config, inside)
    found = FamilyGroups(checkpoint, family, model_type, fields, nested=bool(inside))
    return Structure(
        folder, found.axes(), family, model_type, config, inside, found.layers, found.depths
    )


def _of_graph(checkpoint: Checkpoint, job: Job, *, apart: bool) -> Structure | Unknown:
    """Return the groups found in the graph of a file or a trace; `Unknown` if there are none."""
    graph: ProgramGraph | OnnxGraph
    try:
        if checkpoint.format == ONNX.name:
            from pruneapp.groups.onnx_graph import read_graph

            graph = read_graph(checkpoint, job, apart=apart)
        else:
            graph = read_program(checkpoint, job)
    except CheckpointError as error:
        return Unknown(str(error))
    if not graph.groups:
        return Unknown(
            f"No channels of '{checkpoint.path}' can be removed on their own: see its graph."
        )
    name: AxisName = "channels"
    axis = Axis(name, LABELS[name], groups=graph.groups, uniform=False)
    return Structure(checkpoint.path.parent, {name: axis}, graph=graph)


def _n_units(found: Structure | Unknown) -> int:
    axes = () if isinstance(found, Unknown) else found.axes.values()
    return sum(group.count for axis in axes for group in axis.groups)


def _of_blocks(
    checkpoint: Checkpoint, folder: Path, config: Mapping[str, Any] | Unknown
) -> Structure | Unknown:
    """Return the known blocks of a model that transformers does not configure.

    `config` is its configuration, if there is one. `Unknown` if no block is found.
    """
    found = find_blocks(checkpoint)
    if not found.blocks:
        why = (
            config.why_not
            if isinstance(config, Unknown)
            else (
                f"'{folder / CONFIG}' names no model type, and the tensors belong to no known "
                "block. An ONNX file of the model contains the graph, and can be shrunk."
            )
        )
        return Unknown(" ".join((why, *found.misfits)))
    inside: tuple[str, ...] = ()
    architecture = ""
    if isinstance(config, Unknown):
        config = {}
    elif "pretrained_cfg" in config and isinstance(config.get(_ARGUMENTS, {}), dict):
        # The format of timm since 0.9; models of older versions take no arguments.
        architecture, inside = str(config.get("architecture", "")), (_ARGUMENTS,)
    axes: dict[AxisName, Axis] = {}
    for name in ("channels", "ffn"):
        groups = tuple(g for block in found.blocks for g in block.groups if g.axis == name)
        if groups:
            # The FFN width of a transformer is one constructor argument if it is the same in all
            # blocks.
            uniform = name == "ffn" and len({group.count for group in groups}) == 1
            axes[name] = Axis(name, LABELS[name], groups=groups, uniform=uniform)
    return Structure(
        folder, axes, model_type=architecture, config=config, inside=inside, blocks=found.blocks
    )


def read_config(folder: Path) -> dict[str, Any] | Unknown:
    """Return the config.json in a folder; `Unknown` if it is missing, too large or unreadable.

    Nothing is raised for an invalid file.
    """
    path = folder / CONFIG
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe may never end
            return Unknown(f"'{path}' is not a regular file.")
        if status.st_size > _LARGEST_CONFIG:
            return Unknown(f"'{path}' is too large for a configuration.")
        return load_object(path.read_bytes(), str(path))
    except FileNotFoundError:
        return Unknown(
            f"'{folder}' contains no {CONFIG}, and the tensors alone do not show how the layers "
            "are connected. Trace the model in the window, or open a .pt2 (torch.export) or ONNX "
            "file of the model, or a transformers model folder."
        )
    except JsonError as error:
        return Unknown(str(error))
    except OSError as error:
        return Unknown(f"'{path}' cannot be read: {words_of(error)}.")

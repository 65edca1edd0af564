"""What is known of a model: its groups, by its family, its graph, or the blocks that are known."""

from __future__ import annotations

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
from pruneapp.json_codec import load_object
from pruneapp.progress import Job

if TYPE_CHECKING:
    from pruneapp.groups.onnx_graph import OnnxGraph

_LARGEST_CONFIG = 16 << 20
# Models that have one of language inside, under this key of their configuration, and were tried.
_WRAPPERS = frozenset({"gemma3", "llava", "qwen2_5_vl"})
_INSIDE = "text_config"
_ARGUMENTS = "model_args"  # of timm: what its function that makes the model is called with
# Of a model that no family is about.
_NO_FAMILY = Family(types=(), layer="")


@dataclass(frozen=True, eq=False)
class Structure:
    """What is known of a model.

    Attributes
    ----------
    model_type
        As in its configuration; of one inside another the inner one.
    config
        All of config.json.
    inside
        The keys that lead to the part of it that the axes are about.
    layers
        In file order.
    depths
        The field of the configuration that counts the layers of each stack.
    blocks
        Where nobody configures the model, or timm does: the blocks that are known.
    graph
        That of the file itself, an ONNX model or a program of torch.export.
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
        """The fields that the axes are about."""
        return fields_of(self.config, self.inside)

    @property
    def has_class(self) -> bool:
        """Whether a class of transformers configures the model."""
        return self.graph is None and not self.blocks

    def stacks(self) -> dict[str, int]:
        """Return how many layers each stack has."""
        found: dict[str, int] = {}
        for layer in self.layers:
            found[layer.stack] = max(found.get(layer.stack, 0), layer.number + 1)
        return found


@dataclass(frozen=True)
class Unknown:
    """A model that nothing is known of, and why."""

    why_not: str  # a sentence


class _Binding:
    """What is known of a checkpoint, once it is; whoever asks meanwhile waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: Structure | Unknown | None = None
        self._apart = False

    def of(self, checkpoint: Checkpoint, job: Job, *, apart: bool) -> Structure | Unknown:
        self._apart |= apart  # whoever asks next, if a job was cancelled
        with self._lock:
            if self._known is None:
                self._known = bind(checkpoint, job, apart=self._apart)
            return self._known


_bindings: WeakKeyDictionary[Checkpoint, _Binding] = WeakKeyDictionary()
_lock = threading.Lock()


def structure_of(
    checkpoint: Checkpoint, job: Job | None = None, *, apart: bool = False
) -> Structure | Unknown:
    """Return what `bind` does, which is called once for a checkpoint; safe from several threads."""
    with _lock:
        binding = _bindings.setdefault(checkpoint, _Binding())
    return binding.of(checkpoint, job or Job(), apart=apart)


def bind(
    checkpoint: Checkpoint, job: Job | None = None, *, apart: bool = False
) -> Structure | Unknown:
    """Return what is known of the groups of a checkpoint; reads config.json, and no weights.

    O(n) in the number of tensors. `apart`: what a hostile file may end is done in a process of its
    own; see `pruneapp.groups.onnx_graph.read_graph`.
    """
    if checkpoint.format in {exported_program.FORMAT, ONNX.name}:
        return _of_graph(checkpoint, job or Job(), apart=apart)
    folder = checkpoint.folder
    config = read_config(folder)
    if isinstance(config, Unknown) or config.get("model_type") is None:
        return _of_blocks(checkpoint, folder, config)
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
            f"The model {named}, whose groups are not known. An ONNX file of it contains its own "
            "graph, and can be cut by that."
        )
    assert isinstance(model_type, str)
    fields = fields_of(config, inside)
    found = FamilyGroups(checkpoint, family, model_type, fields, nested=bool(inside))
    return Structure(
        folder, found.axes(), family, model_type, config, inside, found.layers, found.depths
    )


def _of_graph(checkpoint: Checkpoint, job: Job, *, apart: bool) -> Structure | Unknown:
    """Return the groups that the graph in a file has."""
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


def _of_blocks(
    checkpoint: Checkpoint, folder: Path, config: Mapping[str, Any] | Unknown
) -> Structure | Unknown:
    """Return the blocks of a model that transformers does not configure."""
    found = find_blocks(checkpoint)
    if not found.blocks:
        why = (
            config.why_not
            if isinstance(config, Unknown)
            else (
                f"'{folder / CONFIG}' names no model type, and the tensors belong to no known "
                "block. An ONNX file of the model contains its own graph, and can be cut by that."
            )
        )
        return Unknown(" ".join((why, *found.misfits)))
    inside: tuple[str, ...] = ()
    architecture = ""
    if isinstance(config, Unknown):
        config = {}
    elif "pretrained_cfg" in config and isinstance(config.get(_ARGUMENTS, {}), dict):
        # As timm writes it since 0.9; of older ones it takes no arguments.
        architecture, inside = str(config.get("architecture", "")), (_ARGUMENTS,)
    axes: dict[AxisName, Axis] = {}
    for name in ("channels", "ffn"):
        groups = tuple(g for block in found.blocks for g in block.groups if g.axis == name)
        if groups:
            # The neurons of transformers are one number everywhere, and one argument says it.
            uniform = name == "ffn" and len({group.count for group in groups}) == 1
            axes[name] = Axis(name, LABELS[name], groups=groups, uniform=uniform)
    return Structure(
        folder,
        axes,
        model_type=architecture,
        config=config,
        inside=inside,
        blocks=found.blocks,
    )


def read_config(folder: Path) -> dict[str, Any] | Unknown:
    """Return the configuration beside a model; `Unknown` where there is none that can be read."""
    path = folder / CONFIG
    try:
        if path.stat().st_size > _LARGEST_CONFIG:
            return Unknown(f"'{path}' is too large for a configuration.")
        return load_object(path.read_bytes(), str(path))
    except FileNotFoundError:
        return Unknown(
            f"There is no {CONFIG} in '{folder}', so what its tensors share is not known. Open the "
            "folder of the model, or an ONNX file of it."
        )
    except JsonError as error:
        return Unknown(str(error))
    except OSError as error:
        return Unknown(f"'{path}' cannot be read: {words_of(error)}.")

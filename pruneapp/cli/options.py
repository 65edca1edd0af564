"""All options of the command line, each declared once, and functions that several commands need.

`OPTIONS` has the options by name. If the help text or the default of a command differs, the table
also has an entry ``COMMAND.NAME``. Options that come from the registries of methods and formats
are created by `GENERATED`, because the registries import large modules.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pruneapp.errors import ClusterError, ParameterError
from pruneapp.progress import Job

if TYPE_CHECKING:
    from pruneapp.cluster.connection import Cluster
    from pruneapp.export.format import Format
    from pruneapp.methods.method import Method
    from pruneapp.params import Param


@dataclass(frozen=True)
class Option:
    """An option or a positional argument of a command.

    Parameters
    ----------
    spec
        Its flags and the name of its value as in the help: ``-o, --output OUT``. Without the name
        of a value and without `choices`, it is a flag; without flags, a positional argument.
    help
        Its help text.
    repeat
        Whether it may be given several times; the result is a list.
    choices
        The allowed values, or a function that returns them.
    type, default, required, nargs, dest
        As in `argparse.ArgumentParser.add_argument`; the default type is that of `default`.
    """

    spec: str
    help: str
    required: bool = False
    repeat: bool = False
    type: type | None = None
    default: Any = None
    choices: Sequence[str] | Callable[[], Sequence[str]] = ()
    nargs: str | None = None
    dest: str | None = None

    @property
    def flags(self) -> Sequence[str]:
        """The flags in `spec`; empty for a positional argument."""
        return [word for word in re.split(r",? ", self.spec) if word.startswith("-")]

    @property
    def metavar(self) -> str | None:
        """The name of the value in `spec`, or of the positional argument; None without one."""
        word = self.spec.rpartition(" ")[2]
        return None if word.startswith("-") else word

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Add the option to a parser."""
        flags, metavar = self.flags, self.metavar
        more: dict[str, Any] = {"help": self.help.replace("%", "%%")}
        if metavar is None and not self.choices:
            more["action"] = "store_true"
        else:
            more |= {
                "metavar": metavar,
                "action": "append" if self.repeat else "store",
                "default": [] if self.repeat else self.default,
                "type": self.type or (None if self.default is None else type(self.default)),
                "choices": (self.choices() if callable(self.choices) else self.choices) or None,
                "nargs": self.nargs,
            }
        if flags:
            more |= {"dest": self.dest, "required": self.required}
        parser.add_argument(*(flags or [self.spec.lower()]), **more)


def _device_keys() -> Sequence[str]:
    from pruneapp.kernels.devices import KEYS

    return KEYS


def _format_names() -> Sequence[str]:
    from pruneapp.export.catalog import FORMATS

    return list(FORMATS)


_CHECKPOINT = "a checkpoint: a file, an index, a model folder"
_MATCHING = (
    "tensors whose full name matches this glob (case-sensitive, * matches dots); may be repeated"
)
_USUAL = "all prunable tensors with two or more dimensions, except embeddings and norms"
_STATE_DICT = "state dict to use, if the file contains several"
_BOUND = (
    "sparsity of each tensor, or of those whose name matches this glob; may be repeated, the last "
    "one takes precedence"
)
_IMAGES = "FILE is an image classifier of torchvision or timm"
# `pruneapp.evaluation.recovery.DEFAULT_STEPS`, whose import takes a second.
_STEPS = 1000
_TEXT = "FILE is a model folder that transformers loads"

OPTIONS: Mapping[str, Option] = {
    # The checkpoint, and what is selected in it.
    "file": Option("FILE", _CHECKPOINT),
    "allocate.file": Option(
        "FILE", "the scanned checkpoint; required only if the result is measured", nargs="?"
    ),
    "expand.file": Option("FILE", "a file in compact or zst format"),
    "repair.file": Option("FILE", "a pruned checkpoint"),
    "recover.file": Option("FILE", "a pruned checkpoint"),
    "report.file": Option("FILE", "a saved session, NAME.prune"),
    "shrink.file": Option("FILE", "the folder of a model that transformers loads"),
    "unshrink.file": Option("FILE", "a folder that `pruneapp shrink` wrote"),
    "verify.file": Option("FILE", "the exported file or folder"),
    "pruneapp.file": Option(
        "file",
        "a checkpoint to open: a file, an index, a folder; each in a separate window",
        nargs="*",
    ),
    "a": Option("A", _CHECKPOINT),
    "b": Option("B", "the other checkpoint"),
    "against": Option("--against ORIGINAL", "the original checkpoint"),
    "verify.against": Option("--against ORIGINAL", "the original checkpoint", required=True),
    "report.against": Option(
        "--against ORIGINAL", "the checkpoint of the session, if it was moved"
    ),
    "repair.against": Option(
        "--against ORIGINAL", "the checkpoint before it was pruned", required=True
    ),
    "recover.against": Option(
        "--against ORIGINAL",
        "the checkpoint before it was pruned; required unless FILE contains masks or --train is "
        "given",
    ),
    "unshrink.against": Option("--against MODEL", "the model before it was shrunk", required=True),
    "state_dict": Option("--state-dict KEY", _STATE_DICT),
    "diff.state_dict": Option("--state-dict KEY", f"in A: {_STATE_DICT}"),
    "other_state_dict": Option("--other-state-dict KEY", "same for B"),
    "diff.pattern": Option(
        "PATTERN",
        "only tensors whose full name matches this glob (case-sensitive, * matches dots)",
        nargs="*",
    ),
    **{
        f"{command}.select": Option(
            "--select PATTERN", f"{what} {_MATCHING}; {more}default: {default}", repeat=True
        )
        for command, what, more, default in (
            ("inspect", "list only", "", "all tensors"),
            ("check", "check", "", _USUAL),
            ("prune", "prune", "includes biases and norms; ", _USUAL),
            ("repair", "repair only", "", "all pruned layers with statistics"),
            ("scan", "scan", "", _USUAL),
            ("frontier", "prune", "", _USUAL),
            ("allocate", "allocate only", "", "all that were scanned"),
        )
    },
    "treat_zeros": Option(
        "--treat-zeros",
        "count the zeros of the file as pruned first, so that amounts apply to the other weights",
    ),
    # What is printed.
    "json": Option("--json", "print JSON"),
    "prune.json": Option("--json", "print the report as JSON"),
    "run.json": Option("--json", "print the report as JSON"),
    "stats": Option(
        "--stats", "read the weights: zeros, NaN, minimum, maximum, L1 and L2 norm of each tensor"
    ),
    "only_different": Option("--only-different", "list only tensors that differ"),
    "list": Option("--list", "list what can be removed and how much, or why not; writes nothing"),
    # Patterns and methods.
    "check.pattern": Option(
        "--pattern N:M", "at most N of every M weights are nonzero: 2:4, 4:8", required=True
    ),
    "check.dim": Option(
        "--dim DIM",
        "dimension along which groups are formed; default 1, the input dimension",
        default=1,
    ),
    **{
        f"{command}.method": Option(
            "--method NAME",
            "a method with an amount of weights or channels; default l1_unstructured",
            default="l1_unstructured",
        )
        for command in ("scan", "frontier")
    },
    "scope": Option(
        "--scope",
        "local: each tensor separately; global: one threshold for all tensors; default local, or "
        "global for methods that support only that",
        choices=("local", "global"),
    ),
    "prune_bias_and_norm": Option(
        "--prune-bias-and-norm",
        "also prune the matching entries of the bias and the following norm layer of channels "
        "pruned along dim 0, found by name; otherwise a pruned filter still outputs a constant. "
        "Included in --dependents for tensors whose dependents are known",
    ),
    "dependents": Option(
        "--dependents",
        "also prune everything that depends on the pruned channels, in the tensors where that is "
        "known: columns of the next layer, biases, norms",
    ),
    "mask": Option("--mask FILE", "masks for custom_from_mask"),
    "importance_scores": Option(
        "--importance-scores FILE",
        "importance scores to rank weights by, instead of their magnitude",
    ),
    "load_method": Option(
        "--load-method FILE", "Python file with a custom pruning method; its code is run"
    ),
    "allocate.load_method": Option(
        "--load-method FILE",
        "Python file with the custom pruning method of the scan; its code is run",
    ),
    "plugin": Option(
        "--plugin PACKAGE",
        "load what this installed package adds (methods, formats, families), which runs its code; "
        "may be repeated",
        repeat=True,
    ),
    # Where it runs.
    "device": Option(
        "--device",
        "device that ranks weights, default auto; the masks are the same on each",
        choices=_device_keys,
        default="auto",
    ),
    "cluster": Option(
        "--cluster ADDRESS",
        "run on a Dask cluster: the address of its scheduler, tcp://HOST:8786, or local:N for N "
        "processes on this machine; the result is the same",
        default="",
    ),
    "resume": Option(
        "--resume",
        "with --cluster: continue where the same command stopped when its cluster was lost",
    ),
    "run.resume": Option(
        "--resume",
        "continue where the same command stopped: after the complete rounds of a recipe that "
        "recovers after each, or with --cluster, when its cluster was lost",
    ),
    # Recipes.
    "recipe": Option("RECIPE", "a recipe saved by the window or by pruneapp prune"),
    "verify.recipe": Option(
        "--recipe RECIPE",
        "recipe to verify, instead of the one in the metadata; required if the file does not "
        "contain one (torch formats cannot), or if its masks are too large for the metadata",
    ),
    "run.check": Option(
        "--check", "write nothing; show the tensors that the recipe selects, and all problems"
    ),
    "prune.save_recipe": Option(
        "--save-recipe RECIPE", "save the step as a recipe, for pruneapp run and the window"
    ),
    **{
        f"{command}.save_recipe": Option("--save-recipe RECIPE", "save the steps as a recipe")
        for command in ("repair", "recover")
    },
    "run.save_recipe": Option(
        "--save-recipe RECIPE",
        "save the steps as a recipe, with the values of all rounds next to it, for pruneapp verify",
    ),
    # Exports.
    "output": Option("-o, --output OUT", "output path", required=True),
    "allocate.output": Option("-o, --output RECIPE", "save the step as a recipe"),
    "run.output": Option("-o, --output OUT", "output path"),
    "frontier.output": Option(
        "-o, --output FRONTIER", "frontier file; an existing one is continued", required=True
    ),
    "scan.output": Option(
        "-o, --output SCAN", "scan file; an existing one is continued", required=True
    ),
    "report.output": Option("-o, --output REPORT", "the report, NAME.html", required=True),
    "shrink.output": Option(
        "-o, --output OUT",
        "a folder that does not exist yet, or a file: .onnx of an ONNX model, .pt2 of a program, "
        ".safetensors or .pt of a state dict without config.json",
    ),
    "sizes.output": Option(
        "-o, --output OUT",
        "output name, because the size of resumable depends on .pt or .safetensors; default: the "
        "suffix of the opened file",
    ),
    "statistics.output": Option("-o, --output STATS", "output path", required=True),
    "unshrink.output": Option("-o, --output DENSE", "output path", required=True),
    "format": Option(
        "--format",
        "as OUT ends, else as FILE; torch writes the container that was opened; resumable takes "
        "its container from OUT",
        choices=_format_names,
    ),
    "verify.format": Option(
        "--format",
        "export format; default: from the metadata, else from name and size",
        choices=_format_names,
    ),
    "replace_original": Option(
        "--replace-original",
        "if OUT is FILE: do not keep a backup of the original; cannot be undone",
    ),
    "follow_links": Option("--follow-links", "if OUT is a link: write to its target"),
    "omit": Option(
        "--omit NAME",
        "exclude a tensor that cannot be read (a shard of a DTensor, one on the meta device), "
        "which stops the export otherwise; a name or a glob, case-sensitive, * crosses dots; may "
        "be repeated",
        repeat=True,
    ),
    "verify.omit": Option(
        "--omit NAME",
        "a tensor that was omitted on purpose, for a file without metadata: a name or a glob; "
        "may be repeated",
        repeat=True,
    ),
    "report": Option(
        "--report FILE",
        "write a report: .html (page), .csv (table of tensors) or .json (all data); may be "
        "repeated",
        repeat=True,
    ),
    "overwrite": Option("--overwrite", "replace existing files by reports"),
    "comparison_script": Option(
        "--comparison-script FILE",
        "write a Python script that compares the outputs of your model before and after pruning; "
        "an existing file is not replaced, a new name is chosen",
    ),
    # Verification of repairs.
    "recompute": Option(
        "--recompute STATS",
        "also compute repairs again, by this statistics file with Gram matrices, and compare the "
        "values",
    ),
    "unpruned": Option(
        "--unpruned MODEL",
        "with --recompute: the model before it was pruned, if ORIGINAL is the pruned one",
    ),
    "tolerance": Option(
        "--tolerance T",
        "with --recompute: how far values may be off, relative to their norm; default 0.001",
        default=0.001,
    ),
    # Scripts that evaluate or calibrate.
    "script": Option("--script SCRIPT", "Python file that evaluates; it is run"),
    "repair.script": Option("--script SCRIPT", "Python file that calibrates ORIGINAL; it is run"),
    "recover.script": Option(
        "--script SCRIPT", "Python file that calibrates ORIGINAL, or trains FILE; it is run"
    ),
    "run.script": Option(
        "--script SCRIPT",
        "Python file that calibrates; it is run to collect statistics of activations of the "
        "checkpoint, if the recipe ranks weights by them, and to recover and measure the model "
        "after each round, if a schedule of the recipe does",
    ),
    "statistics.script": Option("--script SCRIPT", "Python file that calibrates; it is run"),
    "command_line": Option(
        "--command COMMAND",
        "command line that evaluates {checkpoint} and prints a JSON object or a number, or writes "
        "it to {out}",
        dest="command_line",
    ),
    **{
        f"{higher}_is_better": Option(
            f"--{higher}-is-better NAME[,NAME]",
            f"with --command: metrics whose {higher} values are better, if their names do not "
            "show it",
            repeat=True,
        )
        for higher in ("higher", "lower")
    },
    "text": Option(
        "--text TEXT",
        "without a script: perplexity over this text, or of an encoder the agreement with the "
        f"original on its lines; {_TEXT}; with no script, command or text: agreement with the "
        "original on random token IDs, or of an ONNX model on seeded inputs (see --size)",
    ),
    **{
        f"{command}.text": Option(
            "--text TEXT",
            "without a script: run this text; ORIGINAL is a model folder that transformers loads; "
            "with neither script nor text: random token IDs",
        )
        for command in ("repair", "recover")
    },
    "run.text": Option("--text TEXT", f"without a script: run this text; {_TEXT}"),
    "statistics.text": Option(
        "--text TEXT",
        f"without a script: run this text; {_TEXT}; with neither script nor text: random token IDs",
    ),
    "images": Option(
        "--images FOLDER",
        "without a script: the accuracy on these images, if there is a subfolder for each class, "
        f"or the agreement with the original; {_IMAGES}",
    ),
    **{
        f"{command}.images": Option(
            "--images FOLDER", f"without a script: run these images; {_IMAGES}"
        )
        for command in ("run", "statistics", "repair", "recover")
    },
    "at_most": Option(
        "--at-most D",
        "with --against: exit 1 if any metric is worse by more than D, in its own unit (0.01) or "
        "relative to the original (1%)",
    ),
    "script_seed": Option("--script-seed SEED", "'seed' of the script, default 0", default=0),
    "python": Option(
        "--python PYTHON",
        "interpreter for the script, 3.9 or newer with torch, or for ONNX models onnxruntime; "
        "default: .venv next to the script, its PEP 723 header (with uv), the active conda or "
        "virtual environment, Pruneapp's",
    ),
    "size": Option(
        "--size NAME=SIZE",
        "size of the seeded inputs of an ONNX model that is run without a script, where the model "
        "leaves it open, such as batch=1; may be repeated",
        repeat=True,
    ),
    "samples": Option(
        "--samples N",
        "maximum number of samples: 'limit' of the functions of the script that have it",
        type=int,
    ),
    "recover.samples": Option(
        "--samples N",
        "use the first N samples of calibrate; also its 'limit' if it has this parameter",
        type=int,
    ),
    "time_limit": Option(
        "--time-limit SECONDS",
        "stop a call of the script after this many seconds; default: never",
        type=float,
    ),
    "script_device": Option(
        "--device DEVICE",
        "'device' of the script; default: the fastest available to torch",
        default="",
    ),
    # Statistics of activations.
    "statistics": Option(
        "--statistics STATS",
        "statistics of activations of the checkpoint, if the recipe ranks weights by them; may be "
        "repeated, the one that belongs to the checkpoint is used",
        repeat=True,
    ),
    "repair.statistics": Option(
        "--statistics STATS", "statistics file with Gram matrices of the inputs of layers"
    ),
    "shrink.statistics": Option(
        "--statistics STATS", "statistics of activations, for --by wanda and --by flap"
    ),
    "force_statistics": Option(
        "--force-statistics",
        "use statistics of activations that were collected with another checkpoint",
    ),
    "save_statistics": Option(
        "--save-statistics STATS",
        "keep the statistics that are collected in this file; pruneapp verify needs it",
    ),
    "imatrix": Option(
        "--from IMATRIX",
        "convert an imatrix of llama.cpp (.gguf, .dat) that was made with this model",
        dest="imatrix",
    ),
    "gram": Option(
        "--gram",
        "also sum the products of any two inputs, which repairs need; large: the square of the "
        "inputs of each weight",
    ),
    "gram_memory": Option(
        "--gram-memory SIZE",
        "memory for Gram matrices in one run of the script, default 4GiB; it runs as often as "
        "needed",
    ),
    "seed": Option("--seed SEED", "'seed' of the script, default 0", default=0),
    # Repairs.
    "iterations": Option(
        "--iterations N", "iterations of conjugate gradients; default 10", default=10
    ),
    "damping": Option(
        "--damping D",
        "added to the diagonal of each Gram matrix, relative to its mean; default 0.01",
        default=0.01,
    ),
    "keep_norm_statistics": Option(
        "--keep-norm-statistics",
        "do not change the running variances of norms; by default they are scaled like the "
        "variances of the outputs of repaired layers",
    ),
    "sequential": Option(
        "--sequential",
        "collect the inputs of each layer after the layers before it are repaired, and repair it "
        "for the outputs of the unpruned model; calibrates once more for each layer",
    ),
    # Recoveries.
    "train": Option(
        "--train",
        "call train(model) of the script with pruned weights held at zero, instead of training for "
        "the outputs of ORIGINAL",
    ),
    "steps": Option("--steps N", f"steps of the whole model; default {_STEPS}", default=_STEPS),
    "windows": Option(
        "--no-windows", "do not train each block on its own first", dest="no_windows"
    ),
    "learning_rate": Option(
        "--lr LR", "largest learning rate; default: chosen by short trials of three", type=float
    ),
    "no_repair": Option(
        "--no-repair",
        "do not begin with a sequential repair, as is done if the weights were not repaired before",
    ),
    "trains": Option(
        "--trains WHAT",
        "what is trained in the whole model: all weights, lora (low-rank changes of the remaining "
        "weights), norms (norms and biases); default: auto, the first that fits into memory",
        choices=("auto", "all", "lora", "norms"),
        default="auto",
    ),
    "restart": Option(
        "--restart", "do not continue an earlier run of the same command that was ended"
    ),
    "even_if_worse": Option(
        "--even-if-worse",
        "write the result even if a metric of the script is worse by more than the noise",
    ),
    # Sensitivity scans.
    "amounts": Option(
        "--amounts LIST",
        "fractions of each tensor, with commas between them; default 30%,50%,70%,85%,95%",
        default="30%,50%,70%,85%,95%",
    ),
    "repair": Option(
        "--repair STATS",
        "repair each tensor by this statistics file with Gram matrices before the model is "
        "measured",
    ),
    "points": Option(
        "--points LIST",
        "sparsities of the selected tensors together, with commas between them; default "
        "50%,70%,80%,90%,95%",
        default="50%,70%,80%,90%,95%",
    ),
    "recover_by": Option(
        "--recover",
        "how each point is recovered: distillation, for the outputs of FILE on the inputs of "
        "calibrate; training, by train of the script; no, only pruned; default distillation",
        choices=("distillation", "training", "no"),
        default="distillation",
        dest="recover_by",
    ),
    "frontier.steps": Option(
        "--steps N", f"steps of the distillation of each point; default {_STEPS}", default=_STEPS
    ),
    "frontier.metric": Option(
        "--metric NAME", "metric of the table; default: the first; the file has all"
    ),
    "scan": Option("SCAN", "scan file of pruneapp scan"),
    "target_sparsity": Option(
        "--target-sparsity TARGET_SPARSITY",
        "sparsity of all scanned tensors together: a fraction of their weights, or a number of "
        "weights; met exactly",
        required=True,
    ),
    "metric": Option(
        "--metric NAME",
        "metric by which the loss is measured; default: the first that is better if lower, or "
        "the first",
    ),
    "min_sparsity": Option("--min-sparsity [PATTERN=]SHARE", f"minimum {_BOUND}", repeat=True),
    "max_sparsity": Option("--max-sparsity [PATTERN=]SHARE", f"maximum {_BOUND}", repeat=True),
    # What is cut out of a model.
    "dead": Option(
        "--dead",
        "remove only units without effect, so that the model computes the same; the default "
        "without other options",
    ),
    "ffn": Option("--ffn SHARE", "remove this share of the FFN neurons: 30%"),
    "channels": Option(
        "--channels SHARE",
        "remove this share of every group of channels: of an ONNX model, a program of "
        "torch.export, or known blocks of a network",
    ),
    "kv_groups": Option(
        "--kv-groups N", "keep N key/value heads, each with its query heads", type=int
    ),
    "query_heads": Option("--query-heads N", "keep N query heads", type=int),
    "layers": Option("--layers LIST", "remove these layers, numbered from 0: 1, or 20-22,24"),
    "experts": Option("--experts N", "keep N experts of each layer", type=int),
    "vocabulary": Option(
        "--vocabulary trailing|FILE",
        "remove the rows after the tokenizer's last token, which no text uses; or keep the tokens "
        "whose ids a file lists",
    ),
    "vocabulary_of": Option(
        "--vocabulary-of TEXT",
        "keep the tokens that these texts use, and those that they are merged from: exact for "
        "these texts (needs pruneapp[tokenizers])",
        nargs="+",
    ),
    "by": Option(
        "--by l1|l2|mean|wanda|flap|FILE",
        "how units are ranked: by a norm over all their weights, by their inputs with "
        "--statistics, or by a safetensors file: statistics, which rank by wanda, or a vector of "
        "scores for each group; default l2",
        default="l2",
    ),
    "multiple": Option(
        "--multiple N",
        "round the number of remaining units up to a multiple of N; default: that of the last "
        "pruning step that FILE records in its metadata, else 64 for neurons, 16 for 32 or more "
        "channels of an ONNX model, 8 for other channels",
        type=int,
    ),
    "shrink.check": Option(
        "--check",
        "how the result is verified, in addition to inserting zeros, which is always done: shapes "
        "only (default); meta: the class of transformers is built with these shapes; run: the "
        "model is run, and its outputs are compared with those of the model with zeros. A model "
        "that fails is not written",
        choices=("shapes", "meta", "run"),
        default="shapes",
    ),
    "shrink.python": Option(
        "--python PATH", "the Python interpreter with transformers, for --check"
    ),
    "write_as": Option(
        "--write-as TYPE",
        "write another model type that computes the same and takes any number of heads: llama as "
        "mistral",
    ),
    # The window.
    "new_instance": Option(
        "--new-instance", "start a new process even if Pruneapp is already running"
    ),
    "version": Option("--version", "show the versions of Pruneapp, Python, Qt and torch, and exit"),
    "reset": Option("--reset", "reset all settings; the previous ones are kept in a file"),
}


def param_option(name: str, kind: str, text: str) -> Option:
    """Return the option of a parameter with the help `text`.

    Its value is stored as ``{kind}_{name}``. The value is not parsed.
    """
    flag = option_of(name)
    return Option(
        f"{flag} {flag.strip('-').replace('-', '_').upper()}", text, dest=f"{kind}_{name}"
    )


def _parameters(
    declared: Iterable[Method | Format], kind: str, leave_out: Collection[str] = ()
) -> Iterator[Option]:
    """Yield an option per parameter name; its help has the meaning for each method or format.

    `kind` is the prefix of the stored value, and `leave_out` are names to skip. Parameters of the
    same name and help are described once.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for each in declared:
        for param in each.params:
            if param.name not in leave_out:
                users = found.setdefault(param.name, {}).setdefault(param_help(param), [])
                users.append(each.name)
    for name, meanings in found.items():
        texts = (f"{text} For {', '.join(users)}." for text, users in meanings.items())
        yield param_option(name, kind, " ".join(texts))


def _method_parameters() -> Iterator[Option]:
    from pruneapp.methods.registry import METHODS

    return _parameters(METHODS.values(), "param")


def _scan_parameters() -> Iterator[Option]:
    from pruneapp.methods.registry import METHODS

    return _parameters((m for m in METHODS.values() if m.has_amount), "param", {"amount"})


def _format_parameters() -> Iterator[Option]:
    from pruneapp.export.catalog import FORMATS

    return _parameters(FORMATS.values(), "export")


def _shrunk_dtype() -> Iterator[Option]:
    from pruneapp.export.rounding import DTYPE

    text = param_help(DTYPE) + " Not for files that contain their graph (.onnx, .pt2)."
    yield param_option(DTYPE.name, "export", text)


def _limits(*names: str) -> Iterator[Option]:
    """Yield the options of the limits `names`, or of all limits without names."""
    from pruneapp.methods.limits import LIMITS

    for param in LIMITS:
        if not names or param.name in names:
            more = " Or the maximum size of the compact file: 40MB." * (
                param.name == "target_sparsity"
            )
            yield param_option(param.name, "limit", param_help(param) + more)


def _method() -> Iterator[Option]:
    from pruneapp.methods.registry import METHODS

    yield Option("--method NAME", "one of: " + ", ".join(METHODS), required=True)


GENERATED: Mapping[str, Callable[[], Iterator[Option]]] = {
    "prune.method": _method,
    "prune.method_parameters": _method_parameters,
    "scan.method_parameters": _scan_parameters,
    "frontier.method_parameters": _scan_parameters,
    "prune.limits": _limits,
    "scan.limits": lambda: _limits("exclude"),
    "frontier.limits": lambda: _limits("exclude"),
    "format_parameters": _format_parameters,
    "shrink.dtype": _shrunk_dtype,
}


def options_of(command: str, names: Sequence[str]) -> Iterator[tuple[str, Option]]:
    """Yield options of a command with their names: those declared for it, or for all commands.

    In the order of `names`; a name in `GENERATED` yields several options. Raises `KeyError` for an
    unknown name.
    """
    for name in names:
        own = f"{command}.{name}"
        key = own if own in OPTIONS or own in GENERATED else name
        for option in GENERATED[key]() if key in GENERATED else (OPTIONS[key],):
            yield name, option


def option_of(name: str) -> str:
    """Return the option of a parameter as the help and messages show it."""
    return f"--{name.replace('_', '-')}"


def with_option_names(sentence: str, options: argparse.Namespace) -> str:
    """Replace names of parameters in the sentence of an error by the corresponding options.

    Only a name in quotes at the beginning of the sentence. Advice to uncheck tensors becomes advice
    to use --select.
    """
    for key in vars(options):
        name = key.partition("_")[2] if key.startswith(("param_", "limit_", "export_")) else key
        sentence = re.sub(rf"^'(?:--)?{re.escape(name)}' ", f"{option_of(name)} ", sentence)
    return re.sub(
        r"Uncheck (it|that tensor|those tensors)\b", "Choose other tensors with --select", sentence
    )


def param_help(param: Param) -> str:
    """Return the help text of a parameter."""
    from pruneapp.params import FileParam

    if isinstance(param, FileParam):  # the command line takes a path
        return param.help
    return f"{param.help} Must be {param.describe()}."


def parameter_values(
    options: argparse.Namespace, kind: str, params: Iterable[Param], owner: str = ""
) -> dict[str, Any]:
    """Return the values of parameters that were given as options, by name.

    Values are parsed, but of files the paths are returned; parameters that were not given are
    missing. `kind` is the prefix of the stored values. Raises `ParameterError` if a value is
    invalid, or `owner`, the words for a method or format, lacks the parameter.
    """
    from pruneapp.params import FileParam

    known = {param.name: param for param in params}
    given = {
        option.removeprefix(f"{kind}_"): text
        for option, text in vars(options).items()
        if option.startswith(f"{kind}_") and text is not None
    }
    for name in given:
        if name not in known:
            takes = ", ".join(map(option_of, known)) or "no parameters"
            raise ParameterError(f"{owner} does not take {option_of(name)} (it takes {takes}).")
    return {
        name: text if isinstance(known[name], FileParam) else known[name].parse(text)
        for name, text in given.items()
    }


# Options that are not supported on a cluster, with their subject for messages.
_UNSUPPORTED_ON_CLUSTER = {
    "mask": "Masks from a file",
    "importance_scores": "Importance scores",
    "load_method": "Custom methods",
    "report": "Reports",
    "recompute": "Repairs that are computed again",
}


@contextmanager
def connection(options: argparse.Namespace, job: Job) -> Iterator[Cluster]:
    """Connect to the cluster of the options for the block; print its dashboard in a terminal.

    Raises `ParameterError` for options that are not supported on a cluster, and what `connect`
    raises.
    """
    for name, what in _UNSUPPORTED_ON_CLUSTER.items():
        if getattr(options, name, None):
            raise ParameterError(
                f"{what} ({option_of(name)}) cannot be used on a cluster yet.",
                remedy="Leave them out, or run without --cluster.",
            )
    if getattr(options, "device", "auto") not in {"auto", "cpu"}:
        raise ParameterError(
            f"Workers of a cluster use the CPU (got --device {options.device}).",
            remedy="Remove --device.",
        )
    from pruneapp.cluster.connection import connect

    with connect(options.cluster, job) as cluster:
        if cluster.dashboard and sys.stderr.isatty():
            sys.stderr.write(f"Dashboard: {cluster.dashboard}\n")
        yield cluster


def refuse_cluster_options(options: argparse.Namespace) -> None:
    """Refuse options that need a cluster, or cannot be combined with one.

    Raises
    ------
    ParameterError
        For --resume without a cluster: only jobs on a cluster can be continued.
    ClusterError
        For --treat-zeros on a cluster.
    """
    if options.resume and not options.cluster:
        raise ParameterError(
            "--resume continues a job on a cluster, but no --cluster is given.",
            remedy="Specify the cluster, or remove --resume.",
        )
    if options.treat_zeros and options.cluster:
        raise ClusterError(
            "--treat-zeros counts the zeros of the file on this machine, and cannot be combined "
            "with --cluster.",
            remedy="Remove one of them.",
        )

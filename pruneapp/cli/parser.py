"""The parser of the command line. Many options come from the registries.

No large modules are imported for ``--help``, ``--version`` or the window.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, get_args

import pruneapp
from pruneapp.cli.arguments import (
    STATE_DICT,
    add_cluster,
    add_computing,
    add_force_statistics,
    add_load_method,
    add_option,
    add_param,
    add_state_dict,
    add_statistics,
    param_help,
)
from pruneapp.cli.terminal import EXIT_STATUS, USAGE_ERROR
from pruneapp.errors import abridged, escaped
from pruneapp.progress import CancelToken

_STATUS = (
    "Exit status: {}; 2 for errors that you can fix, 3 for a defect of Pruneapp, 130 if "
    "interrupted."
)
_CHECKPOINT = "a checkpoint: a file, an index, a model folder"
_MATCHING = (
    "tensors whose full name matches this glob (case-sensitive, * matches dots); may be repeated"
)
_USUAL = "all prunable tensors with two or more dimensions, except embeddings and norms"


def _add_file(parser: argparse.ArgumentParser, text: str = _CHECKPOINT) -> None:
    parser.add_argument("file", metavar="FILE", help=text)


def _add_select(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--select", action="append", metavar="PATTERN", help=text)


def _add_plugin(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="load what this installed package adds (methods, formats, families), which runs its "
        "code; may be repeated",
    )


def _add_inspect(inspect: argparse.ArgumentParser) -> None:
    _add_file(inspect)
    _add_select(inspect, f"list only {_MATCHING}; default: all tensors")
    inspect.add_argument(
        "--stats",
        action="store_true",
        help="read the weights: zeros, NaN, minimum, maximum, L1 and L2 norm of each tensor",
    )
    add_cluster(inspect)
    add_state_dict(inspect)
    inspect.add_argument("--json", action="store_true", help="print JSON")


def _add_diff(diff: argparse.ArgumentParser) -> None:
    diff.add_argument("a", metavar="A", help=_CHECKPOINT)
    diff.add_argument("b", metavar="B", help="the other checkpoint")
    diff.add_argument(
        "pattern",
        nargs="*",
        metavar="PATTERN",
        help="only tensors whose full name matches this glob (case-sensitive, * matches dots)",
    )
    add_cluster(diff)
    diff.add_argument("--only-different", action="store_true", help="list only tensors that differ")
    diff.add_argument("--state-dict", metavar="KEY", help=f"in A: {STATE_DICT}")
    diff.add_argument("--other-state-dict", metavar="KEY", help="same for B")
    diff.add_argument("--json", action="store_true", help="print JSON")


def _add_check(check: argparse.ArgumentParser) -> None:
    _add_file(check)
    check.add_argument(
        "--pattern",
        required=True,
        metavar="N:M",
        help="at most N of every M weights are nonzero: 2:4, 4:8",
    )
    check.add_argument(
        "--dim",
        type=int,
        default=1,
        metavar="DIM",
        help="dimension along which groups lie; default 1, the input dimension",
    )
    _add_select(check, f"check {_MATCHING}; default: {_USUAL}")
    add_cluster(check)
    add_state_dict(check)
    check.add_argument("--json", action="store_true", help="print JSON")


def _add_listing(listing: argparse.ArgumentParser) -> None:
    listing.add_argument("--json", action="store_true", help="print JSON")


def _add_sizes(sizes: argparse.ArgumentParser) -> None:
    _add_file(sizes)
    sizes.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="output name, because the size of resumable depends on .pt or "
        ".safetensors; default: the suffix of the opened file",
    )
    add_state_dict(sizes)
    sizes.add_argument("--json", action="store_true", help="print JSON")


def _add_expand(expand: argparse.ArgumentParser) -> None:
    _add_file(expand, "a file in compact or zst format")
    expand.add_argument("-o", "--output", required=True, metavar="OUT", help="output path")


def _add_method_parameters(parser: argparse.ArgumentParser, *, scanned: bool = False) -> None:
    """Add the parameters of all methods.

    With `scanned`, only of scannable methods and without amounts.
    """
    from pruneapp.methods.registry import METHODS

    # One option per parameter name; its help lists the meaning for each method.
    declared: dict[str, dict[str, list[str]]] = {}
    for method in METHODS.values():
        for param in method.params:
            if scanned and (param.name == "amount" or not method.has_amount):
                continue
            users = declared.setdefault(param.name, {}).setdefault(param_help(param), [])
            users.append(method.name)
    for name, meanings in declared.items():
        help_text = " ".join(f"{text} For {', '.join(users)}." for text, users in meanings.items())
        add_param(parser, name, "param", help_text)


def _add_treat_zeros(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--treat-zeros",
        action="store_true",
        help="count the zeros of the file as pruned first, so that amounts apply to the other "
        "weights",
    )


def _add_prune(prune: argparse.ArgumentParser) -> None:
    from pruneapp.cli.export_options import add_export
    from pruneapp.methods.limits import LIMITS
    from pruneapp.methods.method import Scope
    from pruneapp.methods.registry import METHODS

    _add_file(prune)
    prune.add_argument("-o", "--output", required=True, metavar="OUT", help="output path")
    prune.add_argument(
        "--method", required=True, metavar="NAME", help="one of: " + ", ".join(METHODS)
    )
    _add_method_parameters(prune)
    for param in LIMITS:
        more = " Or the maximum size of the compact file: 40MB." * (param.name == "total")
        add_param(prune, param.name, "limit", param_help(param) + more)
    prune.add_argument(
        "--scope",
        choices=get_args(Scope),
        help="local: each tensor separately; global: one threshold for all tensors; "
        "default local, or global for methods that support only that",
    )
    add_option(
        prune,
        "companions",
        action="store_true",
        help="also prune the matching entries of the bias and the following norm layer "
        "of channels pruned along dim 0; otherwise a pruned filter still outputs a "
        "constant",
    )
    add_option(
        prune,
        "dependents",
        action="store_true",
        help="also prune everything that depends on the pruned channels, in the tensors where "
        "that is known: columns of the next layer, biases, norms",
    )
    _add_select(prune, f"prune {_MATCHING}; includes biases and norms; default: {_USUAL}")
    add_state_dict(prune)
    _add_treat_zeros(prune)
    add_force_statistics(prune)
    prune.add_argument("--mask", metavar="FILE", help="masks for custom_from_mask")
    prune.add_argument(
        "--importance-scores",
        metavar="FILE",
        help="importance scores to rank weights by, instead of their magnitude",
    )
    add_computing(prune)
    add_cluster(prune, resume=True)
    add_export(prune)
    prune.add_argument(
        "--save-recipe",
        metavar="RECIPE",
        help="save the step as a recipe, for pruneapp run and the window",
    )
    prune.add_argument("--json", action="store_true", help="print the report as JSON")


def _add_run(run: argparse.ArgumentParser) -> None:
    from pruneapp.cli.export_options import add_export

    run.add_argument(
        "recipe", metavar="RECIPE", help="a recipe saved by the window or by pruneapp prune"
    )
    _add_file(run)
    run.add_argument("-o", "--output", metavar="OUT", help="output path")
    run.add_argument(
        "--check",
        action="store_true",
        help="write nothing; show the tensors that the recipe selects, and all problems",
    )
    add_state_dict(run)
    _add_treat_zeros(run)
    kind = run.add_mutually_exclusive_group()
    add_statistics(kind)
    kind.add_argument(
        "--script",
        metavar="SCRIPT",
        help="Python file that calibrates; it is run to collect statistics of activations of the "
        "checkpoint, if the recipe ranks weights by them",
    )
    kind.add_argument(
        "--text",
        metavar="TEXT",
        help="without a script: run this text; FILE is a model folder that transformers loads",
    )
    _add_images(kind, "run these images")
    add_force_statistics(run)
    run.add_argument(
        "--save-statistics",
        metavar="STATS",
        help="keep the statistics that are collected in this file; pruneapp verify needs it",
    )
    _add_gram_memory(run)
    _add_interpreter(run)
    add_computing(run)
    add_cluster(run, resume=True)
    add_export(run)
    run.add_argument("--json", action="store_true", help="print the report as JSON")


def _add_verify(verify: argparse.ArgumentParser) -> None:
    from pruneapp.export.catalog import FORMATS

    _add_file(verify, "the exported file or folder")
    verify.add_argument(
        "--against", required=True, metavar="ORIGINAL", help="the original checkpoint"
    )
    verify.add_argument(
        "--recipe",
        metavar="RECIPE",
        help="recipe to verify, instead of the one in the metadata; required if the file does not "
        "contain one (torch formats cannot), or if its masks are too large for the metadata",
    )
    add_state_dict(verify)
    add_statistics(verify)
    add_force_statistics(verify)
    add_computing(verify)
    add_cluster(verify)
    verify.add_argument(
        "--format",
        choices=list(FORMATS),
        help="export format; default: from the metadata, else from name and size",
    )
    verify.add_argument(
        "--omit",
        action="append",
        default=[],
        metavar="NAME",
        help="a tensor that was left out by choice, for a file that does not say it: a name or a "
        "glob; may be repeated",
    )
    verify.add_argument(
        "--recompute",
        metavar="STATS",
        help="also compute repairs again, by this statistics file with Gram matrices, and compare "
        "the values",
    )
    verify.add_argument(
        "--unpruned",
        metavar="MODEL",
        help="with --recompute: the model before it was pruned, if ORIGINAL is the pruned one",
    )
    verify.add_argument(
        "--tolerance",
        type=float,
        default=0.001,
        metavar="T",
        help="with --recompute: how far values may be off, relative to their norm; default 0.001",
    )
    verify.add_argument("--json", action="store_true", help="print JSON")


def _add_evaluate(evaluate: argparse.ArgumentParser) -> None:
    _add_file(evaluate)
    _add_evaluation(evaluate)
    evaluate.add_argument("--against", metavar="ORIGINAL", help="the original checkpoint")
    evaluate.add_argument(
        "--at-most",
        metavar="D",
        help="with --against: exit 1 if any metric is worse by more than D, in its own unit (0.01) "
        "or relative to the original (1%%)",
    )
    _add_script_seed(evaluate)
    _add_running(evaluate)


def _add_evaluation(parser: argparse.ArgumentParser) -> None:
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--script", metavar="SCRIPT", help="Python file that evaluates; it is run")
    kind.add_argument(
        "--command",
        dest="command_line",
        metavar="COMMAND",
        help="command line that evaluates {checkpoint} and prints a JSON object or a number, or "
        "writes it to {out}",
    )
    for higher in ("higher", "lower"):
        parser.add_argument(
            f"--{higher}-is-better",
            action="append",
            default=[],
            metavar="NAME[,NAME]",
            help=f"with --command: metrics whose {higher} values are better, where their names do "
            "not tell",
        )
    data = parser.add_mutually_exclusive_group()
    data.add_argument(
        "--text",
        metavar="TEXT",
        help="without a script: perplexity over this text, or of an encoder the agreement with the "
        "original on its lines; FILE is a model folder that transformers loads; with no script, "
        "command or text: agreement with the original on random token ids, or of an ONNX model on "
        "seeded inputs (see --size)",
    )
    _add_images(
        data,
        "the accuracy on these images, if there is a subfolder for each class, or the agreement "
        "with the original",
    )


def _add_images(parser: argparse._ActionsContainer, help_: str) -> None:
    parser.add_argument(
        "--images",
        metavar="FOLDER",
        help=f"without a script: {help_}; FILE is an image classifier of torchvision or timm",
    )


def _add_running(parser: argparse.ArgumentParser) -> None:
    """Add options of commands that run a script."""
    _add_interpreter(parser)
    parser.add_argument(
        "--device", default="", help="'device' of the script; default: the fastest that torch has"
    )
    add_state_dict(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_interpreter(parser: argparse.ArgumentParser) -> None:
    """Add options for the interpreter of a script, its inputs and its time limit."""
    parser.add_argument(
        "--python",
        metavar="PYTHON",
        help="interpreter for the script, 3.9 or newer with torch, or for ONNX models onnxruntime; "
        "default: .venv beside the script, its PEP 723 header (with uv), the active conda or "
        "virtual environment, Pruneapp's",
    )
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="NAME=SIZE",
        help="size of the seeded inputs of an ONNX model that is run without a script, where the "
        "model leaves it open, such as batch=1; may be repeated",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="'limit' of the script")
    parser.add_argument(
        "--time-limit",
        type=float,
        metavar="SECONDS",
        help="stop a call of the script after this many seconds; default: never",
    )


def _add_statistics(statistics: argparse.ArgumentParser) -> None:
    _add_file(statistics)
    kind = statistics.add_mutually_exclusive_group()
    kind.add_argument("--script", metavar="SCRIPT", help="Python file that calibrates; it is run")
    kind.add_argument(
        "--from",
        dest="imatrix",
        metavar="IMATRIX",
        help="convert an imatrix of llama.cpp (.gguf, .dat) that was made with this model",
    )
    kind.add_argument(
        "--text",
        metavar="TEXT",
        help="without a script: run this text; FILE is a model folder that transformers loads; "
        "with neither script nor text: random token ids",
    )
    _add_images(kind, "run these images")
    statistics.add_argument("-o", "--output", required=True, metavar="STATS", help="output path")
    statistics.add_argument(
        "--gram",
        action="store_true",
        help="also sum the products of any two inputs, which repairs need; large: the square of "
        "the inputs of each weight",
    )
    _add_gram_memory(statistics)
    _add_running(statistics)


def _add_gram_memory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--gram-memory",
        metavar="SIZE",
        help="memory for Gram matrices in one run of the script, default 4GiB; it runs as often as "
        "needed",
    )
    parser.add_argument("--seed", type=int, default=0, help="'seed' of the script, default 0")


def _add_repair(repair: argparse.ArgumentParser) -> None:
    from pruneapp.cli.export_options import add_export

    _add_file(repair, "a pruned checkpoint")
    repair.add_argument(
        "--against", required=True, metavar="ORIGINAL", help="the checkpoint before it was pruned"
    )
    kind = repair.add_mutually_exclusive_group()
    kind.add_argument(
        "--statistics",
        metavar="STATS",
        help="statistics file with Gram matrices of the inputs of layers",
    )
    add_force_statistics(repair)
    kind.add_argument(
        "--script", metavar="SCRIPT", help="Python file that calibrates ORIGINAL; it is run"
    )
    kind.add_argument(
        "--text",
        metavar="TEXT",
        help="without a script: run this text; ORIGINAL is a model folder that transformers loads; "
        "with neither script nor text: random token ids",
    )
    _add_images(kind, "run these images")
    _add_gram_memory(repair)
    repair.add_argument("-o", "--output", required=True, metavar="OUT", help="output path")
    repair.add_argument(
        "--iterations",
        type=int,
        default=10,
        metavar="N",
        help="iterations of conjugate gradients; default 10",
    )
    repair.add_argument(
        "--damping",
        type=float,
        default=0.01,
        metavar="D",
        help="added to the diagonal of each Gram matrix, relative to its mean; default 0.01",
    )
    repair.add_argument(
        "--keep-norm-statistics",
        action="store_true",
        help="do not change the running variances of norms; by default they change as those of "
        "the outputs "
        "of repaired layers do",
    )
    repair.add_argument(
        "--sequential",
        action="store_true",
        help="collect the inputs of each layer after the layers before it are repaired, and repair "
        "it for the outputs of the unpruned model; calibrates once more for each layer",
    )
    _add_select(repair, f"repair only {_MATCHING}; default: all pruned layers with statistics")
    add_export(repair)
    repair.add_argument("--save-recipe", metavar="RECIPE", help="save the steps as a recipe")
    _add_running(repair)


def _add_shrink(shrink: argparse.ArgumentParser) -> None:
    _add_file(shrink, "the folder of a model that transformers loads")
    shrink.add_argument(
        "--list",
        action="store_true",
        help="list what can be cut and how far, or why not; writes nothing",
    )
    shrink.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="a folder that does not exist yet, or a file: .onnx of an ONNX model, .pt2 of a "
        "program, .safetensors or .pt of a state dict without config.json",
    )
    shrink.add_argument(
        "--dead",
        action="store_true",
        help="cut only what does nothing, so that the model computes the same; the default"
        " without other options",
    )
    shrink.add_argument("--ffn", metavar="SHARE", help="cut this share of the FFN neurons: 30%%")
    shrink.add_argument(
        "--channels",
        metavar="SHARE",
        help="cut this share of every group of channels: of an ONNX model, a program of "
        "torch.export, or known blocks of a network",
    )
    shrink.add_argument(
        "--kv-groups",
        type=int,
        metavar="N",
        help="keep N key/value heads, each with its query heads",
    )
    shrink.add_argument("--query-heads", type=int, metavar="N", help="keep N query heads")
    shrink.add_argument(
        "--layers", metavar="LIST", help="remove these layers, numbered from 0: 1, or 20-22,24"
    )
    shrink.add_argument("--experts", type=int, metavar="N", help="keep N experts of each layer")
    tokens = shrink.add_mutually_exclusive_group()
    tokens.add_argument(
        "--vocabulary",
        metavar="trailing|FILE",
        help="cut the rows behind the tokenizer's last token, which no text uses; or keep the "
        "tokens whose ids a file lists",
    )
    tokens.add_argument(
        "--vocabulary-of",
        nargs="+",
        metavar="TEXT",
        help="keep the tokens that these texts use, and what they are made of: exact for these "
        "texts (needs pruneapp[tokenizers])",
    )
    shrink.add_argument(
        "--by",
        default="l2",
        metavar="l1|l2|mean|wanda|flap|FILE",
        help="what units are ranked by: a norm over all their weights, their inputs with "
        "--statistics, or a safetensors file: statistics, which rank by wanda, or a vector of "
        "scores for each group; default l2",
    )
    shrink.add_argument(
        "--statistics",
        metavar="STATS",
        help="statistics of activations, for --by wanda and --by flap",
    )
    add_force_statistics(shrink)
    shrink.add_argument(
        "--multiple",
        type=int,
        metavar="N",
        help="round the units that stay up to a multiple of N; default: that of the last pruning "
        "step that FILE records in its metadata, else 64 for neurons, 16 for 32 or more channels "
        "of an ONNX model, 8 for other channels",
    )
    shrink.add_argument(
        "--check",
        choices=("shapes", "meta", "run"),
        default="shapes",
        help="how the cut is verified, besides putting zeros back, which is always done: shapes "
        "alone (default); meta: its class in transformers is built with them; run: it is run, and "
        "its outputs are compared with those of the model with zeros. A model that fails is not "
        "put in place",
    )
    shrink.add_argument(
        "--python", metavar="PATH", help="the Python that has transformers, for --check"
    )
    shrink.add_argument(
        "--write-as",
        metavar="TYPE",
        help="write another model type that computes the same and takes any number of heads: "
        "llama as mistral",
    )
    shrink.add_argument("--json", action="store_true", help="print JSON")


def _add_unshrink(unshrink: argparse.ArgumentParser) -> None:
    _add_file(unshrink, "a folder that `pruneapp shrink` wrote")
    unshrink.add_argument(
        "--against", required=True, metavar="MODEL", help="the model that it was cut out of"
    )
    unshrink.add_argument("-o", "--output", required=True, metavar="DENSE", help="output path")
    unshrink.add_argument("--json", action="store_true", help="print JSON")


def _add_scan(scan: argparse.ArgumentParser) -> None:
    from pruneapp.methods.limits import LIMITS

    _add_file(scan)
    _add_evaluation(scan)
    scan.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="SCAN",
        help="scan file; an existing one is continued",
    )
    scan.add_argument(
        "--method",
        default="l1_unstructured",
        metavar="NAME",
        help="a method with an amount of weights or channels; default l1_unstructured",
    )
    _add_method_parameters(scan, scanned=True)
    scan.add_argument(
        "--amounts",
        default="30%,50%,70%,85%,95%",
        metavar="LIST",
        help="fractions of each tensor, with commas between them; default 30%%,50%%,70%%,85%%,95%%",
    )
    scan.add_argument(
        "--repair",
        metavar="STATS",
        help="repair each tensor by this statistics file with Gram matrices before the model is "
        "measured",
    )
    add_force_statistics(scan)
    _add_select(scan, f"scan {_MATCHING}; default: {_USUAL}")
    for param in LIMITS:
        if param.name == "spare":
            add_param(scan, param.name, "limit", param_help(param))
    add_load_method(scan)
    _add_script_seed(scan)
    _add_running(scan)


def _add_script_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--script-seed", type=int, default=0, metavar="SEED", help="'seed' of the script, default 0"
    )


def _add_allocate(allocate: argparse.ArgumentParser) -> None:
    allocate.add_argument("scan", metavar="SCAN", help="scan file of pruneapp scan")
    allocate.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="the scanned checkpoint; required only if the result is measured",
    )
    allocate.add_argument(
        "--target-sparsity",
        "--total",
        dest="total",
        required=True,
        metavar="TARGET_SPARSITY",
        help="sparsity of all scanned tensors together: a fraction of their weights, or a number "
        "of weights; met exactly",
    )
    allocate.add_argument("-o", "--output", metavar="RECIPE", help="save the step as a recipe")
    allocate.add_argument(
        "--metric",
        metavar="NAME",
        help="metric whose damage counts; default: the first that is better if lower, or the first",
    )
    for name, word in (("floor", "minimum"), ("ceiling", "maximum")):
        add_option(
            allocate,
            name,
            action="append",
            default=[],
            metavar="[PATTERN=]SHARE",
            help=f"{word} sparsity of each tensor, or of those whose name matches this glob; may "
            "be repeated, the last one takes precedence",
        )
    _add_select(allocate, f"allocate only {_MATCHING}; default: all that were scanned")
    _add_evaluation(allocate)
    _add_script_seed(allocate)
    add_load_method(allocate, "the custom pruning method of the scan")
    add_statistics(allocate)
    add_force_statistics(allocate)
    _add_running(allocate)


Run = Callable[[argparse.Namespace, CancelToken], int]


def _run(options: argparse.Namespace, token: CancelToken) -> int:
    """Import and call the function of a command.

    Imported here, so that the help does not load it.
    """
    file = COMMANDS[options.command].file or options.command
    command: Run = getattr(importlib.import_module(f"pruneapp.cli.{file}"), options.command)
    return command(options, token)


@dataclass(frozen=True)
class Command:
    """Description, options and function of a command."""

    description: str
    add_options: Callable[[argparse.ArgumentParser], None]
    epilog: str = EXIT_STATUS
    intermixed: bool = False  # whether positional arguments may follow options
    file: str = ""  # module that contains the function, if it is not named after the command
    run: Run = _run


COMMANDS: Mapping[str, Command] = {
    "inspect": Command("List the tensors of a checkpoint.", _add_inspect),
    "diff": Command(
        "Compare the tensors of two checkpoints by value, independent of format and dtype; masks "
        "in a file are applied. Sorted by the norm of the difference relative to the norm in A.",
        _add_diff,
        _STATUS.format(
            "0 if all values are equal (NaN equals NaN, 0 equals -0), 1 if any differ, if a "
            "tensor is in one file only or has another shape"
        ),
        intermixed=True,
    ),
    "check": Command(
        "Check whether the weights of a checkpoint follow a pattern such as 2:4.",
        _add_check,
        _STATUS.format("0 if every tensor has it, 1 if any has not"),
    ),
    "methods": Command("List the pruning methods.", _add_listing),
    "plugins": Command(
        "List the installed packages that add methods, export formats, model families or file "
        "formats; runs none of their code. --plugin loads what one adds.",
        _add_listing,
        file="methods",
    ),
    "prune": Command("Prune a checkpoint and write the result.", _add_prune),
    "run": Command("Apply a recipe and write the result.", _add_run),
    "verify": Command(
        "Check that a file is the exact result of its recipe.",
        _add_verify,
        _STATUS.format("0 if the file is what its recipe makes, 1 if not"),
    ),
    "sizes": Command("Estimate the size of the export in each format.", _add_sizes),
    "expand": Command("Convert a compact or zst export to a dense file.", _add_expand),
    "evaluate": Command(
        "Run your evaluation script on a checkpoint, and on the original beside it. The script is "
        "a Python file with load(path) and evaluate(model); docs/measure.md describes it. It runs "
        "in a process of its own with your permissions: naming it here is consent to run it.",
        _add_evaluate,
        _STATUS.format(
            "0 measured; 1 if --at-most was given and a metric is worse by more than that"
        ).replace("that you can fix", "that you can fix, of the script too"),
    ),
    "scan": Command(
        "Sensitivity scan: prune one tensor at a time to several amounts, and run your evaluation "
        "script each time. Coarse to fine, the largest tensors first; after Ctrl+C the same "
        "command continues. The script runs in a process of its own with your permissions: "
        "naming it here is consent to run it.",
        _add_scan,
    ),
    "allocate": Command(
        "Choose the sparsity of each tensor by a sensitivity scan so that the model loses the "
        "least at a total sparsity: a recipe with one rule per tensor, for pruneapp run. With a "
        "script, measure the result.",
        _add_allocate,
        intermixed=True,
        file="scan",
    ),
    "statistics": Command(
        "Collect statistics of activations: sums over what is multiplied by each weight while the "
        "model runs. Methods such as Wanda rank weights by them. Your script is a Python file with "
        "load(path) and calibrate(model); docs/statistics.md describes it. It runs in a process of "
        "its own with your permissions: naming it here is consent to run it.",
        _add_statistics,
    ),
    "repair": Command(
        "Move the remaining weights of pruned layers so that the outputs of each layer come out as "
        "those of the original: least squares on the statistics of its inputs. Zeros of FILE stay "
        "zeros.",
        _add_repair,
    ),
    "shrink": Command(
        "Cut neurons, heads, experts and layers out of the folder of a model, so that it is "
        "smaller and faster where it is loaded: those that do nothing, and those that you name. "
        "Before the result is put in place, zeros are put back into it, and it is compared with "
        "the model.",
        _add_shrink,
    ),
    "unshrink": Command(
        "Put a shrunk model back into the shapes that it had, zeros where it was cut.",
        _add_unshrink,
        file="shrink",
    ),
}


class _Version(argparse.Action):
    """Print versions. They are determined only here, because git and package metadata are slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from pruneapp.installation import describe

        sys.stdout.write(f"pruneapp {describe(pruneapp.__version__)}\n")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """An argument parser that reports an error in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        text = abridged(escaped(_rewrite_message(message)))
        self.exit(USAGE_ERROR, f"{self.prog}: {text} (see {self.prog} --help)\n")

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """Return the options that an abbreviation matches, without hidden ones."""
        options: list[Any] = super()._get_option_tuples(option_string)
        return [one for one in options if one[0].help != argparse.SUPPRESS]

    def refuse_unknown(self, words: Sequence[str]) -> NoReturn:
        """Report an unknown option or argument, and exit with status 2."""
        option = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if option is None:
            self.error(f"unexpected argument '{words[0]}'")
        known: dict[str, str] = {}
        visible_flags: dict[str, str] = {}  # visible name of the option, by its destination
        for flag, action in self._option_string_actions.items():
            if action.help != argparse.SUPPRESS:
                visible_flags[action.dest] = known[flag.lstrip("-")] = flag
            else:
                known[flag.lstrip("-")] = visible_flags[action.dest]
        matches = difflib.get_close_matches(option.lstrip("-"), known, 1)
        hint = f"; did you mean {known[matches[0]]}?" if matches else ""
        self.error(f"unknown option {option}{hint}")


_CHOICE = re.compile(r"(?s)argument (\S+): invalid choice: '?(.*?)'? \(choose from (.*)\)")
_VALUE = re.compile(r"(?s)argument (\S+): invalid (int|float) value: (.*)")
_NO_VALUE = re.compile(r"argument (\S+): expected (?:one|at least one) argument")
_REQUIRED = "the following arguments are required: "


def _rewrite_message(message: str) -> str:
    """Rewrite a message of argparse like other messages: option, rule, value."""
    if match := _CHOICE.fullmatch(message):
        words = [word.strip().strip("'") for word in match[3].split(",")]
        matches = difflib.get_close_matches(match[2], words, 1)
        hint = f"; did you mean '{matches[0]}'?" if matches else ""
        return f"{_long(match[1])} must be one of {', '.join(words)} (got '{match[2]}'){hint}"
    if match := _VALUE.fullmatch(message):
        kind = "whole number" if match[2] == "int" else "number"
        return f"{_long(match[1])} must be a {kind} (got {match[3]})"
    if message.startswith("argument -h/--help: "):
        return "--help takes no value"
    if match := _NO_VALUE.fullmatch(message):
        return f"{_long(match[1])} needs a value"
    if message.startswith(_REQUIRED):
        missing = [_long(one) for one in message.removeprefix(_REQUIRED).split(", ")]
        missing = [one for one in missing if one != "PATTERN"]
        return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} required"
    return message


def _long(flags: str) -> str:
    return flags.rpartition("/")[2]


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the command line. `command` of the result is None for the window.

    Plugins are loaded first, because they add choices to options. Raises `PluginError` if one
    cannot be loaded.
    """
    if argv and (command := COMMANDS.get(argv[0])) is not None:
        first = Parser(prog=f"pruneapp {argv[0]}", add_help=False, allow_abbrev=False)
        _add_plugin(first)
        if names := first.parse_known_args(argv[1:])[0].plugin:
            from pruneapp.plugins import load_named

            load_named(names)
        parser = Parser(
            prog=f"pruneapp {argv[0]}", description=command.description, epilog=command.epilog
        )
        command.add_options(parser)
        _add_plugin(parser)
        known = (
            parser.parse_known_intermixed_args if command.intermixed else parser.parse_known_args
        )
        options, unknown = known(_merge_infinities(argv[1:]))
        if unknown:
            parser.refuse_unknown(unknown)
        options.command = argv[0]
        return options
    parser = _window()
    options, unknown = parser.parse_known_intermixed_args(argv)
    word = options.file[0] if options.file else ""
    if re.fullmatch(r"[\w-]+", word) and not os.path.lexists(word):
        matches = difflib.get_close_matches(word, COMMANDS, 1)
        hint = f"; did you mean '{matches[0]}'?" if matches else ""
        parser.error(f"no such command or file: '{word}'{hint}")
    if unknown:
        parser.refuse_unknown(unknown)
    if options.state_dict is not None and len(options.file) > 1:
        parser.error("--state-dict is for one file")
    options.command = None
    return options


def _merge_infinities(argv: Sequence[str]) -> list[str]:
    # argparse treats "-1" as a number, but "-inf" as an unknown option.
    merged: list[str] = []
    for word in argv:
        if word.lower() in {"-inf", "-infinity"} and merged and merged[-1].startswith("--"):
            merged[-1] += "=-inf"
        else:
            merged.append(word)
    return merged


def _window() -> Parser:
    parser = Parser(
        prog="pruneapp",
        description="Prune neural network checkpoints by pointing and clicking.",
        epilog="Commands that open no window: "
        + ", ".join(f"pruneapp {command}" for command in COMMANDS)
        + f"; each has its own --help. {EXIT_STATUS}",
    )
    parser.add_argument(
        "file",
        nargs="*",
        help="a checkpoint to open: a file, an index, a folder; each in a window of its own",
    )
    add_state_dict(parser)
    parser.add_argument(
        "--new-instance",
        action="store_true",
        help="start a new process even if Pruneapp is already running",
    )
    parser.add_argument(
        "--reset",
        action="store_true",
        help="reset all settings; the previous ones are kept in a file",
    )
    parser.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        help="show the versions of Pruneapp, Python, Qt and torch, and exit",
    )
    return parser

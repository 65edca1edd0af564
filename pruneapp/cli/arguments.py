"""Options that several commands have."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pruneapp.errors import ClusterError, ParameterError
from pruneapp.params import FileParam, Param
from pruneapp.progress import Job

if TYPE_CHECKING:
    from pruneapp.cluster.connection import Cluster

# Names of options that differ from the parameter. The parameter's name works as an option as well,
# but is not shown in the help.
SPELLINGS = {
    "floor": "min-sparsity",
    "ceiling": "max-sparsity",
    "total": "target-sparsity",
    "spare": "exclude",
    "companions": "prune-bias-and-norm",
    "shard_size": "max-shard-size",
    "level": "compression-level",
    "reader": "reader-script",
    "check_script": "comparison-script",
}

STATE_DICT = "state dict to use, if the file contains several"


def option_of(name: str) -> str:
    """Return the option of a parameter as the help and messages show it."""
    return f"--{SPELLINGS.get(name, name.replace('_', '-'))}"


def with_option_names(sentence: str, options: argparse.Namespace) -> str:
    """Replace names of parameters in the sentence of an error by the corresponding options."""
    for key in vars(options):
        name = key.partition("_")[2] if key.startswith(("param_", "limit_", "export_")) else key
        sentence = re.sub(rf"^'(?:--)?{re.escape(name)}' ", f"{option_of(name)} ", sentence)
    return re.sub(
        r"Uncheck (it|that tensor|those tensors)\b", "Choose other tensors with --select", sentence
    )


def add_option(parser: argparse.ArgumentParser, name: str, **more: Any) -> None:
    """Add the option of a parameter; `more` is passed to `argparse.ArgumentParser.add_argument`.

    If the option has another name than the parameter, that name is accepted as well (hidden).
    """
    dest = more.pop("dest", name)
    parser.add_argument(option_of(name), dest=dest, **more)
    if name in SPELLINGS:
        hidden = more | {"help": argparse.SUPPRESS, "default": argparse.SUPPRESS}
        parser.add_argument(f"--{name.replace('_', '-')}", dest=dest, **hidden)


def param_help(param: Param) -> str:
    """Return the help text of a parameter."""
    if isinstance(param, FileParam):  # the command line takes a path
        return param.help
    return f"{param.help} Must be {param.describe()}."


def add_param(parser: argparse.ArgumentParser, name: str, kind: str, text: str) -> None:
    """Add the option of a declared parameter; its value is stored as ``KIND_NAME``."""
    add_option(
        parser,
        name,
        dest=f"{kind}_{name}",
        metavar=option_of(name).strip("-").replace("-", "_").upper(),
        help=text.replace("%", "%%"),
    )


def add_state_dict(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects one of several state dicts."""
    parser.add_argument("--state-dict", metavar="KEY", help=STATE_DICT)


def add_statistics(parser: argparse._ActionsContainer) -> None:
    """Add the option for statistics files that steps of a recipe rank weights by."""
    parser.add_argument(
        "--statistics",
        action="append",
        default=[],
        metavar="STATS",
        help="statistics of activations of the checkpoint, if the recipe ranks weights by them; "
        "may be repeated, the one that belongs to the checkpoint is used",
    )


def add_force_statistics(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--force-statistics",
        action="store_true",
        help="use statistics of activations that were collected with another checkpoint",
    )


def add_load_method(
    parser: argparse.ArgumentParser, whose: str = "a custom pruning method"
) -> None:
    """Add the option for a Python file with a custom method."""
    parser.add_argument(
        "--load-method", metavar="FILE", help=f"Python file with {whose}; its code is run"
    )


def add_computing(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that compute masks: custom methods and the device."""
    from pruneapp.kernels.devices import KEYS

    add_load_method(parser)
    parser.add_argument(
        "--device",
        choices=KEYS,
        default="auto",
        help="device that ranks weights, default auto; the masks are the same on each",
    )


# Options that are not supported on a cluster, with their subject for messages.
_UNSUPPORTED_ON_CLUSTER = {
    "mask": "Masks from a file",
    "importance_scores": "Importance scores",
    "load_method": "Custom methods",
    "report": "Reports",
    "recompute": "Repairs that are computed again",
}


def add_cluster(parser: argparse.ArgumentParser, *, resume: bool = False) -> None:
    """Add the option for a cluster, and with `resume` the one to continue an interrupted job."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        default="",
        help="run on a Dask cluster: the address of its scheduler, tcp://HOST:8786, or local:N for "
        "N processes on this machine; the result is the same",
    )
    if resume:
        parser.add_argument(
            "--resume",
            action="store_true",
            help="with --cluster: continue where the same command stopped when its cluster was "
            "lost",
        )


@contextmanager
def connection(options: argparse.Namespace, job: Job) -> Iterator[Cluster]:
    """Connect to the cluster of the options. Raises `ParameterError` for unsupported options."""
    for name, what in _UNSUPPORTED_ON_CLUSTER.items():
        if getattr(options, name, None):
            raise ParameterError(
                f"{what} ({option_of(name)}) cannot be used on a cluster yet.",
                remedy="Leave them out, or run without --cluster.",
            )
    if getattr(options, "device", "auto") not in {"auto", "cpu"}:
        raise ParameterError(
            f"Workers of a cluster use the CPU (got --device {options.device}).",
            remedy="Leave out --device.",
        )
    from pruneapp.cluster.connection import connect

    with connect(options.cluster, job) as cluster:
        if cluster.dashboard and sys.stderr.isatty():
            sys.stderr.write(f"Dashboard: {cluster.dashboard}\n")
        yield cluster


def refuse_treat_zeros(options: argparse.Namespace) -> None:
    """Raise `ClusterError` if zeros are to be treated as pruned on a cluster."""
    if options.treat_zeros and options.cluster:
        raise ClusterError(
            "--treat-zeros counts the zeros of the file on this machine, and cannot be combined "
            "with --cluster.",
            remedy="Leave out one of them.",
        )


def refuse_resume(options: argparse.Namespace) -> None:
    """Raise `ParameterError` for --resume without a cluster: only cluster jobs can be continued."""
    if options.resume and not options.cluster:
        raise ParameterError(
            "--resume continues a job on a cluster, but no --cluster is given.",
            remedy="Name the cluster, or leave out --resume.",
        )

"""The commands of the command line, and the parser, which is made from `COMMANDS` and `OPTIONS`.

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
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NoReturn

import pruneapp
from pruneapp.cli import terminal
from pruneapp.cli.options import OPTIONS, options_of
from pruneapp.cli.terminal import EXIT_STATUS, USAGE_ERROR, Output
from pruneapp.errors import abridge_text, escape_text
from pruneapp.progress import CancelToken, Job

_STATUS = (
    "Exit status: {}; 2 for errors that you can fix, 3 for a bug in Pruneapp, 130 if interrupted."
)
# Options of commands that run an evaluation, run any script, and export.
_EVALUATION = "script command_line higher_is_better lower_is_better text images"
_EITHER_SCRIPT = ("script command_line", "text images")
_RUNNING = "python size samples time_limit script_device state_dict json"
_EXPORT = (
    "format format_parameters replace_original follow_links omit report overwrite comparison_script"
)


@dataclass(frozen=True)
class Command:
    """Description and options of a command; its function has the same name."""

    title: str  # shown while it works, if it can take long
    description: str
    options: str  # names of options, in the order of the help
    exclusive: Sequence[str] = ()  # groups of names of which at most one may be given
    epilog: str = EXIT_STATUS
    intermixed: bool = False  # whether positional arguments may follow options
    module: str = ""  # module that contains the function, if it is not named after the command


COMMANDS: Mapping[str, Command] = {
    "inspect": Command(
        "Opening",
        "List the tensors of a checkpoint.",
        "file select stats cluster state_dict json plugin",
    ),
    "diff": Command(
        "Comparing",
        "Compare the tensors of two checkpoints by value, independent of format and dtype; masks "
        "in a file are applied. Sorted by the norm of the difference relative to the norm in A.",
        "a b pattern cluster only_different state_dict other_state_dict json plugin",
        epilog=_STATUS.format(
            "0 if all values are equal (NaN equals NaN, 0 equals -0), 1 if any differ, if a "
            "tensor is in one file only or has another shape"
        ),
        intermixed=True,
    ),
    "check": Command(
        "Checking",
        "Check whether the weights of a checkpoint follow a pattern such as 2:4.",
        "file pattern dim select cluster state_dict json plugin",
        epilog=_STATUS.format("0 if every tensor has the pattern, 1 otherwise"),
    ),
    "methods": Command("", "List the pruning methods.", "json plugin"),
    "plugins": Command(
        "",
        "List the installed packages that add methods, export formats, model families or file "
        "formats; runs none of their code. --plugin loads what one adds.",
        "json plugin",
        module="methods",
    ),
    "prune": Command(
        "Opening",
        "Prune a checkpoint and write the result.",
        "file output method method_parameters limits scope prune_bias_and_norm dependents select "
        "state_dict treat_zeros force_statistics mask importance_scores load_method device "
        "cluster resume "
        f"{_EXPORT} save_recipe json plugin",
    ),
    "run": Command(
        "Running",
        "Apply a recipe and write the result.",
        "recipe file output check state_dict treat_zeros statistics script text images "
        "force_statistics save_statistics gram_memory seed python size samples time_limit "
        f"load_method device cluster resume {_EXPORT} save_recipe json plugin",
        ("statistics script text images",),
    ),
    "verify": Command(
        "Verifying",
        "Check that a file is the exact result of its recipe.",
        "file against recipe state_dict statistics force_statistics load_method device cluster "
        "format omit recompute unpruned tolerance json plugin",
        epilog=_STATUS.format("0 if the file is the result of its recipe, 1 otherwise"),
    ),
    "sizes": Command(
        "Counting",
        "Estimate the size of the export in each format.",
        "file output state_dict json plugin",
    ),
    "expand": Command(
        "Expanding",
        "Convert a compact or zst export to a dense file.",
        "file output plugin",
        module="sizes",
    ),
    "evaluate": Command(
        "Evaluating",
        "Run your evaluation script on a checkpoint, and on the original. The script is "
        "a Python file with load(path) and evaluate(model); docs/measure.md describes it. It runs "
        "in a separate process with your permissions: naming it here is consent to run it.",
        f"file {_EVALUATION} against at_most script_seed {_RUNNING} plugin",
        _EITHER_SCRIPT,
        epilog=_STATUS.format(
            "0 if it was measured, 1 if a metric is worse by more than --at-most"
        ).replace("that you can fix", "that you can fix, of the script too"),
    ),
    "report": Command(
        "Writing the report",
        "Write the report of a saved session: one HTML file with all states, their metrics and "
        "noise, the checksums of model, data and script, the machine, and the commands "
        "that repeat the current state. It names files, but neither folders nor users.",
        "file against output load_method json plugin",
        module="evaluate",
    ),
    "scan": Command(
        "Scanning",
        "Sensitivity scan: prune one tensor at a time to several amounts, and run your evaluation "
        "script each time. Coarse to fine, the largest tensors first; after Ctrl+C the same "
        "command continues. The script runs in a separate process with your permissions: "
        "naming it here is consent to run it.",
        f"file {_EVALUATION} output method method_parameters amounts repair force_statistics "
        f"select limits load_method script_seed {_RUNNING} plugin",
        _EITHER_SCRIPT,
    ),
    "frontier": Command(
        "Measuring",
        "Measure how the quality of the model depends on the sparsity, with and without recovery: "
        "for each point, FILE is pruned, measured, recovered and measured again. The knee is "
        "marked, after which sparsity costs more than on average. After Ctrl+C the same command "
        "continues. The script runs in a separate process with your permissions: naming it here is "
        "consent to run it.",
        f"file {_EVALUATION} output method method_parameters points recover_by steps scope "
        f"force_statistics select limits metric load_method script_seed {_RUNNING} plugin",
        _EITHER_SCRIPT,
        module="scan",
    ),
    "allocate": Command(
        "Allocating",
        "Choose the sparsity of each tensor by a sensitivity scan so that the model loses the "
        "least at a total sparsity: a recipe with one rule per tensor, for pruneapp run. With a "
        "script, measure the result.",
        f"scan file target_sparsity output metric min_sparsity max_sparsity select {_EVALUATION} "
        f"script_seed load_method statistics force_statistics {_RUNNING} plugin",
        _EITHER_SCRIPT,
        intermixed=True,
        module="scan",
    ),
    "statistics": Command(
        "Opening",
        "Collect statistics of activations: sums over what is multiplied by each weight while the "
        "model runs. Methods such as Wanda rank weights by them. Your script is a Python file with "
        "load(path) and calibrate(model); docs/statistics.md describes it. It runs in a "
        "separate process with your permissions: naming it here is consent to run it.",
        f"file script imatrix text images output gram gram_memory seed {_RUNNING} plugin",
        ("script imatrix text images",),
    ),
    "repair": Command(
        "Repairing",
        "Adjust the remaining weights of pruned layers so that the outputs of each layer are close "
        "to those of the original: least squares on the statistics of its inputs. Zeros of FILE "
        "stay zeros.",
        "file against statistics force_statistics script text images gram_memory seed output "
        "iterations damping keep_norm_statistics sequential select "
        f"{_EXPORT} save_recipe {_RUNNING} plugin",
        ("statistics script text images",),
    ),
    "recover": Command(
        "Recovering",
        "Train the remaining weights of a pruned model while pruned weights stay zero: for the "
        "outputs of the original on the inputs of calibrate(model), without labels, or with "
        "--train by train(model) of your script. If the script also evaluates, the metrics before "
        "and after are compared. After Ctrl+C the same command continues. Zeros of FILE stay "
        "zeros.",
        "file against script text images train output steps windows learning_rate "
        "no_repair trains restart even_if_worse seed "
        f"{_EXPORT} save_recipe {_RUNNING} plugin",
        ("script text images",),
        module="repair",
    ),
    "shrink": Command(
        "Shrinking",
        "Remove neurons, heads, experts and layers from a model, so that it is smaller and faster: "
        "those that have no effect, and those that you choose. Before the result is written, zeros "
        "are inserted for the removed units, and it is compared with the model.",
        "file list output dead ffn channels kv_groups query_heads layers experts vocabulary "
        "vocabulary_of by statistics force_statistics multiple dtype check python write_as json "
        "plugin",
        ("vocabulary vocabulary_of",),
    ),
    "unshrink": Command(
        "Unshrinking",
        "Restore the original shapes of a shrunk model, with zeros for the removed units.",
        "file against output json plugin",
        module="shrink",
    ),
}


WINDOW = Command(
    "",
    "Prune neural network checkpoints by pointing and clicking.",
    "file state_dict new_instance reset version",
    epilog="Commands that open no window: "
    + ", ".join(f"pruneapp {command}" for command in COMMANDS)
    + f"; each has its own --help. {EXIT_STATUS}",
    intermixed=True,
)


Function = Callable[[argparse.Namespace, Job, ExitStack], Output]


def run(options: argparse.Namespace, token: CancelToken) -> int:
    """Run a command and print its output; return its exit status.

    `token` can cancel. Errors of the command are raised after its resources are released.
    """
    command = COMMANDS[options.command]
    # Imported here, so that the help does not load it.
    module = importlib.import_module(f"pruneapp.cli.{command.module or options.command}")
    function: Function = getattr(module, options.command)
    with terminal.job(command.title, token) as job, ExitStack() as stack:
        output = function(options, job, stack)
    return terminal.show(output, as_json=options.json)


class Parser(argparse.ArgumentParser):
    """An argument parser that reports an error in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        text = abridge_text(escape_text(_rewrite_message(message)))
        self.exit(USAGE_ERROR, f"{self.prog}: {text} (see {self.prog} --help)\n")

    def refuse_unknown(self, words: Sequence[str]) -> NoReturn:
        """Report the first unknown option, or else the first argument, and exit with status 2.

        Suggests the most similar option.
        """
        option = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if option is None:
            self.error(f"unexpected argument '{words[0]}'")
        known = {flag.lstrip("-"): flag for flag in self._option_string_actions}
        matches = difflib.get_close_matches(option.lstrip("-"), known, 1)
        hint = f"; did you mean {known[matches[0]]}?" if matches else ""
        self.error(f"unknown option {option}{hint}")


_CHOICE = re.compile(r"(?s)argument (\S+): invalid choice: '?(.*?)'? \(choose from (.*)\)")
_VALUE = re.compile(r"(?s)argument (\S+): invalid (int|float) value: (.*)")
_NO_VALUE = re.compile(r"argument (\S+): expected (?:one|at least one) argument")
_REQUIRED = "the following arguments are required: "


def _rewrite_message(message: str) -> str:
    """Return a message of argparse reworded like other messages: option, rule, value.

    Unknown messages are returned unchanged.
    """
    if match := _CHOICE.fullmatch(message):
        words = [word.strip().strip("'") for word in match[3].split(",")]
        matches = difflib.get_close_matches(match[2], words, 1)
        hint = f"; did you mean '{matches[0]}'?" if matches else ""
        return f"{_long(match[1])} must be one of {', '.join(words)} (got '{match[2]}'){hint}"
    if match := _VALUE.fullmatch(message):
        kind = "an integer" if match[2] == "int" else "a number"
        return f"{_long(match[1])} must be {kind} (got {match[3]})"
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

    Plugins are loaded first, because they add choices to options. --help, --version and errors
    print and raise `SystemExit`, with status 2 for errors. Raises `PluginError` if a plugin cannot
    be loaded.
    """
    name = argv[0] if argv and argv[0] in COMMANDS else None
    if name is None:
        parser, command = make_parser("pruneapp", WINDOW), WINDOW
    else:
        argv, command = argv[1:], COMMANDS[name]
        first = Parser(prog=f"pruneapp {name}", add_help=False, allow_abbrev=False)
        OPTIONS["plugin"].add_to(first)
        if names := first.parse_known_args(argv)[0].plugin:
            from pruneapp.plugins import load_named

            load_named(names)
        parser = make_parser(f"pruneapp {name}", command)
    known = parser.parse_known_intermixed_args if command.intermixed else parser.parse_known_args
    options, unknown = known(_merge_infinities(argv))
    if name is None:
        _check_window(options, parser)
    if unknown:
        parser.refuse_unknown(unknown)
    options.command = name
    return options


def _check_window(options: argparse.Namespace, parser: Parser) -> None:
    """Print the version and exit if requested; exit with status 2 for arguments of the window.

    That is for a word that looks like a command but is no file, and a state dict for several files.
    """
    if options.version:
        # Imported here, because git and package metadata are slow.
        from pruneapp.installation import describe

        sys.stdout.write(f"pruneapp {describe(pruneapp.__version__)}\n")
        parser.exit()
    word = options.file[0] if options.file else ""
    if re.fullmatch(r"[\w-]+", word) and not os.path.lexists(word):
        matches = difflib.get_close_matches(word, COMMANDS, 1)
        hint = f"; did you mean '{matches[0]}'?" if matches else ""
        parser.error(f"no such command or file: '{word}'{hint}")
    if options.state_dict is not None and len(options.file) > 1:
        parser.error("--state-dict is for one file")


def make_parser(prog: str, command: Command) -> Parser:
    """Return the parser of a command, without parsing.

    The name of the command is the last word of `prog`. ``cluster``, ``resume`` and ``json`` have
    defaults also for commands without these options.
    """
    parser = Parser(prog=prog, description=command.description, epilog=command.epilog)
    parser.set_defaults(cluster="", resume=False, json=False)
    groups: dict[str, argparse._ActionsContainer] = {}
    for names in command.exclusive:
        groups |= dict.fromkeys(names.split(), parser.add_mutually_exclusive_group())
    for name, option in options_of(prog.rpartition(" ")[2], command.options.split()):
        option.add_to(groups.get(name, parser))
    return parser


def _merge_infinities(argv: Sequence[str]) -> list[str]:
    """Return the arguments with ``-inf`` joined to the preceding option."""
    # argparse treats "-1" as a number, but "-inf" as an unknown option.
    merged: list[str] = []
    for word in argv:
        if word.lower() in {"-inf", "-infinity"} and merged and merged[-1].startswith("--"):
            merged[-1] += "=-inf"
        else:
            merged.append(word)
    return merged

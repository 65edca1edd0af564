"""Update the translations of the window from its texts, compile and check them.

    .venv/bin/python packaging/translations.py           update resources/translations, and compile
    .venv/bin/python packaging/translations.py --open    list untranslated texts

The sources `resources/translations/pruneapp_LANG.ts` are edited with Qt Linguist. Qt loads the
``.qm`` files next to them, which are committed too, so that building and installing need no tools
of Qt.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

# The declarations of this checkout, not those of an installed package.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pruneapp.analysis.layout import layout
from pruneapp.edits.group_edit import in_sentence
from pruneapp.evaluation.allocation import SHARED_DATA_ADVICE, SharedData
from pruneapp.evaluation.script import BUILT_IN_NAMES
from pruneapp.export.catalog import FORMATS
from pruneapp.export.format import purpose_labels
from pruneapp.groups.family import LABELS
from pruneapp.gui.app.settings import LANGUAGE, SETTINGS
from pruneapp.gui.commands.declarations import COMMANDS, LOCAL_KEYS
from pruneapp.gui.widgets.engine_text import CONTEXT, LANGUAGE_OF, SENTENCES, TIMES
from pruneapp.methods.limits import LIMITS
from pruneapp.methods.registry import METHODS
from pruneapp.params import (
    NORM_LABELS,
    ChoiceParam,
    FileParam,
    NormParam,
    OptionalParam,
    Param,
    SizeParam,
    SubsetParam,
)
from pruneapp.recipes.replay import SCHEDULE

ROOT = Path(__file__).resolve().parent.parent
CODE = ROOT / "pruneapp"
# The worker that runs scripts; the window shows its errors.
WORKER = ROOT / "resources" / "pruneapp_worker"

FOLDER = ROOT / "resources" / "translations"
# Templates of sentences, which the window matches against texts of the engine.
TEMPLATES = FOLDER / "sentences.json"
LANGUAGES = tuple(c.value for c in LANGUAGE.choices if c.value not in {"system", "en"})
_PLACEHOLDER = re.compile(r"\{\w*[^{}]*\}|%L?n|%L?\d+")
# Placeholders for a verb or pronoun, which a translation may omit.
_GRAMMAR = frozenset({"{are}", "{were}", "{were2}", "{verb}", "{them}", "{them2}", "{they}"})
_MNEMONIC = re.compile(r"&(?=[^\s&])")


@dataclass(frozen=True)
class Message:
    """A text of the window, and its translation; None if it is unfinished."""

    context: str
    source: str
    comment: str = ""
    translation: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Identifies the message."""
        return self.context, self.source, self.comment


def main() -> int:
    """Update all languages, or list untranslated texts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--open", action="store_true", help="list what is not translated yet")
    options = parser.parse_args()
    if not options.open:
        TEMPLATES.write_text(templates_as_json(), encoding="utf-8")
    for language in LANGUAGES:
        file = source_of(language)
        if options.open:
            lines = [f"{m.context}: {m.source!r}" for m in read(file) if m.translation is None]
            print(f"{language}: {len(lines)} not translated", *lines, sep="\n  ")
            continue
        collect(file)
        release(file, file.with_suffix(".qm"))
        unfinished = sum(m.translation is None for m in read(file))
        print(f"{file.name}: {unfinished} texts are not translated")
    return 0


def source_of(language: str) -> Path:
    """Return the path of a language's translation file."""
    return FOLDER / f"pruneapp_{language}.ts"


def read(file: Path) -> list[Message]:
    messages = []
    for context in ET.parse(file).getroot().iter("context"):  # noqa: S314 - it is ours
        for message in context.iter("message"):
            given = message.find("translation")
            assert given is not None
            finished = given.get("type") is None
            messages.append(
                Message(
                    context.findtext("name", ""),
                    message.findtext("source", ""),
                    message.findtext("comment", ""),
                    (given.text or "") if finished else None,
                )
            )
    return messages


def collect(file: Path) -> None:
    """Update a translation file from the texts of the window; translations are kept."""
    with tempfile.TemporaryDirectory() as folder:
        declared = Path(folder, "declared.py")
        texts = [_marked(CONTEXT, *text) for text in declarations()]
        texts += [_marked("Actions", *text) for text in commands()]
        texts.append(
            _marked(SENTENCES, "the name of the language, as in pruneapp_NAME.ts", LANGUAGE_OF)
        )
        found = templates()
        for kind, sources in found.items():
            texts += [_marked(SENTENCES, kind, text) for text in sources]
        declared.write_text("\n".join(texts), encoding="utf-8")
        _run(
            "pyside6-lupdate",
            *("-silent", "-no-obsolete", "-locations", "none", "-extensions", "py"),
            *("-disable-heuristic", "similartext", "-disable-heuristic", "sametext"),
            *("-source-language", "en", str(CODE / "gui"), str(declared)),
            *("-ts", str(file)),
        )


def release(file: Path, target: Path) -> None:
    """Compile a translation file; unfinished messages are omitted."""
    _run("pyside6-lrelease", "-silent", "-nounfinished", str(file), "-qm", str(target))


def problem(message: Message) -> str:
    """Return the error of a finished translation, as text; "" if there is none."""
    source, translation = message.source, message.translation
    if translation is None:
        return ""
    if not translation.strip():
        return "is empty"
    gaps, filled = (Counter(_PLACEHOLDER.findall(text)) for text in (source, translation))
    if message.context == SENTENCES:
        left_out = gaps.keys() - filled.keys() - _GRAMMAR
        differ = left_out or filled - gaps
    else:
        differ = gaps.keys() ^ filled.keys()
    if differ:
        return "has other placeholders"
    if bool(_MNEMONIC.search(source)) != bool(_MNEMONIC.search(translation)):
        return "has a mnemonic, or lacks one"
    for name, part in (("beginning", re.compile(r"^\s*")), ("end", re.compile(r"\s*$"))):
        ours, theirs = part.search(source), part.search(translation)
        if (ours and ours[0]) != (theirs and theirs[0]):
            return f"has other spaces at its {name}"
    if source.endswith("…") != translation.endswith("…") and "(&" not in translation:
        return "differs in the dots at its end"
    return ""


def declarations() -> Iterator[tuple[str, str]]:
    """Yield (origin, English text) of the declarations in registries, without duplicates."""
    yield from _unique(_declared())


def commands() -> Iterator[tuple[str, str]]:
    """Yield (origin, English text) of the commands and menus of the window."""
    menus = dict.fromkeys(part for command in COMMANDS for part in command.menu.split("/"))
    found = [("menu", menu) for menu in menus]
    for command in COMMANDS:
        # Languages are called as they call themselves.
        own_name = command.group == "language" and command.id != "language_system"
        found += [("command", "" if own_name else command.text), ("command", command.tip)]
    yield from _unique([*found, *(("keys", keys.text) for keys in LOCAL_KEYS)])


def _unique(found: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for where, text in found:
        if text and text not in seen:
            seen.add(text)
            yield where, text


def _declared() -> Iterator[tuple[str, str]]:
    from pruneapp.gui.recovery import recover_controller
    from pruneapp.gui.repair import repair_controller
    from pruneapp.gui.sensitivity import allocation_controller

    for method in METHODS.values():
        where = f"method {method.name}"
        yield where, method.label
        yield where, method.help
        yield from _of_params(where, method.params)
    for form in FORMATS.values():
        where = f"format {form.name}"
        yield where, form.label
        yield where, form.help
        for folder in (form.good_for, form.good_for_folder or {}):
            yield from ((where, reason) for reason in folder.values())
        yield from ((where, sentence) for sentence in (*form.does_not, *form.kept_notes))
        yield from ((f"{where}, {loader.name}", loader.note) for loader in form.loaded_by)
        yield from _of_params(where, form.params)
    yield from (("evaluation", name) for name in BUILT_IN_NAMES.values())
    for sentence_encoder in (False, True):
        labels = purpose_labels(sentence_encoder=sentence_encoder)
        yield from (("purpose of an export", label) for label in labels.values())
    yield from _of_params("limits", LIMITS)
    yield from _of_params("schedule", SCHEDULE)
    yield from _of_params("repair", repair_controller.PARAMS)
    yield from _of_params("recovery", recover_controller.PARAMS)
    yield from _of_params("allocation", allocation_controller.PARAMS)
    yield from (("data of an allocation", shared.value) for shared in SharedData)
    yield "data of an allocation", SHARED_DATA_ADVICE
    yield from _of_params("settings", SETTINGS)
    for kind, rank in product(("Conv2d", "Linear", "Embedding", ""), range(1, 7)):
        planned = layout((2,) * rank, kind)
        for label in (planned.row_label, planned.column_label):
            yield from (("axis of the picture", word) for word in label.split(TIMES))
        yield from (("index in the picture", word) for word in planned.dims)
    for label in LABELS.values():
        yield "axis", label
        yield "axis, in a sentence", in_sentence(label)


def _of_params(where: str, params: tuple[Param, ...]) -> Iterator[tuple[str, str]]:
    for param in params:
        if isinstance(param, FileParam):
            continue
        at = f"{where}, {param.name}"
        yield at, param.label
        yield at, param.help
        if isinstance(param, OptionalParam | SizeParam):
            yield at, param.nothing
        if isinstance(param, ChoiceParam | SubsetParam) and param != LANGUAGE:
            # Languages are called as they call themselves.
            for choice in param.choices:
                yield at, choice.label
                yield at, choice.help
        if isinstance(param, NormParam):
            yield from ((at, label) for label in NORM_LABELS.values())


def _marked(context: str, where: str, text: str) -> str:
    # Escaped so that lupdate, which knows only a few escapes, reads what Python reads.
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'#: {where}\nQT_TRANSLATE_NOOP("{context}", "{quoted}")'


def templates_as_json() -> str:
    """Return the templates as JSON, as read by the window."""
    return json.dumps(templates(), indent=0, ensure_ascii=False) + "\n"


@functools.cache
def templates() -> dict[str, list[str]]:
    """Return the templates of texts of the engine: sentences and their parts, and steps.

    A template is a text with `str.format` placeholders.
    """
    modules = {
        str(path.relative_to(CODE)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(CODE.rglob("*.py"))
    }
    errors = errors_of(modules.values())
    found: dict[str, None] = {}
    for path, module in modules.items():
        if not path.startswith("cli"):
            found |= dict.fromkeys(said_in(module, errors))
    for file in sorted(WORKER.glob("*.py")):
        found |= dict.fromkeys(said_in(ast.parse(file.read_text(encoding="utf-8")), errors))
    for path, names in PARTS.items():
        found |= dict.fromkeys(_parts(modules[path], names))
    found |= dict.fromkeys(form.only_from[1] for form in FORMATS.values() if form.only_from)
    found |= dict.fromkeys((*WORDS, *SYSTEM))
    # A template without its own text would match everything.
    unique = [text for text in found if re.sub(r"\{\w*\}", "", text).strip()]
    return {"sentences": unique, "steps": list(STEPS)}


# Functions, classes and tables whose texts (those with a space) are parts of sentences.
PARTS: dict[str, tuple[str, ...]] = {
    "analysis/layout.py": ("_wrap_vector",),
    "analysis/patterns.py": (
        "look_for_pattern",
        "_count_broken_groups",
        "broken_patterns",
        "sentence",
        "pattern",
    ),
    "analysis/tiles.py": ("difference_tile",),
    "checkpoint/checkpoint.py": ("_unused_index_notice", "_shard_notice"),
    "checkpoint/dtypes.py": ("_INTEGER", "DTYPES"),
    "checkpoint/formats/gguf.py": ("_notices",),
    "checkpoint/formats/gguf_header.py": ("_read_version",),
    "checkpoint/formats/headers.py": (
        "parse",
        "_load",
        "_metadata",
        "_tensor",
        "parse_index_file",
        "_check_name",
        "check_name",
    ),
    "checkpoint/formats/npz.py": ("_notices",),
    "checkpoint/formats/onnx.py": (
        "_OTHER_TYPES",
        "BRANCH",
        "_AS_VARINTS",
        "_tensor",
        "_with_data",
        "_notices",
    ),
    "checkpoint/formats/onnx_roles.py": ("_role",),
    "checkpoint/formats/packed_bits.py": ("_NOTICE",),
    "checkpoint/formats/safetensors.py": ("read_header", "_check_size", "_notices"),
    "checkpoint/formats/sharded.py": (
        "read_index",
        "_compare",
        "_list",
        "_stale_index_notice",
        "_drop_repeated",
    ),
    "checkpoint/io/atomic_file.py": ("write_error", "_describe_shortage", "_remedy"),
    "checkpoint/io/source.py": ("refuse_irregular", "open_error"),
    "checkpoint/io/store.py": ("fetch", "read", "translate_error"),
    "checkpoint/io/upload.py": ("_translate_errors", "object_error"),
    "checkpoint/lookalikes.py": (
        "_UNPACK",
        "_AGAIN",
        "_ORIGINAL",
        "save_in_python",
        "_MARKS",
        "_SUFFIXES",
        "explain",
    ),
    "checkpoint/model_choice.py": ("choose_model", "_find_snapshot"),
    "checkpoint/model_folder.py": ("_refuse_training_folders",),
    "checkpoint/mask_pairs.py": (
        "_unpaired_notice",
        "_conflict_notice",
        "find_overlaps",
        "_reasons",
    ),
    "checkpoint/prunability.py": (
        "_BUFFERS",
        "_RECOMPUTED",
        "why_not",
        "quantized_reason",
        "_rules",
        "_reason_by_name",
    ),
    "checkpoint/tied_copies.py": ("merge_copies",),
    "checkpoint/torchfile/archive.py": (
        "find_directory",
        "read_archive",
        "_check_others",
        "_read_member",
        "_read_local",
    ),
    "checkpoint/torchfile/exported_program.py": ("_tensor",),
    "checkpoint/torchfile/legacy_format.py": ("index_stream",),
    "checkpoint/torchfile/numpy_arrays.py": ("_NO_NUMBERS", "reconstruct", "fill", "_type"),
    "checkpoint/torchfile/plain_pickle.py": ("index_pickle",),
    "checkpoint/torchfile/rebuild.py": (
        "_set_traits",
        "_rebuild_jagged",
        "_from_numpy",
        "_meta",
        "_MEANINGS",
    ),
    "checkpoint/torchfile/to_contents.py": ("build", "_about_code", "_add", "_add_compound"),
    "checkpoint/torchfile/torch_objects.py": (
        "QUANTIZED",
        "SAVE_AGAIN",
        "BIG_ENDIAN",
        "_opaque",
        "unwrap_dtensor",
    ),
    "checkpoint/torchfile/zip_format.py": (
        "_check_kind",
        "read_member",
        "_member_of",
        "index_archive",
        "_spans",
    ),
    "cluster/connection.py": ("_await_workers", "_processes"),
    "cluster/export.py": ("find_finished", "_on_committed", "make"),
    "cluster/steps.py": ("_ask", "_find_kept_channels", "refuse_action"),
    "cluster/tasks.py": ("task_job",),
    "document/selection.py": ("_no_match", "_not_prunable", "groups_of"),
    "document/step.py": ("naming",),
    "edits/apply_manual_edit.py": ("_reason", "_no_change"),
    "edits/coupled_tensors.py": ("_BIAS", "_NORM"),
    "edits/dependents.py": ("sentence", "_why_not"),
    "edits/existing_masks.py": ("_UNCHANGED", "masks_from"),
    "errors.py": ("first_names", "suggest_nearest"),
    "evaluation/allocation.py": ("_check_share",),
    "evaluation/calibrated_repair.py": ("repair_by_statistics",),
    "evaluation/collection.py": ("collect_sums", "collect", "count_uses", "_run"),
    "evaluation/process.py": ("last_words",),
    "evaluation/frontier.py": ("_WORDS",),
    "evaluation/metric.py": ("band_of", "refuse_no_numbers"),
    "evaluation/recovery.py": ("sentence", "plan_sentence"),
    "evaluation/rounds.py": ("summarize",),
    "evaluation/scan_file.py": ("_WORDS",),
    "evaluation/script.py": (
        "find_interpreter",
        "remedy_for_shrunk",
        "_remedy_for_sizes",
        "_remedy_for_format",
        "_remedy_for_state_dict",
    ),
    "evaluation/runner.py": (
        "_NOT_RUN",
        "_transfer_or_load",
        "verify",
        "_load",
        "_apply",
        "_run",
        "generate",
        "trace",
        "direction_remedy",
    ),
    "evaluation/worker.py": ("start", "_wait"),
    "export/completeness.py": (
        "describe_outside",
        "losses",
        "_notices",
        "_describe_losses",
        "_no_tensors",
        "_outside",
        "_elsewhere",
        "_refuse",
    ),
    "export/format_sizes.py": ("_explain_state_dict", "format_offer"),
    "export/destination/sidecars.py": (
        "not_copied_notice",
        "copy_config",
        "type_notices",
        "loading_notices",
    ),
    "export/destination/target.py": (
        "_file_notices",
        "not_replaced_notice",
        "_follow_link",
        "_check_name",
        "check_name",
        "plan_folder",
    ),
    "export/exporter.py": (
        "_copied_files_notice",
        "_report",
        "_kept_notice",
        "_delete_originals",
        "_fully_pruned_notice",
    ),
    "export/format.py": ("scale_notices",),
    "export/formats/csr.py": ("_why_dense", "notice"),
    "export/formats/npz.py": ("_why_unsupported", "_notices"),
    "export/formats/onnx.py": ("_why_not", "_plan", "_moved_notices"),
    "export/formats/pickle_file.py": ("_why_unsupported",),
    "export/formats/resumable.py": ("_plan_masks", "_missing_values", "_attention_notice"),
    "export/formats/safetensors.py": ("why_unsupported",),
    "export/formats/torch.py": (
        "_plan",
        "_why_never_for",
        "_why_never_in_place",
        "_changed_out_of_place",
        "_why_not_replaced",
        "_why_not_patched",
        "_patch_arrays",
    ),
    "export/rounding.py": ("describe",),
    "export/sharding.py": ("_too_large_notice",),
    "groups/blocks.py": ("find_blocks", "_check_order", "_block", "_members", "_shown"),
    "groups/channel_numbers.py": ("IS_GRAPH_OUTPUT", "IS_MODEL_OUTPUT", "reasons", "settle_blocks"),
    "groups/connections.py": ("_NOT_READ", "_NO_GRAPH"),
    "groups/family_groups.py": (
        "_axis",
        "_bound",
        "_layer_axis",
        "_vocabulary_axis",
        "_groups",
        "_group",
        "_expert_groups",
        "_unexplained",
        "_members",
    ),
    "groups/onnx_operators.py": ("__post_init__", "_visit"),
    "groups/program_graph.py": ("run", "_visit"),
    "groups/structure.py": ("bind", "_of_graph", "_of_blocks", "read_config"),
    "installation.py": ("remedy_for",),
    "json_codec.py": (
        "_TYPES",
        "read",
        "load",
        "_explain_error",
        "_shown",
        "_check_unique_keys",
        "_refuse_constant",
        "_parse_float",
    ),
    "methods/amounts.py": ("_too_large", "target_of"),
    "methods/builtin/patterns.py": ("describe",),
    "methods/limits.py": ("describe",),
    "params.py": ("__str__", "describe"),
    "recipes/fit.py": ("fit", "_notices"),
    "repair/solve.py": ("_scale_of", "of"),
    "repair/repair.py": ("risks_of", "sequential_runs", "uniform_risk"),
    "sessions/history_codec.py": ("unpack", "read", "_unpack_together", "check_mask"),
    "sessions/journal.py": ("_disk_error",),
    "sessions/kept_histories.py": ("check_unchanged",),
    "sessions/original.py": ("changes_of", "_change"),
    "sessions/restore.py": (
        "misfits",
        "missing_edits_notice",
        "_apply_masks",
        "check_fits",
        "repeat",
        "_changed_error",
    ),
    "sessions/session_file.py": ("read", "_pieces"),
    "shrink/check.py": ("_LABELS", "sentence", "check", "_raise_if_different", "_shape"),
    "shrink/configuration.py": ("remove_layers", "_remove_from_lists"),
    "shrink/forecast.py": ("_GRAPH_LOADERS", "cut_out", "_format_change", "_loaders"),
    "shrink/plan.py": (
        "_notice_outside_blocks",
        "_cut_dead",
        "_cut_experts",
        "_constant_unit_notice",
        "_describe_loading",
        "notices",
        "_write_as",
        "_rounding_notice",
        "_uncut_layer_notices",
    ),
    "shrink/shrink.py": (
        *("_move_out_of_folder", "verify_round_trip", "_verify_dead", "_compare"),
    ),
    "shrink/surveyed_state.py": ("axis_of", "_rounding_notices"),
    "shrink/tokens/text_tokens.py": ("check_segmentation", "_unreadable"),
    "shrink/tokens/vocabulary.py": ("read_vocabulary", "cut_tokens"),
    "shrink/unit_choice.py": ("ranking_by",),
    "shrink/unshrink.py": ("__init__",),
    "statistics/file.py": ("inputs",),
}
# Parts that are single words, or that several functions contribute to.
WORDS = (
    *("methods", "formats", "parameters", "kinds", "values", "metrics", "weights", "channels"),
    *("tensor", "tensors", "weight", "channel", "channels", "amount", "total", "yes or no"),
    *("local", "global", "is", "are", "was", "were", "it", "them", "they", "this"),
    *("bias", "norm", "rows", "columns", "units", "blocks", "neurons", "one of {words}"),
    *("any of {words}, with commas between them", "all selected weights are protected"),
    "all selected weights are pruned or protected",
    *("weight of '{name}'", "weights of '{name}'", "channel of '{name}'", "channels of '{name}'"),
    *("block of '{name}'", "blocks of '{name}'", "other tensors", "value was", "values were"),
    "One mask contains values other than 0 and 1: these tensors are opened as not pruned.",
    (
        "The masks of {n} tensors contain values other than 0 and 1: these tensors are opened "
        "as not pruned."
    ),
    (
        "has the weights of the opened folder, and an export replaces the model of a folder as a "
        "whole."
    ),
    *("No tensor matches '{pattern}'.", "{name} or {name2}", "shrunk", "{label} {n} → {n2}"),
    *("sparse COO", "sparse CSR", "sparse CSC", "sparse BSR", "sparse BSC"),
    # What a recovery does, in the status bar.
    *("recovering", "recovering: {text}", "training", "training: {text}"),
    "block {n} of {n2} ({name})",
    "block {n} of {n2} ({name}), step {n3} of {n4}",
    *("step {n} of {n2}", "trying the learning rate {rate}"),
    *("measuring the error before training", "evaluating before and after"),
    # Notices of a recovery.
    ("{n} samples were not used, because the inputs exceed the limit for memory and disk."),
    "Only {n} samples were run through the model: more of them improve the result.",
    "256 or more are useful.",
    "The outputs of an input depend on its batch, so each batch is used as a whole.",
    "The sequential repair did not make the model better, so recovery began without it.",
    (
        "Some blocks give other results when they run on their own, so they were trained with the "
        "whole model only."
    ),
    (
        "Blocks were trained with fewer samples than the whole model, to limit the memory for "
        "their inputs."
    ),
    "{percent} to {percent2}",
    "{missing}, {n} tensor too many ({first_names})",
    "{missing}, {n} tensors too many ({first_names})",
    "{others}, {n} tensor of another shape ({shown})",
    "{others}, {n} tensors of another shape ({shown})",
    *("to {n}", "data file", "shard", "an ONNX model", "The headers", "The operators", "an index"),
    "points outside it",
    (
        "Unpack it with `pruneapp expand {packed} -o {out}`, or with any program for zstd "
        "(7-Zip, `zstd -d`), then open the unpacked file."
    ),
    *("Each {height}×{width} block is one kernel", "Each {height}×{width} block is one {axes}"),
    "{axis} × {axis2}",
    "The export is complete, but a file next to it could not be written: {error}",
    "Run {path} to check whether the model still works.",
    (
        "Run {path} to check whether the model still works, after filling in the function that "
        "builds the model."
    ),
    "The report is {path}.",
    "is one of several files of the opened model, and one file cannot replace them all.",
    # JSON errors: locations in them are code, hence `words`.
    *("'{where}', at {words}: {what}.", "'{where}': {what}.", "keys", "an id"),
    *("{types} of at least {n}", "{types} of at most {n}", "{types} with {n} item"),
    *("{types} with {n} items", "{types} with at least {n} item", "invalid enum value '{value}'"),
    *("{types} with at least {n} items", "{types} with at most {n} items"),
    *("unit of '{name}'", "units of '{name}'"),
    *("{format}, {n} shard", "{format}, {n} shards", "compact file of Pruneapp"),
    "PyTorch before 1.6",
    *("a numpy array", "a numpy number"),
    *("{kind} layout", "{types} or null", "an object of type {kind}", "the folder with zeros"),
    *("nothing but zeros", "not finite"),
    *("the unpruned model", "unpruned model", "folder with zeros"),
    # Names followed by a remark.
    *("{name} ({note})", "{name} ({note}), {rest}", "{name}: {why}", "{name}: {why}; {rest}"),
    *("{value} for the unpruned model", "{size} are free"),
    *("system error: {error}", "A compressed torch file", "A torch file with sparse tensors"),
    "transformers would map it into memory, which is not possible",
    "transformers, which opens such files, does not load them",
    *("{label} {rate} GB/s", "{label} {rate} GB/s, slow: {words}", "Cutting", "Comparing"),
    *("Checking", "Measuring", "Checksums", "Checking the existing files", "Waiting for workers"),
    "Starting workers",
    *("Comparing {name}", "a Gram matrix", "GPTQ or AWQ", "it is a mask"),
    *("protected weights", "weights were protected or restored", "'{name}' has no weights"),
    "{name}: '{type}' is in another family already",
    *("the scratch file of the history is closed", "the scratch file of the history is truncated"),
    *("'{name}' has the length '{text}'", "'{name}' has the offset '{text}'"),
    # Refusals declared by model families.
    (
        "Heads cannot be removed: {type} computes the head size as {words}, so fewer heads would "
        "be read with a larger size."
    ),
    (
        "Heads cannot be removed: {type} has a single key/value head and computes the head size "
        "as {words}, so fewer heads would be read with a larger size."
    ),
    "Heads cannot be removed: {type} normalizes over all heads together, so the mean would change.",
    (
        "Heads cannot be removed: {type} pairs its heads, so a model with fewer heads would load "
        "but compute wrong results."
    ),
    (
        "Layers cannot be removed: {type} computes with the index of each layer, so a model with "
        "fewer layers would load but compute wrong results."
    ),
    "Layers cannot be removed: {type} has one layer, which it runs several times.",
    "Layers cannot be removed: the stages of {type} have different widths.",
    "FFN neurons cannot be removed: the code of {type} sets the width to {words}.",
    (
        "FFN neurons cannot be removed: the code of {type} sets the width to {words} and does "
        "not read {name}."
    ),
)
# Fragments that never occur alone: `WORDS` has the complete texts.
PIECES = {
    *(
        "all selected weights are",
        "any of",
        ", with commas between them",
        "one of",
        "pruned or protected",
    ),
    *("value was", "values were", "the smaller {TOKENIZER}"),
    "a part of an object of {inside}",
}
# Labels of the history, and lines of their details.
STEPS = (
    *("Opened", "{step}, {step2}", "{step}; {step2}", "{label}: {value}"),
    *("{step} on {place}", "on {place}", "{n} tensors of {part}", "{name} and {n} more"),
    *("and {n} more", "{n} more rule", "{n} more rules", "{step} on {n} tensors by {n2} rules"),
    *("{step} on {n} tensor by {n2} rules", "{n} tensor", "{n} tensors", "on {n} tensors"),
    *("{step} {n} weight", "{step} {n} weights", "{step} {n} channel", "{step} {n} channels"),
    *("{step} {n} block", "{step} {n} blocks", "global", "with bias and norm", "with bias"),
    *(
        "with norm",
        "with dependent tensors",
        "allocated by a scan",
        "total {n}",
        "total sparsity {share}",
    ),
    *("min {share} per tensor", "max {share} per tensor", "excluding {words}"),
    *("embeddings", "the first layer", "the last layer", "{word} and {word2}"),
    *("Rule {n}: {step}", "Pattern: {pattern}"),
    *("Scope: global", "Scope: per tensor", "Scope: per group"),
    *("Limits: {limits}", "Matching bias and norm entries: pruned"),
    "Dependent tensors: pruned",
    "Recipe version 1: rules are applied in order, on top of each other",
    "Recipe version 1: first and last layer by the order of the file",
    # Methods, as used in labels.
    *("L1 per row {much}", "Normalized L1 {much}", "Relative importance {much}", "Swaps {much}"),
    *("Random {much}", "BatchNorm scale {much}", "Wanda N:M {much}", "Swaps N:M {much}"),
    *("Blocks {much}", "FFN neurons {much}", "Attention heads {much}", "Layers {much}"),
    *("Channel groups {much}", "Custom mask from file", "Identity", "Frobenius {much}"),
    *("Nuclear norm {much}", "N:M semi-structured", "L1 per row", "Normalized L1", "Swaps"),
    *("Relative importance", "Random", "BatchNorm scale", "Blocks", "FFN neurons", "Layers"),
    *("Attention heads", "Channel groups", "Frobenius", "Nuclear norm"),
    *("divide by {value}", "exchanges {value}", "outlier threshold {value}", "spread {value}"),
    *("variant {value}", "measure {value}", "rank by {value}", "multiple {value}"),
    # Manual edits.
    *("{what} of {place} pruned", "{what} of {place} restored", "{what} of {place} protected"),
    *("{what} of {place} no longer protected", "{what} of {place} pruned in {n} tensors"),
    *("{what} of {place} restored in {n} tensors", "{what} of {place} protected in {n} tensors"),
    "{what} of {place} no longer protected in {n} tensors",
    *("weights", "{n} weight", "{n} weights", "{n} channel", "{n} channels", "{n} row"),
    *("{n} rows", "{n} column", "{n} columns", "channel {n}", "row {n}", "column {n}"),
    *("channel {n} along dim {n2}", "{n} channels along dim {n2}", "still 0"),
    *("{n} neuron", "{n} neurons", "{n} query head", "{n} query heads", "{n} key/value head"),
    *("{n} key/value heads", "{n} attention head", "{n} attention heads", "{n} expert"),
    *("{n} experts", "{n} layer", "{n} layers", "{n} FFN neuron", "{n} FFN neurons"),
    *("{n} weight pruned", "{n} weights pruned", "{n} weight restored", "{n} weights restored"),
    *("{n} weight protected", "{n} weights protected", "{n} weight no longer protected"),
    *("{n} weights no longer protected", "{n} protected weight left unchanged"),
    "{n} protected weights left unchanged",
    "{n} of them still 0: made permanent earlier, which only undo reverts",
    "all of them still 0: made permanent earlier, which only undo reverts",
    # Others.
    *("Zeros of the file treated as pruned", "Mask found in the file", "Made permanent"),
    *("{n} zero in {n2} tensor", "{n} zeros in {n2} tensor", "{n} zeros in {n2} tensors"),
    *("Made permanent: {what}", "{n} pruned weight is an ordinary zero now"),
    "{n} pruned weights are ordinary zeros now",
    *("{n} weight pruned in {n2} tensor", "{n} weights pruned in {n2} tensor"),
    *("{n} weights pruned in {n2} tensors", "Bias and norm of {n} pruned channel pruned"),
    "Bias and norm of {n} pruned channels pruned",
    "Masks combined with {title} (pruned in both)",
    "Masks combined with {title} (pruned in either)",
    "Masks combined with {title} (pruned here, not there)",
    *("Masks of {name} applied", "Protection of {name} applied", "Repair of {what}"),
    *("Recovery of {what}", "Training of {what}", "recovered after each round"),
    *("trained after each round", "measured after each round"),
    *("Recovery: repair only", "Recovery, {steps}", "Training, {steps}", "{n} step", "{n} steps"),
    *("Sequential repair of {what}", "New values in {n} tensor", "New values in {n} tensors"),
    *("{n} weight changed", "{n} weights changed"),
    *("Inputs: {name}", "Inputs: {name}, {n} sample", "Inputs: {name}, {n} samples"),
    "Sequential repair only: the trained weights are not used",
    *("Recovery, {n} of {n2} block", "Recovery, {n} of {n2} blocks"),
    "Distillation of {n} of {n2} block, not of the whole model",
    "Distillation of {n} of {n2} blocks, not of the whole model",
    "Distillation in {n} step, learning rate {rate}",
    "Distillation in {n} steps, learning rate {rate}",
    "Distillation of the blocks, then of the whole model in {n} step, learning rate {rate}",
    "Distillation of the blocks, then of the whole model in {n} steps, learning rate {rate}",
    "{name}: error of the outputs {before} before, {after} after",
    *("{n} of {n2} weight pruned", "{n} of {n2} weights pruned", "{n} block", "{n} blocks"),
    *("{step} on {n} tensor ({pattern})", "{step} on {n} tensors ({pattern})"),
    *("block {value}", "seed {n}", "dim {n}"),
    *("{n} of {n2} remaining weight pruned", "{n} of {n2} remaining weights pruned"),
    *("{n} of {n2} units pruned", "{n} of {n2} channels pruned"),
    *("▲ {sentence}", "{step} on {n} tensor", "{step} on {n} tensors"),
)
# Messages of operating systems for files, as returned by `words_of`, and of Python for JSON.
SYSTEM = (
    *("no such file or directory", "permission denied", "operation not permitted"),
    *("no space left on device", "input/output error", "read-only file system"),
    *("is a directory", "not a directory", "file name too long", "device or resource busy"),
    *("disk quota exceeded", "file too large", "too many open files", "connection timed out"),
    *("too many levels of symbolic links", "cannot allocate memory", "directory not empty"),
    *("file exists", "stale file handle", "invalid argument", "connection refused"),
    *("resource temporarily unavailable", "internal server error", "access denied"),
    "the specified bucket does not exist",
    *("expecting value", "extra data", "expecting property name enclosed in double quotes"),
    *("expecting ',' delimiter", "expecting ':' delimiter", "unterminated string starting"),
    *("invalid control character", "invalid \\uxxxx escape"),
)


# Exceptions that contain a part of a sentence, and functions that return such an error.
FAULTS = frozenset(
    {"MalformedError", "UnsupportedError", "_Broken", "ContractError", "RefusalError"}
)
_MAKERS = frozenset({"damaged", "damage_error", "_damage_error"})


def errors_of(modules: Iterable[ast.Module]) -> frozenset[str]:
    """Return the names of all error classes that take a sentence."""
    classes = [n for module in modules for n in ast.walk(module) if isinstance(n, ast.ClassDef)]
    names = {"PruneAppError", *FAULTS}
    while more := {c.name for c in classes if names & set(map(_name_of, c.bases))} - names:
        names |= more
    return frozenset(names)


def said_in(module: ast.Module, errors: AbstractSet[str]) -> Iterator[str]:
    """Yield the templates of the errors in a module, and of counted nouns."""
    constants = _constants(module)
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and _name_of(call.func) in errors:
            remedies = [each.value for each in call.keywords if each.arg == "remedy"]
            # The second argument of such an exception is the remedy.
            said = 2 if _name_of(call.func) in FAULTS else 1
            for given in (*call.args[:said], *remedies):
                yield from _said_by(given, constants)
        elif isinstance(call, ast.Call) and _name_of(call.func) in _MAKERS:
            for given in call.args:
                yield from _said_by(given, constants)
        elif isinstance(call, ast.Call) and _name_of(call.func) == "counted":
            yield from _counted(call)


def _constants(module: ast.Module) -> dict[str, ast.expr]:
    """Return the module-level constants of a module by name."""
    return {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _said_by(given: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield the templates of an argument."""
    if isinstance(given, ast.IfExp):
        yield from _said_by(given.body, constants)
        yield from _said_by(given.orelse, constants)
    elif isinstance(given, ast.Name) and given.id in constants:
        yield from _said_by(constants[given.id], {})
    elif text := _template(given):
        yield text


def _counted(call: ast.Call) -> Iterator[str]:
    """Yield the singular and plural templates of a call of `counted` with constant nouns."""
    nouns = [_template(word) for word in call.args[1:]]
    if not nouns or None in nouns:
        return
    yield f"{{n}} {nouns[0]}"
    yield f"{{n}} {nouns[1] if len(nouns) > 1 else f'{nouns[0]}s'}"


def _parts(module: ast.Module, names: Iterable[str]) -> Iterator[str]:
    """Yield the texts with a space in the named functions, classes and tables."""
    wanted = set(names)
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        called = {getattr(node, "name", ""), *(getattr(t, "id", "") for t in targets)}
        if isinstance(node, ast.ClassDef) and not wanted & called:
            yield from _parts(ast.Module(node.body, []), names)
        elif wanted & called:
            yield from _texts(node)


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Call) and _name_of(node.func) == "counted":
        return  # its nouns are collected elsewhere
    if isinstance(node, ast.Constant | ast.JoinedStr):
        text = (_template(node) or "").strip()
        if (
            text not in PIECES
            and " " in text
            and re.search(r"[a-z]{2}", re.sub(r"\{.*?\}", "", text))
        ):
            yield text
    for part in ast.iter_child_nodes(node):
        if not isinstance(node, ast.JoinedStr) or isinstance(part, ast.FormattedValue):
            yield from _texts(part)


def _template(node: ast.expr) -> str | None:
    """Return an f-string as a template with placeholders named after its values.

    None for others.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace("{", "{{").replace("}", "}}")
    if not isinstance(node, ast.JoinedStr):
        return None
    text, times = "", Counter[str]()
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            name = _name_of(part.value).strip("_") or "value"
            times[name] += 1
            text += f"{{{name}}}" if times[name] == 1 else f"{{{name}{times[name]}}}"
        else:
            text += _template(part) or ""
    return text


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=inner) | ast.Subscript(value=inner):
            return _name_of(inner)
    return "value"


def _run(program: str, *arguments: str) -> None:
    command = shutil.which(program, path=str(Path(sys.executable).parent)) or program
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"'{program}' failed: {done.stderr or done.stdout}")


if __name__ == "__main__":
    sys.exit(main())

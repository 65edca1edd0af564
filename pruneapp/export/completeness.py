"""Account for every entry of the source: written, converted or omitted, but never silently lost.

An export is compared with its source before the first byte is written. Entries that the format
cannot represent are an error unless the user allowed omitting them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.gguf import GGUF
from pruneapp.checkpoint.formats.headers import quoted_names, show
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.torchfile import exported_program
from pruneapp.checkpoint.torchfile.zip_format import SCRIPT
from pruneapp.errors import ExportError, ParameterError, UnwritableError, counted
from pruneapp.export.format import Format, Plan
from pruneapp.export.formats.safetensors import LAID_OUT, SAFETENSORS
from pruneapp.export.provenance import KEY
from pruneapp.export.records import State, is_changed
from pruneapp.export.rounding import CONTAINER, DTYPE, KEEP
from pruneapp.export.sharding import SHARD_SIZE
from pruneapp.progress import Job

# Maximum number of names in a sentence; the details have all of them.
_NAMED = 3
# Maximum number of keys listed of an omitted container, which are shown nowhere else.
_KEYS = 12
# Traits of stored tensors that concern only their representation, not their values.
_WAYS = ("a numpy ", "a DTensor", "a conjugate view", "a negated view", "sparse ", "torch.")


def keeps_all(checkpoint: Checkpoint, form: Format, values: Mapping[str, Any]) -> bool:
    """Return whether an export keeps the container with its unreadable entries.

    False if the parameters `values` select a dtype, a shard size or a plain state dict, or if the
    format cannot keep the container. What is pruned can still prevent it; `account_for` checks the
    plans.
    """
    whole = (
        values.get(DTYPE.name, KEEP) == KEEP
        and values.get(SHARD_SIZE.name) is None
        and values.get(CONTAINER.name, KEEP) == KEEP
    )
    return whole and form.keeps(checkpoint)


def find_unwritable(
    checkpoint: Checkpoint, form: Format, values: Mapping[str, Any]
) -> Mapping[str, str]:
    """Return the unreadable tensors that an export would lose, with the reason of each.

    Empty if the format is for masks only, or if the container is kept. Determined from headers and
    parameters; what is pruned can add more, see `account_for`.
    """
    if not form.lossless or keeps_all(checkpoint, form, values):
        return {}
    return checkpoint.contents.unreadable


def refuse_unwritable(
    checkpoint: Checkpoint, form: Format, values: Mapping[str, Any], omit: Sequence[str]
) -> None:
    """Raise `UnwritableError` if entries can neither be written nor omitted.

    `omit` has names or globs of unreadable tensors that may be omitted. Raises `ParameterError` if
    one of them matches no unreadable tensor.
    """
    find_omitted(checkpoint, omit)
    _refuse(checkpoint, form, find_unwritable(checkpoint, form, values), omit)


def find_omitted(checkpoint: Checkpoint, omit: Sequence[str]) -> tuple[str, ...]:
    """Return the unreadable tensors that `omit` matches, in the order of the file.

    Raises `ParameterError` if a pattern matches no unreadable tensor: others are never omitted.
    """
    unreadable = checkpoint.contents.unreadable
    for pattern in omit:
        if not any(_matches(name, [pattern]) for name in unreadable):
            reason = f" ({quoted_names(tuple(unreadable))})" if unreadable else ": there is none"
            raise ParameterError(
                f"'--omit' must name a tensor of the file that cannot be read{reason} "
                f"(got '{show(pattern)}').",
                remedy="Tensors that can be read are always written.",
            )
    return tuple(name for name in unreadable if _matches(name, omit))


def omitted_entries(checkpoint: Checkpoint, form: Format, plans: Iterable[Plan]) -> tuple[str, ...]:
    """Return all unreadable tensors, or () if the planned files include them.

    They are included if every file of weights keeps its container. Also () for a format of masks
    only. Plans without tensors are ignored.
    """
    if not form.lossless or all(plan.container for plan in plans if plan.names):
        return ()
    return tuple(checkpoint.contents.unreadable)


def account_for(
    state: State, form: Format, plans: Mapping[Path, Plan], omit: Sequence[str], job: Job
) -> tuple[str, ...]:
    """Compare the plans with the source, and return notices for the user.

    The notices state what was kept, changed, converted or omitted. A format of masks only needs the
    original anyway: () after the check of `omit`.

    Parameters
    ----------
    plans
        All files to be written by path, including copies and an index.
    omit
        Names or globs of unreadable tensors that may be omitted.

    Raises
    ------
    ParameterError
        If a pattern of `omit` matches no unreadable tensor.
    UnwritableError
        If an unreadable entry would be missing although `omit` does not match it.
    ExportError
        If a readable tensor is missing in the plans, which is a defect of the format.
    """
    leave = find_omitted(state.checkpoint, omit)
    if not form.lossless:  # files with masks only are used together with the original
        return ()
    checkpoint = state.checkpoint
    weights = {path: plan for path, plan in plans.items() if plan.names}
    kept = all(plan.container for plan in weights.values())
    missing = [*_find_missing(checkpoint, tuple(weights.values()), job)]
    if missing:
        raise ExportError(
            f"{quoted_names(missing)} of '{checkpoint.path}' would not be in the export, which is "
            "a bug in Pruneapp.",
            remedy="Choose another format, and report this.",
            details="\n".join(map(show, missing)),
        )
    left = omitted_entries(checkpoint, form, weights.values())
    blocked_by = [name for plan in weights.values() for name in plan.blocked_by]
    unread = {n: checkpoint.contents.unreadable[n] for n in left}
    _refuse(checkpoint, form, unread, omit, blocked_by)
    text = all(_has_metadata(form, path.suffix.lower()) for path in weights)
    return tuple(_notices(state, form, leave, job, kept=kept, text=text))


def losses(
    checkpoint: Checkpoint, form: Format, suffix: str, job: Job, *, kept: bool
) -> tuple[str, ...]:
    """Return sentences about what an export would lose or convert.

    () if the format is for masks only. `kept` is whether the container is kept; then the sentences
    are those about its other contents, if there are any. `suffix` is that of the file to be
    written, in lower case; it decides whether the file has metadata.
    """
    if not form.lossless:
        return ()
    if kept:
        contents = checkpoint.contents
        return form.kept_notes if contents.outside_keys or contents.non_tensor_keys else ()
    unreadable = tuple(checkpoint.contents.unreadable)
    are = "is" if len(unreadable) == 1 else "are"
    first = (
        (f"{quoted_names(unreadable)} {are} excluded: the export asks for confirmation first.",)
        if unreadable
        else ()
    )
    text = _has_metadata(form, suffix)
    return (*first, *_describe_losses(checkpoint, lambda _trait, names: names, job, text=text))


def describe_outside(checkpoint: Checkpoint, *, kept: bool = False) -> str:
    """Return a sentence about values outside of the state dict; "" if there are none.

    It says whether they are `kept` or not included.
    """
    keys = checkpoint.contents.outside_keys
    if not keys:
        return ""
    outside = _outside(checkpoint, keys)
    return f"Kept unchanged: {outside}." if kept else f"Not included: {outside}."


def _refuse(
    checkpoint: Checkpoint,
    form: Format,
    unread: Mapping[str, str],
    omit: Sequence[str],
    blocked_by: Sequence[str] = (),
) -> None:
    """Raise `UnwritableError` if `unread` has tensors that no pattern in `omit` matches.

    `unread` has the reason of each tensor. `blocked_by` are pruned tensors that prevent keeping the
    container; then the message recommends not to prune them, otherwise another format.
    """
    names = [name for name in unread if not _matches(name, omit)]
    if not names:
        return
    them = "it" if len(names) == 1 else "them"
    if blocked_by:
        why = f"the container cannot be kept because {quoted_names(blocked_by)} would be pruned"
        these = "that tensor" if len(blocked_by) == 1 else "those tensors"
        remedy = f"Uncheck {these}, or exclude {quoted_names(names)} with --omit NAME."
    else:
        why = _reasons({name: unread[name] for name in names})
        remedy = f"Exclude {them} with --omit NAME{_elsewhere(checkpoint, form)}."
    error = UnwritableError(
        f"{quoted_names(names)} of '{checkpoint.path}' cannot be written as {form.name}: {why}.",
        remedy=remedy,
        details="\n".join(f"{show(name)}: {unread[name]}" for name in names),
    )
    error.unread = {name: unread[name] for name in names}
    raise error


def _elsewhere(checkpoint: Checkpoint, form: Format) -> str:
    """Return the end of a sentence that recommends the first format which keeps unreadable entries.

    "" if none does. The text also names tensors that must not be pruned for that.
    """
    from pruneapp.export.catalog import FORMATS

    for other in FORMATS.values():
        if other.name != form.name and other.keeps(checkpoint):
            moved = [
                entry.name
                for entry in checkpoint.entries.values()
                if entry.prunable and not other.in_place(checkpoint, entry)
            ]
            unless = f" as long as you do not prune {quoted_names(moved)}" if moved else ""
            return f", or export as {other.name}, which keeps what was opened{unless}"
    return ""


def _reasons(unread: Mapping[str, str]) -> str:
    """Return the reasons of the tensors as text, or only the reason if all have the same."""
    if len(set(unread.values())) == 1:
        return next(iter(unread.values()))
    notices = [f"'{show(name)}': {why}" for name, why in [*unread.items()][:_NAMED]]
    return "; ".join(notices) + ("; …" if len(unread) > _NAMED else "")


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _find_missing(checkpoint: Checkpoint, plans: Sequence[Plan], job: Job) -> Iterator[str]:
    names: set[str] = set()
    for plan in plans:
        names.update(plan.names)
    for name in job.cancel.each(checkpoint.entries):
        if name not in names and f"{name}_orig" not in names:
            yield name


def _notices(
    state: State, form: Format, leave: Sequence[str], job: Job, *, kept: bool, text: bool
) -> Iterator[str]:
    """Yield notices about a planned export: what was kept if `kept`, otherwise what was lost.

    `kept` is whether all files of weights keep their container, `leave` the tensors omitted on
    request, and `text` whether all files have the metadata of safetensors.
    """
    checkpoint = state.checkpoint
    unreadable = checkpoint.contents.unreadable
    if kept:
        if unreadable:
            were = "was" if len(unreadable) == 1 else "were"
            yield (
                f"{quoted_names(tuple(unreadable))} {were} not read, and {were} written unchanged."
            )
        if checkpoint.contents.non_tensor_keys:
            yield f"Kept unchanged: {_no_tensors(checkpoint)}."
        changed_beside = {
            key: names
            for key, tensors in checkpoint.contents.keys_sharing_memory.items()
            if (names := [n for n in tensors if is_changed(state, state.checkpoint.entry(n).name)])
        }
        for key, names in changed_beside.items():
            shown = quoted_names(names)
            yield f"Changed as well: '{show(key)}', which shares the numbers of {shown}."
        unchanged = [key for key in checkpoint.contents.outside_keys if key not in changed_beside]
        if unchanged:
            yield (
                f"Kept unchanged: {_outside(checkpoint, unchanged)}. These are the values of the "
                "opened file, before pruning."
            )
        return
    if leave:
        were = "was" if len(leave) == 1 else "were"
        why = _reasons({name: unreadable[name] for name in leave})
        yield f"{quoted_names(leave)} {were} excluded as requested: {why}."

    def changed(trait: str, names: tuple[str, ...]) -> tuple[str, ...]:
        if not trait.startswith("sparse") or form.name != "csr":
            return names
        return tuple(n for n in names if checkpoint.holds(n) and state.export_mask(n) is None)

    yield from _describe_losses(checkpoint, changed, job, text=text)


def _describe_losses(checkpoint: Checkpoint, of: Any, job: Job, *, text: bool) -> Iterator[str]:
    """Yield sentences about what a file with only plain tensors loses of the source.

    `of` is called with each trait of tensors and their names, and returns the names to report.
    `text` is whether the metadata of a safetensors source is kept.
    """
    contents = checkpoint.contents
    traits = {trait: of(trait, names) for trait, names in contents.traits.items()}
    entries = checkpoint.entries.values()
    strided = [e.name for e in job.cancel.each(entries) if e.location.strides is not None]
    ways = {trait: names for trait, names in traits.items() if trait.startswith(_WAYS)}
    if sentence := _group_by_traits({**ways, "not contiguous": strided}):
        yield f"Written as plain, contiguous tensors: {sentence}."
    if sentence := _group_by_traits({t: names for t, names in traits.items() if t not in ways}):
        yield f"The export contains only the values, not these properties: {sentence}."
    for name, (what, *parts) in islice(contents.parts.items(), _NAMED):
        yield (
            f"'{show(name)}', a {what}, was written as the plain tensors that it is made of: "
            f"{quoted_names(parts, len(parts))}."
        )
    if len(contents.parts) > _NAMED:
        others = counted(len(contents.parts) - _NAMED, "more tensor")
        yield f"The same applies to {others} with such properties."
    if contents.non_tensor_keys:
        yield f"Not included: {_no_tensors(checkpoint)}."
    if sentence := describe_outside(checkpoint):
        yield sentence
    if contents.format == SCRIPT:
        yield "Not included: the TorchScript program. This format stores tensors only."
    elif contents.format == exported_program.FORMAT:
        yield (
            "Not included: the graph of the program, its constants and its example inputs. This "
            "format stores tensors only."
        )
    elif contents.format == ONNX.name:
        yield "Not included: the ONNX graph. This format stores tensors only."
    elif contents.format == GGUF.name:
        yield (
            "The tensors keep the names and the order of rows of llama.cpp: transformers loads "
            "them only after a conversion."
        )
    elif contents.unknown_globals:
        yield (
            "Not included: objects and code of the file "
            f"({quoted_names(contents.unknown_globals)})."
        )
    if text and checkpoint.format in LAID_OUT:
        return
    ties = {alias for entry in job.cancel.each(entries) for alias in entry.aliases}
    texts = [key for key in checkpoint.metadata if key != "format" and key not in ties]
    texts = [key for key in texts if not key.startswith(KEY)]  # the export has its own
    if texts:
        yield f"Not included: the metadata of the file ({quoted_names(texts, _KEYS)})."


def _group_by_traits(traits: Mapping[str, Sequence[str]]) -> str:
    """Return a text that names each tensor once with its traits, grouped by equal traits.

    More than three tensors of a group are counted instead of named. "" without traits.
    """
    traits_of: dict[str, tuple[str, ...]] = {}
    for trait, names in traits.items():
        for name in names:
            traits_of[name] = (*traits_of.get(name, ()), trait)
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, some in traits_of.items():
        groups.setdefault(some, []).append(name)
    return ", ".join(
        f"{quoted_names(names) if len(names) <= _NAMED else counted(len(names), 'tensor')} "
        f"({', '.join(some)})"
        for some, names in groups.items()
    )


def _no_tensors(checkpoint: Checkpoint) -> str:
    others = checkpoint.contents.non_tensor_keys
    kind = "not a tensor" if len(others) == 1 else "not tensors"
    return f"{quoted_names(others, _KEYS)} ({kind})"


def _outside(checkpoint: Checkpoint, keys: Sequence[str]) -> str:
    contents = checkpoint.contents
    where = f"'{show(contents.state_dict)}'" if contents.state_dict else "the state dict"
    return f"{quoted_names(keys, _KEYS)} (outside {where})"


def _has_metadata(form: Format, suffix: str) -> bool:
    """Return whether a file of this format keeps the metadata of a safetensors file."""
    container = form.container(suffix) or form.suffixes[0]
    return SAFETENSORS.name in container

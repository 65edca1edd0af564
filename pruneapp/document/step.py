"""A pruning step as requested: one or more methods, each with its parameters and tensors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self

from pruneapp.checkpoint.entry import WRAPPERS
from pruneapp.document.entries import (
    FileMasksEntry,
    FinalizeEntry,
    RowEntry,
    StepConfiguration,
    StepEntry,
    TreatZerosEntry,
    read_entry,
)
from pruneapp.errors import MAX_SORTED, ParameterError, counted, in_numeric_order
from pruneapp.methods import registry
from pruneapp.methods.builtin.patterns import BlockParam, PatternParam
from pruneapp.methods.cutoff import check_scope
from pruneapp.methods.limits import Limits, check_limits, percent
from pruneapp.methods.method import Method, Scope
from pruneapp.params import Amount, AmountParam, DimParam, FileParam, NormParam, Param, SeedParam

# Prefixes that wrappers such as DataParallel add to all names; they do not describe the model.
IN_FRONT = WRAPPERS | {"module"}


def shown_parts(name: str) -> list[str]:
    """Split a tensor name at its dots and drop the prefixes of wrappers."""
    parts = name.split(".")
    while len(parts) > 1 and parts[0] in IN_FRONT:
        parts = parts[1:]
    return parts


def shown_name(name: str) -> str:
    """Return a tensor name for display, without wrapper prefixes and a trailing ``weight``."""
    parts = shown_parts(name)
    if len(parts) > 1 and parts[-1] == "weight":
        parts.pop()
    return ".".join(parts)


@dataclass(frozen=True)
class TensorEdit:
    """Base class of edits of whole tensors that have no parameters but the names."""

    ENTRY: ClassVar[type[TreatZerosEntry | FinalizeEntry | FileMasksEntry]]

    names: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the edit as plain JSON."""
        name = self.ENTRY.__struct_config__.tag
        return {"name": name, "configuration": {"names": list(self.names)}}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Create the edit from the result of `to_dict`; raises `ParameterError`."""
        return cls(read_entry(data, cls.ENTRY).configuration.names)


_NORM_WORDS = {"fro": "Frobenius", "nuc": "Nuclear norm"}
_MOST_ROWS_NAMED = 3
_MOST_TENSORS_NAMED = 20


@dataclass(frozen=True)
class Row:
    """A method, its parameter values, and the tensors that it is applied to.

    Raises
    ------
    ParameterError
        If there is no such method, or a parameter value is not valid.
    """

    names: tuple[str, ...]  # any names of the tensors, not only first names
    method: str  # name of the method in the registry
    # By parameter name. Missing values are set to their defaults when the row is created.
    values: Mapping[str, Any] = field(default_factory=dict)
    # The pattern by which the user selected the tensors; empty if they were checked individually.
    pattern: str = ""

    def __post_init__(self) -> None:
        valid = registry.get(self.method).validate(self.values)
        if not issubclass(type(self.names), tuple):  # keep a `HashedNames`, which caches its hash
            object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "values", MappingProxyType(valid))

    def __hash__(self) -> int:
        return hash((self.names, self.method, tuple(self.values.items()), self.pattern))

    @property
    def prunes(self) -> bool:
        """Whether its method can prune anything."""
        return registry.get(self.method).prunes

    def label(self, *, amount: bool = True) -> str:
        """Return a short text such as "L2 30 %, dim 0, on layer3"; `amount` False omits "30 %"."""
        method = registry.get(self.method)
        head, *rest = _method_texts(method, self.values, amount=amount)
        place = f"on {self.place()}"
        return ", ".join((head, *rest, place)) if rest else f"{head} {place}"

    def method_words(self, *, amount: bool = True) -> str:
        """Return the text of `label` without the tensors, such as "L2 30 %, dim 0"."""
        return ", ".join(_method_texts(registry.get(self.method), self.values, amount=amount))

    def place(self) -> str:
        """Return a text for the tensors: the pattern, a single name, or their number.

        A pattern is shown without stars and dots at its ends, if no other star remains. A number
        has the common prefix of the names: "12 tensors of layers.3".
        """
        text = self.pattern.strip("*.")
        if text and "*" not in text:
            return text
        if self.pattern and text:
            return self.pattern
        if len(self.names) == 1:
            return ".".join(shown_parts(self.names[0]))
        part = _common_part(self.names) if self.names else ""
        return f"{len(self.names):,} tensors" + (f" of {part}" if part else "")

    def plain_values(self) -> dict[str, Any]:
        """Return the parameter values as plain JSON."""
        params = {p.name: p for p in registry.get(self.method).params}
        return {n: _plain(params[n], v) for n, v in self.values.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain JSON: "name" (the method) and "configuration".

        `from_dict` is its inverse.
        """
        return {
            "name": self.method,
            "configuration": {
                "values": self.plain_values(),
                "names": list(self.names),
                "pattern": self.pattern,
            },
        }

    @classmethod
    def from_dict(cls, data: object) -> Row:
        """Create a row from the result of `to_dict`; raises `ParameterError`."""
        return cls.of(read_entry(data, RowEntry))

    @classmethod
    def of(cls, entry: RowEntry, names: tuple[str, ...] | None = None) -> Row:
        """Create a row from an entry; `names` replaces the names in the entry if given.

        Values that are text are parsed by their parameter. Raises `ParameterError` if there is no
        such method or a value is not valid.
        """
        params = {p.name: p for p in registry.get(entry.name).params}
        configuration = entry.configuration
        values = {
            n: params[n].parse(v) if isinstance(v, str) and n in params else v
            for n, v in configuration.values.items()
        }
        names = configuration.names if names is None else names
        return cls(names, entry.name, values, configuration.pattern or configuration.kind)


@dataclass(frozen=True)
class Step:
    """One or more rows that are applied together as one entry of the history.

    Raises
    ------
    ParameterError
        If there is no row; a method does not support the scope or the limits; limits are set and no
        row prunes; a total is set and not exactly one row prunes; `prune_bias_and_norm` is set and
        no row prunes channels along dim 0; or `dependents` is set and no row prunes channels.
    """

    # If several rows name a tensor, the last one is applied to it.
    rows: tuple[Row, ...]
    # "local": one threshold per tensor. "global": one threshold for all tensors of a row.
    scope: Scope = "local"
    # Sparsity limits and excluded tensors; they apply to each row.
    limits: Limits = field(default_factory=Limits)
    # Whether to prune matching bias and norm entries with channels along dim 0, see
    # `pruneapp.edits.coupled_tensors`. Amounts count the tensors of the rows only.
    prune_bias_and_norm: bool = False
    # Whether to prune everything that depends on the pruned channels, see
    # `pruneapp.edits.dependents`. Amounts count the tensors of the rows only.
    dependents: bool = field(default=False, kw_only=True)
    # Names of the data that the amounts were derived from, as by a sensitivity scan.
    data: tuple[str, ...] = field(default=(), kw_only=True)
    # The trace that the groups come from, see `pruneapp.groups.trace.with_trace`.
    trace: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        if not self.rows:
            raise ParameterError("A step needs a rule (got none).", remedy="Add one.")
        for row in self.rows:
            check_scope(registry.get(row.method), self.scope)
            check_limits(registry.get(row.method), self.limits)
        pruning = sum(row.prunes for row in self.rows)
        if self.limits.bound and not pruning:
            raise ParameterError(
                f"This step prunes nothing, so limits do not apply "
                f"({', '.join(self.limits.words())}).",
                remedy="Remove them, or choose a method that prunes.",
            )
        if self.limits.target_sparsity is not None and pruning != 1:
            raise ParameterError(
                f"A total needs a step with one rule that prunes (got {pruning}).",
                remedy="Remove it, or make one step per rule.",
            )
        if self.prune_bias_and_norm and not any(map(may_have_companions, self.rows)):
            raise ParameterError(
                "Only whole channels along dim 0 have matching bias and norm entries (got "
                f"{'; '.join(row.label() for row in self.rows[:_MOST_ROWS_NAMED])}).",
                remedy="Choose a structured method and dim 0, or turn off bias and norm.",
            )
        if self.dependents and not any(map(takes_channels, self.rows)):
            raise ParameterError(
                "Other tensors depend on whole channels only (got "
                f"{'; '.join(row.label() for row in self.rows[:_MOST_ROWS_NAMED])}).",
                remedy="Choose a structured method, or turn dependents off.",
            )

    @contextmanager
    def number_errors(self, row: Row) -> Iterator[None]:
        """Add the number of `row` to a `ParameterError` of the block, if there are several rows.

        `row` must be one of the objects in `rows`. Other errors are not changed.
        """
        try:
            yield
        except ParameterError as error:
            if len(self.rows) == 1:
                raise
            number = next(n for n, each in enumerate(self.rows, 1) if each is row)
            sentence = f"Rule {number}: {error.sentence}"
            raise ParameterError(sentence, remedy=error.remedy) from None

    @property
    def prunes(self) -> bool:
        """Whether a method of a row can prune anything; if not, `scope` has no effect."""
        return any(row.prunes for row in self.rows)

    @property
    def one_cut(self) -> bool:
        """Whether one magnitude threshold applies to all tensors of the step.

        That is so for a global step of one row by magnitude without limits.
        """
        rows = self.rows
        return (
            self.scope == "global"
            and len(rows) == 1
            and registry.get(rows[0].method).estimated_by == "magnitudes"
            and not self.limits.bound
        )

    def along_texts(self) -> tuple[str, ...]:
        """Return texts for what is pruned together with the channels of the rows."""
        bias = ("with bias and norm",) if self.prune_bias_and_norm else ()
        return (*bias, *(("with dependent tensors",) if self.dependents else ()))

    def label(self, counts: Sequence[int] = ()) -> str:
        """Return a label such as "L1 20 %, global, on 24 tensors".

        Lists elide the end: what distinguishes a step comes first, and the tensors come last. With
        several rows it is "L1 20 %, L1 30 % on 24 tensors by 3 rules, global".

        `counts` has the number of tensors that each of several rows prunes (see
        `pruneapp.document.selection.counts_of`). If it is empty, the label lists the rows as
        requested.
        """
        amounts = self.limits.target_sparsity is None
        scope = ("global",) if self.scope == "global" and self.prunes else ()
        words = self.limits.words()
        total = words[:1] if not amounts else ()  # it replaces the amount
        chosen = ("allocated by a scan",) if self.data else ()
        settings = (*total, *self.along_texts(), *scope, *words[len(total) :], *chosen)
        if len(self.rows) == 1 and not counts and settings:
            (row,) = self.rows
            return ", ".join((row.method_words(amount=amounts), *settings, f"on {row.place()}"))
        labels = [row.label(amount=amounts) for row in self.rows[:_MOST_ROWS_NAMED]]
        if len(self.rows) > _MOST_ROWS_NAMED:
            labels.append(counted(len(self.rows) - _MOST_ROWS_NAMED, "more rule"))
        if counts:
            pruned = [
                (row, n) for row, n in zip(self.rows, counts, strict=True) if row.prunes and n
            ]
            # Labels of the methods, which distinguish steps whose rules differ in their amounts.
            what = list(dict.fromkeys(row.method_words(amount=amounts) for row, _ in pruned))
            if chosen:  # each tensor has its own amount: the total says more
                what = list(_total_words([row for row, _ in pruned]))
            more = ", …" if len(what) > _MOST_ROWS_NAMED else ""
            head = f"{', '.join(what[:_MOST_ROWS_NAMED])}{more} " if what else ""
            tensors = counted(sum(n for _, n in pruned), "tensor")
            labels = [f"{head}on {tensors} by {len(self.rows)} rules"]
        return ", ".join(("; ".join(labels), *settings))

    def detail(self, counts: Sequence[int] = ()) -> str:
        """Return a text with all settings and the first tensors of each row, one per line.

        With `counts`, the number of tensors that each row prunes, a row is one line with that
        number, or with the name of its only tensor. Scope and limits come last in both forms.
        """
        lines = []
        for number, (row, count) in enumerate(zip(self.rows, counts, strict=False), 1):
            where = f" ({row.pattern})" if row.pattern else ""
            tensors = f"{counted(count, 'tensor')}{where}"
            if (count, len(row.names)) == (1, 1):  # as in an allocation
                tensors = row.names[0]
            lines.append(f"Rule {number}: {row.method_words()} on {tensors}")
        for row in () if counts else self.rows:
            method = registry.get(row.method)
            lines.append(method.label)
            # A total replaces the amount.
            fixed = (
                p
                for p in method.params
                if p.name in row.values
                and (self.limits.target_sparsity is None or not isinstance(p, AmountParam))
            )
            lines += [f"  {p.label}: {p.label_of(row.values[p.name])}" for p in fixed]
            if row.pattern:
                lines.append(f"  Pattern: {row.pattern}")
            few = len(row.names) <= MAX_SORTED
            names = in_numeric_order(row.names) if few else row.names
            lines += [f"  {name}" for name in names[:_MOST_TENSORS_NAMED]]
            if len(row.names) > _MOST_TENSORS_NAMED:
                lines.append(f"  and {len(row.names) - _MOST_TENSORS_NAMED:,} more")
        is_scoped = any(registry.get(row.method).scopes != ("local",) for row in self.rows)
        of_groups = all(registry.get(row.method).granularity == "units" for row in self.rows)
        local = "Scope: per group" if of_groups else "Scope: per tensor"
        each = ("Scope: global" if self.scope == "global" else local,)
        limits = self.limits.words()
        bounds = (f"Limits: {', '.join(limits)}",) if limits else ()
        bias = ("Matching bias and norm entries: pruned",) if self.prune_bias_and_norm else ()
        along = ("Dependent tensors: pruned",) if self.dependents else ()
        settings = (*(each if self.prunes and is_scoped else ()), *bounds, *bias, *along)
        return "\n".join((*lines, *settings))

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain JSON: "name" ("step") and "configuration".

        Only scope and rows are always included, the rest if it is not the default. `from_dict` is
        its inverse.
        """
        rows = [row.to_dict() for row in self.rows]
        limits = self.limits.to_dict()
        more: dict[str, Any] = {"limits": limits} if limits else {}
        if self.prune_bias_and_norm:
            more["prune_bias_and_norm"] = True
        if self.dependents:
            more["dependents"] = True
        if self.data:
            more["data"] = list(self.data)
        if self.trace:
            more["trace"] = self.trace
        return {"name": "step", "configuration": {"scope": self.scope, "rows": rows, **more}}

    @classmethod
    def from_dict(cls, data: object) -> Step:
        """Create a step from the result of `to_dict`; raises `ParameterError`."""
        configuration = read_entry(data, StepEntry).configuration
        return cls.of(configuration, tuple(Row.of(row) for row in configuration.rows))

    @classmethod
    def of(cls, configuration: StepConfiguration, rows: tuple[Row, ...]) -> Step:
        """Create a step from its configuration and from rows with resolved tensor names.

        Raises `ParameterError` if the step is not valid.
        """
        given = configuration.limits
        limits = Limits(
            given.min_sparsity, given.max_sparsity, given.target_sparsity, given.exclude
        )
        return cls(
            rows,
            configuration.scope,
            limits,
            configuration.prune_bias_and_norm,
            dependents=configuration.dependents,
            data=configuration.data,
            trace=configuration.trace,
        )


def may_have_companions(row: Row) -> bool:
    """Return whether a row prunes whole channels along dim 0 of some tensor."""
    param = _dim_param(row)
    return param is not None and row.values[param.name] <= 0


def takes_channels(row: Row) -> bool:
    """Return whether a row prunes whole channels."""
    return _dim_param(row) is not None


def dim_of(row: Row, shape: tuple[int, ...], name: str) -> int:
    """Return the non-negative dimension whose channels a row prunes in a tensor; -1 for none."""
    param = _dim_param(row)
    return -1 if param is None else param.resolve(row.values[param.name], shape, name)


def _dim_param(row: Row) -> DimParam | None:
    method = registry.get(row.method)
    if method.granularity != "channels":
        return None
    return next((p for p in method.params if isinstance(p, DimParam)), None)


def _plain(param: Param, value: Any) -> Any:
    # JSON has no infinity; the text form that the parameter parses is stored instead.
    if isinstance(value, float) and not math.isfinite(value):
        return param.format(value)
    return value


def _method_texts(method: Method, values: Mapping[str, Any], *, amount: bool) -> list[str]:
    """Return the method with its amount ("L1 20 %"), then other settings to show ("dim 0").

    `amount` False omits the amount. Of other settings, those that are not defaults are shown, and
    always blocks, dimensions and seeds; files are not.
    """
    head = method.label.partition(" (")[0].removesuffix("…")
    head = head.removesuffix(" unstructured").removesuffix(" structured")
    rest = []
    amount_text = ""
    for param in method.params:
        if param.name not in values:  # it has no effect with the other values
            continue
        value = values[param.name]
        if isinstance(param, AmountParam):
            amount_text = _amount(value, method) if amount else ""
        elif isinstance(param, NormParam):
            head = _NORM_WORDS.get(value) or f"L{value:g}".replace("inf", "∞").replace("-", "−")
        elif isinstance(param, PatternParam):
            head = re.sub("N:M.*", value, head)
        elif isinstance(param, FileParam):
            pass  # shown by `detail`
        elif isinstance(param, (BlockParam, DimParam, SeedParam)):
            rest.append(f"{param.name} {value}".replace("-", "−"))
        elif value != param.default:
            chosen = param.label_of(value).partition(" (")[0]
            rest.append(f"{param.label.lower()} {chosen}")
    return [f"{head} {amount_text}".strip(), *rest]


def _total_words(rows: Sequence[Row]) -> Iterator[str]:
    """Yield each method of rows with the sum of their counts: "L1 12,345 weights"."""
    totals: dict[str, int] = {}
    for row in rows:
        params = registry.get(row.method).params
        count = sum(
            amount
            for param in params
            if isinstance(param, AmountParam) and isinstance(amount := row.values[param.name], int)
        )
        totals[row.method] = totals.get(row.method, 0) + count
    for row in {row.method: row for row in rows}.values():
        method = registry.get(row.method)
        names = [param.name for param in method.params if isinstance(param, AmountParam)]
        values = {**row.values, **dict.fromkeys(names, totals[row.method])}
        yield ", ".join(_method_texts(method, values, amount=bool(totals[row.method])))


def _amount(amount: Amount, method: Method) -> str:
    if isinstance(amount, float):
        return percent(amount)
    units = {"channels": "channel", "blocks": "block", "units": "unit"}
    unit = units.get(method.granularity, "weight")
    return f"{amount:,} {unit}" + ("" if amount == 1 else "s")


def _common_part(names: tuple[str, ...]) -> str:
    """Return the common first modules of names, without prefixes of wrappers; may be empty."""
    # The common prefix of the first and last name in alphabetical order is common to all names.
    common = []
    for first, last in zip(min(names).split(".")[:-1], max(names).split(".")[:-1], strict=False):
        if first != last:
            break
        common.append(first)
    while common and common[0] in IN_FRONT:
        common.pop(0)
    return ".".join(common)

"""What a person requests: one or several methods, each with its values and its tensors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self

from msgspec import UNSET

from pruneapp.checkpoint.entry import WRAPPERS
from pruneapp.document.entries import (
    FileMasksEntry,
    FinalizeEntry,
    RowEntry,
    StepConfiguration,
    StepEntry,
    TreatZerosEntry,
    Version,
    read_entry,
)
from pruneapp.errors import MAX_SORTED, ParameterError, counted, in_numeric_order
from pruneapp.methods import registry
from pruneapp.methods.builtin.patterns import BlockParam, PatternParam
from pruneapp.methods.cutoff import check_scope
from pruneapp.methods.limits import Limits, check_limits, percent
from pruneapp.methods.method import Method, Scope
from pruneapp.params import Amount, AmountParam, DimParam, FileParam, NormParam, Param, SeedParam

# What wrappers put before every name, DataParallel among them; it says nothing about the model.
IN_FRONT = WRAPPERS | {"module"}


def shown_parts(name: str) -> list[str]:
    """Return the parts of a name between its dots, without what wrappers put before it."""
    parts = name.split(".")
    while len(parts) > 1 and parts[0] in IN_FRONT:
        parts = parts[1:]
    return parts


def shown_name(name: str) -> str:
    """Return a name for a label: without wrappers, and a module's weight as the module itself."""
    parts = shown_parts(name)
    if len(parts) > 1 and parts[-1] == "weight":
        parts.pop()
    return ".".join(parts)


@dataclass(frozen=True)
class OnTensors:
    """Something that is done to whole tensors, by any names, and needs nothing said but which."""

    ENTRY: ClassVar[type[TreatZerosEntry | FinalizeEntry | FileMasksEntry]]

    names: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        name = self.ENTRY.__struct_config__.tag
        return {"name": name, "configuration": {"names": list(self.names)}}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Make it from what `to_dict` returned; raises `ParameterError`."""
        return cls(read_entry(data, cls.ENTRY).configuration.names)


_NORM_WORDS = {"fro": "Frobenius", "nuc": "Nuclear norm"}
_MOST_ROWS_NAMED = 3
_MOST_TENSORS_NAMED = 20


@dataclass(frozen=True)
class Row:
    """One method on some tensors.

    Raises
    ------
    ParameterError
        If there is no such method, or a value breaks its rule.
    """

    names: tuple[str, ...]  # any names of the tensors
    method: str  # name in the registry
    # Of the method's parameters; completed with defaults and checked when the row is made.
    values: Mapping[str, Any] = field(default_factory=dict)
    # What the person typed to choose the tensors, for labels; empty if they were checked by hand.
    pattern: str = ""

    def __post_init__(self) -> None:
        valid = registry.get(self.method).validate(self.values)
        if not issubclass(type(self.names), tuple):  # one that keeps its hash stays what it is
            object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "values", MappingProxyType(valid))

    def __hash__(self) -> int:
        return hash((self.names, self.method, tuple(self.values.items()), self.pattern))

    @property
    def prunes(self) -> bool:
        """Whether its method can prune anything."""
        return registry.get(self.method).prunes

    def label(self, *, amount: bool = True) -> str:
        """Say it in words: "L2 30 %, dim 0, on layer3"; `amount` False leaves the 30 % out."""
        method = registry.get(self.method)
        head, *rest = _said(method, self.values, amount=amount)
        place = f"on {self.place()}"
        return ", ".join((head, *rest, place)) if rest else f"{head} {place}"

    def method_words(self, *, amount: bool = True) -> str:
        """Say what is done, and not where: "L2 30 %, dim 0"."""
        return ", ".join(_said(registry.get(self.method), self.values, amount=amount))

    def place(self) -> str:
        """Say where: the pattern without its stars, a name, or how many tensors of which part."""
        shown = self.pattern.strip("*.")
        if shown and "*" not in shown:
            return shown
        if self.pattern and shown:
            return self.pattern
        if len(self.names) == 1:
            return ".".join(shown_parts(self.names[0]))
        part = _common_part(self.names) if self.names else ""
        return f"{len(self.names):,} tensors" + (f" of {part}" if part else "")

    def plain_values(self) -> dict[str, Any]:
        """Return its values as plain JSON."""
        params = {p.name: p for p in registry.get(self.method).params}
        return {n: _plain(params[n], v) for n, v in self.values.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON: the method's name and all that it needs."""
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
        """Make a row from what `to_dict` returned; raises `ParameterError`."""
        return cls.of(read_entry(data, RowEntry))

    @classmethod
    def of(cls, entry: RowEntry, names: tuple[str, ...] | None = None) -> Row:
        """Make a row from an entry, and the names that it means where it gives none."""
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
    """Some rows, applied as one.

    Raises
    ------
    ParameterError
        If there is no row, or a row's method does not know the scope or cannot keep to limits; if a
        total is not asked of exactly one row that prunes; or companions, and no row takes channels
        along dim 0; or dependents, and no row takes channels.
    """

    # At least one. Of several that name a tensor the last one takes precedence.
    rows: tuple[Row, ...]
    # Whether each tensor of a row is cut by itself, or all of them by one threshold.
    scope: Scope = "local"
    # What it may not do, and what it leaves alone. Each row keeps to them.
    limits: Limits = field(default_factory=Limits)
    # Whether the bias and norm of the channels that rows take along dim 0 go as well, see
    # `pruneapp.edits.coupled_tensors`. Amounts count the tensors of the rows alone.
    companions: bool = False
    # Whether everything goes as well that depends on the channels that rows take, see
    # `pruneapp.edits.dependents`. Amounts count the tensors of the rows alone.
    dependents: bool = field(default=False, kw_only=True)
    # Names of the data by which its amounts were chosen: those of a sensitivity scan.
    data: tuple[str, ...] = field(default=(), kw_only=True)
    # 1 for a step that was saved before there was a 2: its rows are done in order, each on what the
    # ones before left, its limits know the order of the file alone, and what it selects by default,
    # patterns or kinds has buffers among it, see `pruneapp.document.selection`.
    version: Version = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        if not self.rows:
            raise ParameterError("A step needs at least one row (got none).", remedy="Add one.")
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
        if self.limits.total is not None and pruning != 1:
            raise ParameterError(
                f"A total needs a step with one row that prunes (got {pruning}).",
                remedy="Remove it, or make one step per row.",
            )
        if self.companions and not any(map(may_have_companions, self.rows)):
            raise ParameterError(
                "Only whole channels along dim 0 have matching bias and norm entries (got "
                f"{'; '.join(row.label() for row in self.rows[:_MOST_ROWS_NAMED])}).",
                remedy="Choose a structured method and dim 0, or turn companions off.",
            )
        if self.dependents and not any(map(takes_channels, self.rows)):
            raise ParameterError(
                "Other tensors depend on whole channels only (got "
                f"{'; '.join(row.label() for row in self.rows[:_MOST_ROWS_NAMED])}).",
                remedy="Choose a structured method, or turn dependents off.",
            )

    @contextmanager
    def naming(self, row: Row) -> Iterator[None]:
        """Say in errors about a row which of several rules it is."""
        try:
            yield
        except ParameterError as error:
            if len(self.rows) == 1:
                raise
            number = next(n for n, each in enumerate(self.rows, 1) if each is row)
            said = f"Rule {number}: {error.sentence}"
            raise ParameterError(said, remedy=error.remedy) from None

    @property
    def prunes(self) -> bool:
        """Whether any of its methods can prune something: else its scope means nothing."""
        return any(row.prunes for row in self.rows)

    @property
    def one_cut(self) -> bool:
        """Whether all tensors are cut at the same magnitude."""
        rows = self.rows
        return (
            self.scope == "global"
            and len(rows) == 1
            and registry.get(rows[0].method).estimated_by == "magnitudes"
            and not self.limits.bound
        )

    def along(self) -> tuple[str, ...]:
        """Say what goes with the channels of its rows."""
        bias = ("with bias and norm",) if self.companions else ()
        return (*bias, *(("with everything that depends on it",) if self.dependents else ()))

    def label(self, counts: Sequence[int] = ()) -> str:
        """Say it in words: "L1 20 % on 19 tensors"; "L1 20 %, L1 30 % on 24 tensors by 3 rules".

        `counts` says how many tensors each of several rows prunes; without it, the rows are said as
        they were asked for.
        """
        amounts = self.limits.total is None
        labels = [row.label(amount=amounts) for row in self.rows[:_MOST_ROWS_NAMED]]
        if len(self.rows) > _MOST_ROWS_NAMED:
            labels.append(counted(len(self.rows) - _MOST_ROWS_NAMED, "more rule"))
        if counts:
            pruned = [
                (row, n) for row, n in zip(self.rows, counts, strict=True) if row.prunes and n
            ]
            # What tells steps of the same rules, but for their amounts, apart.
            what = list(dict.fromkeys(row.method_words(amount=amounts) for row, _ in pruned))
            more = ", …" if len(what) > _MOST_ROWS_NAMED else ""
            said = f"{', '.join(what[:_MOST_ROWS_NAMED])}{more} " if what else ""
            tensors = counted(sum(n for _, n in pruned), "tensor")
            labels = [f"{said}on {tensors} by {len(self.rows)} rules"]
        scope = ("global",) if self.scope == "global" and self.prunes else ()
        return ", ".join(("; ".join(labels), *self.along(), *scope, *self.limits.words()))

    def detail(self, counts: Sequence[int] = ()) -> str:
        """Say all of it, a line for each value and each of the first tensors.

        With the counts that `label` takes, a line for each row.
        """
        lines = []
        for number, (row, count) in enumerate(zip(self.rows, counts, strict=False), 1):
            where = f" ({row.pattern})" if row.pattern else ""
            lines.append(
                f"Rule {number}: {row.method_words()} on {counted(count, 'tensor')}{where}"
            )
        for row in () if counts else self.rows:
            method = registry.get(row.method)
            lines.append(method.label)
            # A total stands in the place of the amount.
            fixed = (
                p
                for p in method.params
                if p.name in row.values
                and (self.limits.total is None or not isinstance(p, AmountParam))
            )
            lines += [f"  {p.label}: {p.format(row.values[p.name])}" for p in fixed]
            if row.pattern:
                lines.append(f"  Pattern: {row.pattern}")
            few = len(row.names) <= MAX_SORTED
            names = in_numeric_order(row.names) if few else row.names
            lines += [f"  {name}" for name in names[:_MOST_TENSORS_NAMED]]
            if len(row.names) > _MOST_TENSORS_NAMED:
                lines.append(f"  and {len(row.names) - _MOST_TENSORS_NAMED:,} more")
        each = (f"Scope: {'global' if self.scope == 'global' else 'per tensor'}",)
        limits = self.limits.words()
        bounds = (f"Limits: {', '.join(limits)}",) if limits else ()
        bias = ("Matching bias and norm entries: pruned",) if self.companions else ()
        along = ("Everything that depends on it: pruned",) if self.dependents else ()
        settings = (*(each if self.prunes else ()), *bounds, *bias, *along)
        return "\n".join((*lines, *settings, *self.old_meaning()))

    def old_meaning(self) -> tuple[str, ...]:
        """Say what a step of version 1 means that a new one would not; nothing of most."""
        if self.version > 1:
            return ()
        sentences = []
        if len(self.rows) > 1:
            sentences.append("Recipe version 1: rules are applied in order, on top of each other")
        if not {"first", "last"}.isdisjoint(self.limits.spare):
            sentences.append("Recipe version 1: first and last layer by the order of the file")
        return tuple(sentences)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        rows = [row.to_dict() for row in self.rows]
        limits = self.limits.to_dict()
        more: dict[str, Any] = {"limits": limits} if limits else {}
        if self.companions:
            more["companions"] = True
        if self.dependents:
            more["dependents"] = True
        if self.data:
            more["data"] = list(self.data)
        if self.version > 1:
            more["version"] = self.version
        return {"name": "step", "configuration": {"scope": self.scope, "rows": rows, **more}}

    @classmethod
    def from_dict(cls, data: object) -> Step:
        """Make a step from what `to_dict` returned; raises `ParameterError`."""
        configuration = read_entry(data, StepEntry).configuration
        return cls.of(configuration, tuple(Row.of(row) for row in configuration.rows))

    @classmethod
    def of(cls, configuration: StepConfiguration, rows: tuple[Row, ...]) -> Step:
        """Make a step from an entry, with rows that know their tensors."""
        given = configuration.limits
        limits = Limits(given.floor, given.ceiling, given.total, given.spare)
        version = 1 if configuration.version is UNSET else configuration.version
        return cls(
            rows,
            configuration.scope,
            limits,
            configuration.companions,
            version,
            dependents=configuration.dependents,
            data=configuration.data,
        )


def may_have_companions(row: Row) -> bool:
    """Whether a row takes whole channels along what is dim 0 of some tensor."""
    param = _along(row)
    return param is not None and row.values[param.name] <= 0


def takes_channels(row: Row) -> bool:
    """Whether a row takes whole channels."""
    return _along(row) is not None


def dim_of(row: Row, shape: tuple[int, ...], name: str) -> int:
    """Return the dimension, from 0, along which a row takes channels of a tensor; -1 for none."""
    param = _along(row)
    return -1 if param is None else param.resolve(row.values[param.name], shape, name)


def _along(row: Row) -> DimParam | None:
    method = registry.get(row.method)
    if method.granularity != "channels":
        return None
    return next((p for p in method.params if isinstance(p, DimParam)), None)


def _plain(param: Param, value: Any) -> Any:
    # JSON has no infinity; the text that the parameter itself reads stands in for it.
    if isinstance(value, float) and not math.isfinite(value):
        return param.format(value)
    return value


def _said(method: Method, values: Mapping[str, Any], *, amount: bool) -> list[str]:
    """Return the head ("L1 20 %") and what else must be said ("dim 0")."""
    head = method.label.partition(" (")[0].removesuffix("…")
    head = head.removesuffix(" unstructured").removesuffix(" structured")
    rest = []
    much = ""
    for param in method.params:
        if param.name not in values:  # it would mean nothing
            continue
        value = values[param.name]
        if isinstance(param, AmountParam):
            much = _amount(value, method) if amount else ""
        elif isinstance(param, NormParam):
            head = _NORM_WORDS.get(value) or f"L{value:g}".replace("inf", "∞").replace("-", "−")
        elif isinstance(param, PatternParam):
            head = re.sub("N:M.*", value, head)
        elif isinstance(param, FileParam):
            pass  # `detail` says which
        elif isinstance(param, (BlockParam, DimParam, SeedParam)):
            rest.append(f"{param.name} {value}".replace("-", "−"))
        elif value != param.default:
            rest.append(f"{param.label.lower()} {param.format(value)}")
    return [f"{head} {much}".strip(), *rest]


def _amount(amount: Amount, method: Method) -> str:
    if isinstance(amount, float):
        return percent(amount)
    unit = {"channels": "channel", "blocks": "block"}.get(method.granularity, "weight")
    return f"{amount:,} {unit}" + ("" if amount == 1 else "s")


def _common_part(names: tuple[str, ...]) -> str:
    # What the first and the last in alphabetical order share, all between them share as well.
    common = []
    for first, last in zip(min(names).split(".")[:-1], max(names).split(".")[:-1], strict=False):
        if first != last:
            break
        common.append(first)
    while common and common[0] in IN_FRONT:
        common.pop(0)
    return ".".join(common)

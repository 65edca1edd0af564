"""The page: one file of HTML with its pictures inside, for light and dark, that runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pruneapp import resources
from pruneapp.errors import escaped
from pruneapp.export.report_file import Account, TensorAccount

if TYPE_CHECKING:
    from jinja2 import Template

# Rows of the table, and stripes of the picture; a page of more opens too slowly.
MOST_ROWS = 2_000
MOST_STRIPES = 600
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class Stripe:
    """A tensor, or several small ones, in the picture.

    Attributes
    ----------
    left, width
        In thousandths of the picture: the share of the numbers.
    pruned
        The share that is pruned, from 0 to 1.
    title
        What it is, in words.
    """

    left: float
    width: float
    pruned: float
    title: str


def as_html(account: Account) -> str:
    """Return the page.

    Tensors of which something is pruned come first in its table, most pruned numbers first; where
    there are more than it shows, it says how many.
    """
    rows = sorted(account.tensors, key=lambda t: -t.pruned)[:MOST_ROWS]
    return _template().render(
        account=account,
        rows=rows,
        left_out=len(account.tensors) - len(rows),
        stripes=tuple(_stripes(account.tensors)),
    )


def _shown(value: Any) -> Any:
    # Of what is put in, nothing is meant to break a line or to reverse it.
    return escaped(value) if type(value) is str else value


@lru_cache
def _template() -> Template:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    environment.filters |= {"percent": percent, "size": size}
    text = resources.path("report.html.jinja").read_text(encoding="utf-8")
    return environment.from_string(text)


def percent(share: float | None) -> str:
    """Return a share in percent; what is not all and not nothing is never said to be."""
    if share is None:
        return "–"
    text = f"{share * 100:.1f} %"
    if text == "100.0 %" and share < 1:
        return "> 99.9 %"
    return "< 0.1 %" if text == "0.0 %" and share > 0 else text


def size(nbytes: int | None) -> str:
    """Return bytes in units of thousands, as disks are sold."""
    if nbytes is None:
        return "–"
    value, unit = float(nbytes), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{nbytes:,} bytes" if not unit else f"{value:.3g} {_UNITS[unit]}"


def _stripes(tensors: Sequence[TensorAccount]) -> Iterator[Stripe]:
    """Yield stripes in the order of the file; neighbours that are too narrow share one."""
    tensors = [tensor for tensor in tensors if tensor.learned]
    total = sum(tensor.numel for tensor in tensors)
    if not total:
        return
    least = total / MOST_STRIPES
    group: list[TensorAccount] = []
    left = 0
    for index, tensor in enumerate(tensors):
        group.append(tensor)
        numel = sum(t.numel for t in group)
        if numel >= least or index == len(tensors) - 1:
            if numel:
                yield _stripe(group, left, numel, total)
            left += numel
            group = []


def _stripe(group: Sequence[TensorAccount], left: int, numel: int, total: int) -> Stripe:
    pruned = sum(tensor.pruned for tensor in group)
    name = group[0].name if len(group) == 1 else f"{group[0].name} to {group[-1].name}"
    title = f"{name}: {pruned:,} of {numel:,} pruned ({percent(pruned / numel)})"
    return Stripe(1000 * left / total, 1000 * numel / total, pruned / numel, title)

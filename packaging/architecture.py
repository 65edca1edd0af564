"""Draw the layers of the package from its imports, for docs/architecture.md.

    .venv/bin/python packaging/architecture.py          write the pictures
    .venv/bin/python packaging/architecture.py --check  list stale pictures; exit status 1 if any

A box is a package with the first sentence of its docstring, placed directly below the lowest
package that imports it. An arrow is an import that is not implied by a longer path.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from html import escape

import grimp
from reference import ROOT, write

PICTURES = {
    "pruneapp": ROOT / "docs" / "pictures" / "layers.svg",
    "pruneapp.gui": ROOT / "docs" / "pictures" / "layers-of-the-window.svg",
}

# Modules that every package may import: they would not belong to any layer.
GROUND = {"errors", "progress", "params", "json_codec", "resources", "installation", "__main__"}

BOX_WIDTH, BOX_HEIGHT, GAP, RISE, MARGIN = 260, 72, 26, 30, 16
BESIDE = (-GAP / 2, BOX_WIDTH + GAP / 2)  # where an arrow passes a box
LETTERS_A_LINE = 44

HEAD = """<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
  orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker>"""

STYLE = """
  .box { fill: #ffffff; stroke: #8a939e; }
  .name { font: 600 14px system-ui, sans-serif; fill: #1c2024; }
  .purpose { font: 11px system-ui, sans-serif; fill: #4b5560; }
  .arrow { fill: none; stroke: #8a939e; stroke-width: 1.2; }
  .head { fill: #8a939e; }
  @media (prefers-color-scheme: dark) {
    .box { fill: #1f242a; stroke: #6b7683; }
    .name { fill: #e8ecf0; }
    .purpose { fill: #aab4bf; }
  }
"""


def imports(container: str) -> dict[str, set[str]]:
    """Return which siblings each child of a package imports.

    Parameters
    ----------
    container
        The package, such as ``pruneapp.gui``.

    Raises
    ------
    ValueError
        If there is an import cycle, so that there are no layers.
    """
    graph = grimp.build_graph("pruneapp", cache_dir=None)
    depth = container.count(".") + 1

    def child(module: str) -> str:
        return module.split(".")[depth] if module.startswith(container + ".") else ""

    needs: dict[str, set[str]] = {}
    for module in sorted(graph.modules):
        if not (name := child(module)) or name in GROUND:
            continue
        others = {child(other) for other in graph.find_modules_directly_imported_by(module)}
        needs.setdefault(name, set()).update(others - GROUND - {"", name})
    return needs


def floors(needs: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the level of each package, 0 at the top: one below the lowest that imports it.

    Raises
    ------
    ValueError
        If there is a cycle.
    """
    levels: dict[str, int] = {}
    while len(levels) < len(needs):
        above = {n: [o for o in needs if n in needs[o]] for n in needs.keys() - levels.keys()}
        ready = {n: others for n, others in above.items() if levels.keys() >= set(others)}
        if not ready:
            raise ValueError(f"a circle among {', '.join(sorted(above))}")
        levels.update({n: 1 + max((levels[o] for o in ready[n]), default=-1) for n in ready})
    return levels


def reduced(needs: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports that are not implied by longer paths (transitive reduction)."""
    reach: dict[str, set[str]] = {}
    for name in sorted(needs, key=floors(needs).__getitem__, reverse=True):
        reach[name] = set(needs[name]).union(*(reach[other] for other in needs[name]))
    return {
        name: {o for o in others if not any(o in reach[p] for p in others)}
        for name, others in needs.items()
    }


def drawing(container: str) -> str:
    """Return the picture of the layers of a package as SVG."""
    needs = imports(container)
    levels = floors(needs)
    arrows = reduced(needs)

    def place_in_row(name: str) -> tuple[bool, str]:
        # Boxes with arrows over several levels come last, at the right, where these cross no box.
        return any(levels[other] > levels[name] + 1 for other in arrows[name]), name

    rows = [
        sorted((n for n in needs if levels[n] == i), key=place_in_row)
        for i in range(max(levels.values()) + 1)
    ]
    width = max(len(row) for row in rows) * (BOX_WIDTH + GAP) - GAP + 2 * MARGIN
    height = len(rows) * (BOX_HEIGHT + RISE) - RISE + 2 * MARGIN
    place = {}
    for level, row in enumerate(rows):
        left = (width - len(row) * (BOX_WIDTH + GAP) + GAP) / 2
        top = MARGIN + level * (BOX_HEIGHT + RISE)
        place.update({n: (left + i * (BOX_WIDTH + GAP), top) for i, n in enumerate(row)})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
        f"<style>{STYLE}</style>",
        HEAD,
    ]
    for name, others in sorted(arrows.items()):
        x, y = place[name]
        for i, other in enumerate(sorted(others, key=lambda o: place[o])):
            u, v = place[other]
            start = x + BOX_WIDTH * (i + 1) / (len(others) + 1)
            end = min(max(start, u + 20), u + BOX_WIDTH - 20)
            bottom = y + BOX_HEIGHT
            bend, middle = v - RISE, v - RISE / 2
            between = [left for left, top in place.values() if y < top < v]
            lanes = [start, *(left + beside for left in between for beside in BESIDE)]
            free = (x for x in lanes if not any(0 < x - left < BOX_WIDTH for left in between))
            lane = min(free, key=lambda x: abs(x - start))
            turn = ""
            if lane != start:
                near, next_top = bottom + RISE / 2, bottom + RISE
                turn = f"C{start:.0f} {near:.0f} {lane:.0f} {near:.0f} {lane:.0f} {next_top:.0f} "
            parts.append(
                f'<path class="arrow" marker-end="url(#head)" d="M{start:.0f} {bottom:.0f} {turn}'
                f"V{bend:.0f} C{lane:.0f} {middle:.0f} {end:.0f} {middle:.0f} "
                f'{end:.0f} {v:.0f}"/>'
            )
    for name, (x, y) in sorted(place.items()):
        parts.append(
            f'<rect class="box" x="{x:.0f}" y="{y:.0f}" width="{BOX_WIDTH}" '
            f'height="{BOX_HEIGHT}" rx="6"/>'
        )
        parts.append(f'<text class="name" x="{x + 10:.0f}" y="{y + 19:.0f}">{escape(name)}</text>')
        for i, line in enumerate(_lines(purpose(container, name))):
            parts.append(
                f'<text class="purpose" x="{x + 10:.0f}" y="{y + 35 + 14 * i:.0f}">'
                f"{escape(line)}</text>"
            )
    return "\n".join([*parts, "</svg>", ""])


def purpose(container: str, name: str) -> str:
    """Return the first sentence of the docstring of a package or module."""
    folder = ROOT.joinpath(*container.split("."))
    file = folder / name / "__init__.py"
    text = ast.get_docstring(
        ast.parse((file if file.exists() else folder / f"{name}.py").read_text(encoding="utf-8"))
    )
    return (text or "").partition("\n\n")[0].replace("``", "").rstrip(".")


def _lines(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= LETTERS_A_LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def main(arguments: list[str]) -> int:
    """Write the pictures, or check them; return the exit status."""
    return write(
        {path: drawing(container) for container, path in PICTURES.items()}, __file__, arguments
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

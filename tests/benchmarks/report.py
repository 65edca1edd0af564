"""Generated tables between markers in a page of the documentation."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from tests.benchmarks import machine


def replace_sections(page: Path, sections: Mapping[str, str], title: str) -> None:
    """Replace the measured sections between their markers; keep everything else.

    Parameters
    ----------
    page
        A Markdown file; created with `title` if it does not exist.
    sections
        Texts by the names in the markers. New sections are appended.
    """
    text = page.read_text() if page.exists() else title
    stamp = f"Measured on {machine.describe()}; {time.strftime('%Y-%m-%d')}, load {machine.load()}."
    for name, body in sections.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        block = f"{begin}\n{body}\n{stamp}\n{end}"
        if begin in text:
            head, rest = text.split(begin, 1)
            text = head + block + rest.split(end, 1)[1]
        else:
            text = f"{text.rstrip()}\n\n{block}\n"
    page.parent.mkdir(exist_ok=True)
    page.write_text(text)

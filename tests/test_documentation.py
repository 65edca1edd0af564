"""Automatic checks of the documentation."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pruneapp.checkpoint.prunability import EMBEDDINGS, NORMS
from pruneapp.export.catalog import FORMATS
from pruneapp.methods.registry import METHODS

ROOT = Path(__file__).resolve().parent.parent
PAGES = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")


def anchors(text: str) -> set[str]:
    """Return the anchors of a page, including those that GitHub generates for its headings."""
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}
    return made | set(re.findall(r'<a id="([^"]+)">', text))


def test_made_pages_are_not_stale():
    """docs/methods.md and resources/guide.md are generated from the declarations and the guide."""
    command = [sys.executable, str(ROOT / "packaging" / "reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_pictures_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    for link in (a or b for a, b in links):
        if link.startswith(("http:", "https:")):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file) if file else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def test_every_picture_is_shown_in_both_themes_and_is_small():
    pictures = sorted((ROOT / "docs" / "pictures").glob("*.png"))
    assert pictures
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in pictures:
        assert f"pictures/{picture.name}" in text, f"{picture.name} is shown nowhere"
        assert picture.stat().st_size < 260_000, picture.name
        other = {"light": "dark", "dark": "light"}[picture.stem.rpartition("-")[2]]
        assert picture.with_stem(picture.stem.rpartition("-")[0] + f"-{other}").exists()


def test_the_gallery_shows_every_picture():
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for picture in (ROOT / "docs" / "pictures").glob("*.png"):
        assert f'"pictures/{picture.name}"' in gallery, f"docs/gallery.md lacks {picture.name}"


def test_the_table_of_what_is_left_out_is_the_one_in_the_code():
    section = REFERENCE.partition("What is pruned if nothing is selected\n")[2].partition("\n## ")[
        0
    ]
    written = set(re.findall(r"`([^`]+)`", section.partition("A parameter")[0]))
    assert written == {*EMBEDDINGS, *NORMS, "running_mean"}


def test_the_reference_names_every_export_format_and_method():
    for name in FORMATS:
        assert f"| `{name}` |" in REFERENCE
    methods = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    for name in METHODS:
        assert f"`{name}`" in methods


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_option_in_a_command_line_exists(page):
    """The reference of the commands is generated, and has all of them."""
    commands = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    sections = re.findall(r"(?ms)^## pruneapp ?(\S*)$(.*?)(?=^## |\Z)", commands)
    options = {name: {*re.findall(r"--[a-z][a-z-]*", text), "--help"} for name, text in sections}
    text = page.read_text(encoding="utf-8")
    for name, words in re.findall(r"(?m)^(?:\$ )?pruneapp (\S+) ((?:.*\\\n)*.*)", text):
        if name in options:
            unquoted = re.sub(r'"[^"]*"', "", words.partition("#")[0])
            given = re.findall(r"(?<!\S)--[a-z][a-z-]*", unquoted)
            assert set(given) <= options[name], (name, words)


def test_every_key_of_the_window_is_in_the_guide():
    from pruneapp.gui.commands.declarations import COMMANDS

    section = GUIDE.partition("## Keys\n")[2].partition("<!-- /F1 -->")[0]
    written = set(re.findall(r"`([^`]+)`", section))
    arrows = {"Left": "←", "Right": "→"}
    for spec in COMMANDS:
        for key in spec.keys[:1]:
            head, plus, last = key.rpartition("+")
            shown = f"{head}{plus}{arrows.get(last, last)}" if head else key
            assert shown in written, f"{spec.id}: {key}"


def test_every_menu_entry_that_the_guide_names_exists():
    from pruneapp.gui.commands.declarations import COMMANDS

    plain = {(spec.menu.replace("&", ""), spec.text.replace("&", "")) for spec in COMMANDS}
    plain |= {tuple(menu.split("/", 1)) for menu, _ in plain}  # submenus
    named = re.findall(r"\*\*(\w+) > ([^*]+)\*\*", GUIDE + REFERENCE)
    assert len(named) > 5
    for menu, text in named:
        assert (menu, " ".join(text.split())) in plain


def test_the_method_in_the_reference_prunes_every_other_entry(tmp_path):
    """It is that of torch's tutorial, loaded as the reference describes."""
    from pruneapp.prune.custom_methods import load_file

    code = next(
        block
        for block in re.findall(r"```python\n(.*?)```", REFERENCE, re.DOTALL)
        if "FooBarPruningMethod" in block
    )
    file = tmp_path / "foobar.py"
    file.write_text(code)
    (method,) = load_file(file)
    assert method.name in REFERENCE
    assert method.help == "Prune every other entry."


def test_every_page_is_in_the_navigation_of_the_site():
    named = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE))
    assert named == {path.name for path in (ROOT / "docs").glob("*.md")}


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
# A unit of the page: a numbered item with its continuation lines, or a table row.
PLACES = re.findall(r"^(?:\d\. .*(?:\n {3}.*)*|\|.*\|)$", ARCHITECTURE, re.MULTILINE)
FOLDERS = ("docs/", "packaging/", "pruneapp/", "resources/", "tests/")


def in_backquotes(text: str) -> list[str]:
    """Return the texts in backquotes."""
    return [" ".join(found.split()) for found in re.findall(r"`([^`]+)`", text)]


def paths_in(text: str) -> list[Path]:
    """Return the files and folders that a text of docs/architecture.md names."""
    names = [name for name in in_backquotes(text) if re.fullmatch(r"[\w./]+(/|\.\w+)", name)]
    return [
        ROOT / name if name.startswith(FOLDERS) else ROOT / "pruneapp" / name
        for name in names
        if "/" in name or name.endswith(".py")
    ]


def test_every_path_on_the_page_of_the_architecture_exists():
    paths = paths_in(ARCHITECTURE)
    assert len(paths) > 100
    assert [str(path) for path in paths if not path.exists()] == []


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place[:40])
def test_what_the_page_of_the_architecture_names_stands_in_a_file_beside_it(place):
    paths = paths_in(place)
    text = "".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())
    for name in in_backquotes(place):
        if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", name) and ".py" not in name:
            for word in name.split("."):
                assert re.search(rf"\b{word}\b", text), f"{name} stands in none of {paths}"


def _opened_kinds() -> list[tuple[str, str]]:
    """Return each kind of the table of opened files in docs/formats.md, and its tests."""
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    _, found, table = text.partition("## What is opened, and what is done with it\n")
    assert found
    table = table.partition("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    assert [cell.strip() for cell in cells[0]][::3] == ["kind", "test"]
    return [(row[0].strip(), row[-1].strip()) for row in cells[2:]]


@pytest.mark.parametrize(("kind", "tests"), _opened_kinds(), ids=lambda text: text[:40])
def test_every_kind_that_is_opened_has_tests_that_exist(kind, tests):
    names = re.findall(r"`([^`]+)`", tests)
    assert names, f"'{kind}' names no test"
    for name in names:
        file, _, function = name.partition("::")
        assert (ROOT / file).is_file(), f"'{kind}' names '{file}', which does not exist"
        assert "/test_" in file
        source = (ROOT / file).read_text(encoding="utf-8")
        function = function.rpartition("::")[2].partition("[")[0]
        assert re.search(rf"^\s*def {function or 'test_'}", source, re.MULTILINE), name

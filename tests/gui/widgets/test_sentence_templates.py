"""Sentences of the engine are recognized by their templates, and translated."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp import resources
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError
from pruneapp.export.catalog import FORMATS
from pruneapp.groups.family import family_of, model_types
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.sentence_templates import SentenceTemplates, Template, join_sentences
from pruneapp.methods.limits import LIMITS, Limits
from pruneapp.methods.registry import METHODS
from pruneapp.params import AmountParam, ChoiceParam, FileParam, Param

ROOT = Path(__file__).resolve().parents[3]
spec = importlib.util.spec_from_file_location(
    "translations", ROOT / "packaging" / "translations.py"
)
translations = sys.modules.get("translations") or importlib.util.module_from_spec(spec)
if sys.modules.setdefault("translations", translations) is translations:
    spec.loader.exec_module(translations)

LANGUAGES = translations.LANGUAGES
GATHERED = json.loads(resources.path("translations/sentences.json").read_text(encoding="utf-8"))


@cache
def texts_in(language: str) -> dict[str, str]:
    messages = translations.read(translations.source_of(language))
    return {m.source: m.translation for m in messages if m.context == "Sentences"}


@cache
def declared_in(language: str) -> dict[str, str]:
    messages = translations.read(translations.source_of(language))
    return {m.source: m.translation for m in messages if m.context == "Declarations"}


GERMAN = str.maketrans(",.", ".,")


def written(number: str, language: str) -> str:
    return number.translate(GERMAN) if language == "de" else number


@cache
def templates_in(language: str, *, numbers: bool = True) -> SentenceTemplates:
    texts, declared = texts_in(language), declared_in(language)
    return SentenceTemplates(
        GATHERED["sentences"],
        GATHERED["steps"],
        lambda text: texts.get(text) or text,
        lambda text: declared.get(text) or text,
        lambda number: written(number, language) if numbers else number,
    )


def sample_values(template: Template, language: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return values that differ from the text of a template, and their translations."""
    texts = texts_in(language)
    values, said = {}, {}
    for gap, name in enumerate(template.names):
        value = translation = f"‹value{gap}›"
        if re.fullmatch(r"n\d*", name):
            value = translation = f"{gap + 3:,}"
        elif re.fullmatch(r"percent\d*", name):
            value = f"{gap + 0.5} %"
            translation = written(value, language)
        elif gap > 0 and not template.text[gap]:  # adjacent values are separated by a comma
            value = translation = f", {gap}"
        elif template.letters < 7 and not template.quotes(gap):  # matches known values
            value, translation = "values", texts["values"]
        values[name], said[name] = value, translation
    return values, said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_template_is_found_again_with_its_values(language):
    texts, found = texts_in(language), templates_in(language)
    wrong = []
    for source in GATHERED["sentences"]:
        values, said = sample_values(Template.of(source), language)
        got, wanted = found.sentence(source.format(**values)), texts[source].format(**said)
        if got != wanted:
            wrong.append((source, got, wanted))
    assert not wrong


def test_templates_that_cannot_be_told_apart_are_translated_alike():
    for language in LANGUAGES:
        alike: dict[tuple[str, ...], set[str]] = {}
        for source, text in texts_in(language).items():
            template = Template.of(source)
            key = (*template.text, *(bool(re.fullmatch(r"n\d*", n)) for n in template.names))
            unnamed = text
            for gap, name in enumerate(template.names):
                unnamed = unnamed.replace(f"{{{name}}}", f"‹{gap}›")
            alike.setdefault(key, set()).add(unnamed)
        assert [texts for texts in alike.values() if len(texts) > 1] == []


@pytest.mark.parametrize(
    ("english", "chinese", "german"),
    [
        (
            "'/a/b.safetensors' is truncated: 5 bytes of 21,432 are missing.",
            "'/a/b.safetensors' 不完整：21,432 字节中缺少 5 个字节。",
            "von 21.432 Bytes fehlen 5 Bytes.",
        ),
        ("'/a/b.pdf' is a PDF document.", "是 PDF 文档。", "ist ein PDF-Dokument."),
        (
            "'/a/b.pt' is damaged: its zip directory is missing, so the file is truncated.",
            "'/a/b.pt' 已损坏：缺少 zip 目录，因此文件不完整。",
            "das Zip-Verzeichnis fehlt",
        ),
        (
            "'/a' cannot be opened: no such file or directory.",
            "无法打开 '/a'：没有该文件或文件夹。",
            "Datei oder Ordner nicht vorhanden",
        ),
        (
            "'dim' must be from -2 to 1 for 'is empty.' (got 7).",
            "对于 'is empty.'，'dim' 必须为 -2 到 1（收到 7）。",
            "'is empty.'",
        ),
        # Errors deep inside a file.
        (
            "'/a/b.pt' is damaged: its pickle ends in the middle.",
            "'/a/b.pt' 已损坏：其 pickle 在中途结束。",
            "sein Pickle endet mittendrin.",
        ),
        (
            (
                "'/a/b.onnx' is an ONNX model that breaks a rule of its format: "
                "a number does not end, at byte 12."
            ),
            "'/a/b.onnx'（ONNX 模型）违反了其格式的规则：有数没有结尾，位于字节 12。",
            "eine Zahl endet nicht",
        ),
        (
            "The list of channels contains '99', but there are 16 channels, numbered from 0 to 15.",
            "通道列表中含有 '99'，但总数为 16 个通道，编号从 0 到 15。",
            "0 bis 15",
        ),
        (
            "'head.weight' is not reduced: it is an output of the graph.",
            "它是计算图的输出。",
            "er ist eine Ausgabe des Graphen",
        ),
        # Two sentences in one text.
        ("'a' is empty. Download or copy it again.", "'a' 为空。请重新下载或复制。", "ist leer. "),
        # Lines below a sentence.
        ("'a' is empty.\n  'b' is empty.", "'a' 为空。\n  'b' 为空。", "\n  'b' "),
    ],
)
def test_sentences_are_said_with_their_parts(english, chinese, german):
    assert templates_in("zh_CN").sentence(english).endswith(chinese)
    said = templates_in("de").sentence(english)
    assert german in said
    assert said != english


@pytest.mark.parametrize(
    ("english", "chinese", "german"),
    [
        ("L1 20 % on 3 tensors", "L1 20 %，作用于 3 个张量", "L1 20 % auf 3 Tensoren"),
        (
            "L2 25 %, dim 0, with bias and norm, on 2 tensors of layer1",
            "L2 25 %，维度 0，连同偏置和归一化，作用于 layer1 的 2 个张量",
            "L2 25 %, Dim.\u00a00, mit Bias und Norm, auf 2 Tensoren von layer1",
        ),
        (
            "L1 30 %, global, max 90 % per tensor, excluding the first layer, on a.weight",
            "L1 30 %，全局，每个张量至多 90 %，排除第一层，作用于 a.weight",
            "L1 30 %, global, max. 90 % je Tensor, ohne erste Schicht, auf a.weight",
        ),
        (
            "L1 10 %, Random 50 %, seed 0 on 2 tensors by 2 rules",
            "L1 10 %，随机 50 %，种子 0，按 2 条规则作用于 2 个张量",
            "L1 10 %, Zufällig 50 %, Seed 0 auf 2 Tensoren nach 2 Regeln",
        ),
        ("channel 12 of conv1 pruned", "conv1 的 12 号通道已剪枝", "Kanal 12 von conv1 geprunt"),
        ("  Amount: 20%", "  剪枝量：20%", "  Umfang: 20%"),
        ("conv1 [0:3, 1, 2]", "conv1 [0:3, 1, 2]", "conv1 [0:3, 1, 2]"),
    ],
)
def test_labels_of_the_history_are_said_part_by_part(english, chinese, german):
    assert templates_in("zh_CN").step(english) == chinese
    assert templates_in("de").step(english) == german


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("A vector of 1,000,000 elements, wrapped into lines of 1,024.", "1.000.000 Elementen"),
        ("'a' is truncated: at least 194,251 bytes are missing.", "194.251 Bytes"),
        ("'1,024.pt' is truncated: at least 9 bytes are missing.", "'1,024.pt'"),
        ("'damping' must be a positive number (got -0.5).", "-0,5"),
        ("The largest absolute rounding error is 1.5e-05, in '0.5'.", "1,5e-05, in '0.5'"),
        ("'v' alone needs more than 1.25 GB: its file is larger.", "1,25 GB"),
        ("Get it: at most 12.5 %", None),
        (
            (
                "The error of the outputs on 38 held-out samples fell from 2.490 to 0.198 "
                "(92 % less): each block was trained, then the whole model in 60 steps."
            ),
            "von 2,490 auf 0,198 (92 % weniger)",
        ),
        ("at most 12.5 %", "12,5 %"),
        (
            (
                "The index contains a wrong total size: 1,234 bytes instead of 5,678. Exports "
                "contain the correct number."
            ),
            "5.678",
        ),
        ("The mask 'a' has the shape [1024, 3], but 'b' has [64, 3, 7, 7].", "[64, 3, 7, 7]"),
        ("Install it there: pip install 'pruneapp[cluster]==2.13'.", "==2.13'"),
        ("The worker tcp://10.0.0.7:80 has numpy 2.13, but this machine has 2.6.", "2.13"),
        ("'python3' is Python 3.8, but scripts need Python 3.9 or newer.", "Python 3.8"),
    ],
)
def test_numbers_in_sentences_are_written_as_in_the_language(english, german):
    said = templates_in("de").sentence(english)
    assert said == english if german is None else german in said


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("L1 12.5 % on a.0.5.weight", "L1 12,5 % auf a.0.5.weight"),
        ("L1 12.5 %", "L1 12,5 %"),
        ("OWL 70.5%, outlier threshold 5.0, spread 0.08", "OWL 70,5%, "),
        ("L1 0.1 %, max 90.5 % per tensor, on 2 tensors", "L1 0,1 %, max. 90,5 %"),
        ("Masks combined with model-12.5 %.pt (pruned in both)", "model-12.5 %.pt"),
        ("channel 3 of layers.1.5 pruned", "layers.1.5"),
    ],
)
def test_numbers_in_labels_of_steps_are_written_as_in_the_language(english, german):
    assert german in templates_in("de").step(english)


# Points and commas that are not part of a number.
VERSIONS = st.from_regex(r"\d{1,2}\.\d{1,2}(\.\d{1,2})?(\+cu\d{3}|rc1)?", fullmatch=True)
SHAPES = st.lists(st.integers(0, 9999), max_size=5).map(tuple).map(str)
LISTS = st.lists(st.integers(0, 9999), max_size=5).map(str)
FILES = st.from_regex(r"[a-z]{1,5}-\d{5}(\.\d)?\.(safetensors|pt)", fullmatch=True)
TENSORS = st.from_regex(r"[a-z]{1,5}(\.\d{1,2}){1,2}\.weight", fullmatch=True)
CODE = st.sampled_from(["x[1,234]", "f(0.5)", "torch.float8_e4m3fn", "load(1.5)", "tcp://10.0:86"])
NO_NUMBERS = st.one_of(SHAPES, LISTS, FILES, TENSORS, CODE)
OF_VERSIONS = {"version", "transformers", "VERSION", "known", "other", "one"}


@given(st.data())
def test_what_is_no_number_stays_as_it_is(data):
    source = data.draw(st.sampled_from(GATHERED["sentences"]))
    template, values = Template.of(source), {}
    for gap, name in enumerate(template.names):
        of_versions = name.rstrip("0123456789") in OF_VERSIONS or template.quotes(gap)
        values[name] = data.draw(VERSIONS | NO_NUMBERS if of_versions else NO_NUMBERS)
    text = source.format(**values)
    with_numbers = templates_in("de").sentence(text)
    assert with_numbers == templates_in("de", numbers=False).sentence(text)


@pytest.mark.parametrize(
    "text",
    ["", "layer1.0.conv1.weight", "Something else, of which nobody knows.", "12,345", "{a}", "无"],
)
def test_what_is_not_known_stays_as_it_is(text):
    for language in LANGUAGES:
        assert templates_in(language).sentence(text) == text
        assert templates_in(language).step(text) == text


def test_what_was_said_is_not_said_again():
    for language in LANGUAGES:
        found = templates_in(language)
        for english in ("'a' is empty.", "'a.pdf' is a PDF document.", "L1 20 % on 3 tensors"):
            said = found.sentence(english)
            assert found.sentence(said) == said


def test_a_hostile_text_takes_no_time():
    found = templates_in("zh_CN")
    begun = time.perf_counter()
    texts = [f"'{'a is b, ' * 400}' {n} in the of {'x: ' * 300}." for n in range(20)]
    for text in texts:
        found.sentence(text)
    assert (time.perf_counter() - begun) / len(texts) < 0.05  # on a busy machine


def test_sentences_are_joined_as_the_language_writes_them():
    assert join_sentences("One.", "Two.") == "One. Two."
    assert join_sentences("一。", "二。") == "一。二。"
    assert join_sentences("", "Two.") == "Two."


ENGLISH = """
import sys
from pruneapp.errors import PruneAppError
from pruneapp.gui.widgets import engine_text
error = PruneAppError("'a' is empty.", remedy="Download or copy it again.")
print(engine_text.translate_error(error), engine_text.translate_sentence("'a' is empty."))
print(engine_text.translate_step("L1 20 % on 3 tensors"))
print("pruneapp.gui.widgets.sentence_templates" in sys.modules)
"""


def test_methods_in_sentences_have_their_labels():
    error = ParameterError("'swaps_n_m' needs 'Gram_x'.", remedy="Choose 'wanda_per_tensor'.")
    assert translate_error(error) == (
        "'Swaps N:M (2:4)' needs 'Gram_x'. Choose 'Wanda (per tensor)'."
    )


def test_who_reads_english_loads_nothing(run_python):
    assert run_python(ENGLISH).splitlines() == [
        "'a' is empty. Download or copy it again. 'a' is empty.",
        "L1 20 % on 3 tensors",
        "False",
    ]


def english_in(text: str, *, but: Iterable[str] = ()) -> list[str]:
    """Return the lowercase Latin words of a Chinese text that are neither names nor values."""
    named = re.sub(r"'[^']*'|\w+\.\w+(\.\w+)*", "", text)
    return [word for word in re.findall(r"\b[a-z]{2,}\b", named) if word not in but]


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
@pytest.mark.parametrize("names", [("a.weight",), ("a.weight", "a.bias", "b.weight")])
def test_steps_of_every_method_are_said_in_full(method, names):
    values = {p.name: f"sha256:{64 * '0'}" for p in method.params if isinstance(p, FileParam)}
    if method.granularity == "units":  # only some scores of these need statistics
        values = {}
    words = {c.value for p in method.params if isinstance(p, ChoiceParam) for c in p.choices}
    words |= {"sha", "nuc", "fro", "inf"}
    rows = [Row(names, method.name, values)]
    for param in method.params:
        if isinstance(param, AmountParam):
            rows.append(Row(names, method.name, values | {param.name: 12}))
        if isinstance(param, ChoiceParam):
            rows += [
                Row(names, method.name, values | {param.name: choice.value})
                for choice in param.choices
                if not choice.needs
            ]
    found = templates_in("zh_CN")
    scope = "local" if "local" in method.scopes else "global"
    for row in rows:
        step = Step((row,), scope)
        assert english_in(found.step(step.label()), but=words) == []
        assert english_in(found.step(step.detail()), but=words) == []


def test_steps_of_several_rules_are_said_in_full():
    found = templates_in("zh_CN")
    first = Row(("a.weight", "b.weight"), "l1_unstructured", {"amount": 0.5})
    second = Row(("c.weight",), "ln_structured", {"amount": 2, "dim": 0}, "c*")
    limits = Limits(min_sparsity=0.1, max_sparsity=0.9, exclude=("embeddings", "first", "last"))
    for rows in ((first, second), (first,) * 5, (second,)):
        for counts in ((), [3] * len(rows)):
            for more in ({"prune_bias_and_norm": second in rows}, {"dependents": second in rows}):
                step = Step(rows, limits=limits, **more)
                assert english_in(found.step(step.label(counts))) == []
                assert english_in(found.step(step.detail(counts))) == []


def validation_errors(param: Param) -> Iterator[ParameterError]:
    """Yield the errors for invalid values of a parameter."""
    for value in (-1, 2.5, "?", None):
        try:
            param.validate(value)
        except ParameterError as error:
            yield error


def test_what_is_wrong_with_a_value_is_said_in_full():
    found = templates_in("zh_CN")
    every = (*LIMITS, *(param for method in METHODS.values() for param in method.params))
    for param in every:
        words = {c.value for c in getattr(param, "choices", ())} | {"yes", "no", "inf", "nan"}
        for error in validation_errors(param):
            assert english_in(found.sentence(error.sentence), but=words) == [], error.sentence
            assert english_in(found.sentence(error.remedy), but=words) == [], error.remedy


@pytest.mark.parametrize(
    "text",
    [
        "'r.json', at entries[0].version: expected an integer of at least 0, got an array of 3.",
        "'r.json': expected an object or null, got true.",
        "'m.pt' is damaged: a tensor of shape [3, 4] needs 48 bytes of storage '0', which has 16.",
        "Written as plain, contiguous tensors: 'd.w' (a numpy array), 'e.w' (sparse CSR layout).",
        "'acc' of evaluate() is an object of type str, not a number. Return at least one number.",
        "Comparing model.safetensors 1.20 GB/s, slow: 10.0.0.1",
    ],
)
def test_what_a_sentence_says_of_a_value_is_said_as_well(text):
    code = {"at", "numpy", "entries", "version", "true", "evaluate", "str", "model", "null"}
    assert english_in(templates_in("zh_CN").sentence(text), but=code) == []


def test_a_remedy_is_no_value_of_the_sentence_before():
    said = templates_in("zh_CN").sentence(
        "'y…y' is not a valid name for a file or folder: it has 300 bytes, and a name has at most "
        "255. Choose a shorter name."
    )
    assert "最多为 255 字节。" in said
    assert "Choose" not in said


def test_what_families_refuse_is_said_in_full():
    found = templates_in("zh_CN")
    refused = [s for kind in model_types() for s in family_of(kind).refused.values()]
    assert refused
    for sentence in refused:
        words = sentence.format(type="Bert")
        assert found.sentence(words) != words


def test_why_a_format_is_not_available_is_translated():
    found = templates_in("zh_CN")
    reasons = [form.only_from[1] for form in FORMATS.values() if form.only_from]
    assert reasons
    assert [reason for reason in reasons if found.sentence(reason) == reason] == []

"""The configuration next to rounded weights names their dtype and is otherwise unchanged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.export.destination import sidecars
from pruneapp.export.exporter import check_target, export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from tests.support.containers import as_snapshot, model

CONFIG = """{
  "architectures": ["Net"],  "rms_norm_eps": 1e-05, "é\\u00e9": {"dtype": "float32"},
\t"torch_dtype" : "float32",
  "list": [{"torch_dtype": "float32"}, "}"], "vocab": 32000}
"""


def written(path: Path, dtype: str) -> bytes:
    return b"".join(sidecars.copy_config(path, {"dtype": dtype}).pieces())


@pytest.fixture
def shards(source_of):
    opened = source_of("sharded", model(torch.float32))
    home_of(opened).joinpath("config.json").write_text(CONFIG)
    return opened


def home_of(opened) -> Path:
    home = opened.contents.shards[0].path.parent
    (home / "modeling.py").unlink(missing_ok=True)  # a notice for it would be unrelated
    return home


def run(opened, out: Path, **params):
    return export(as_snapshot(opened), ExportRequest("safetensors", out, params=params), Job())


def test_that_one_value_changes_and_the_report_says_so(shards, tmp_path):
    report = run(shards, tmp_path / "out", dtype="bfloat16")
    found = (tmp_path / "out" / "config.json").read_text()

    assert found == CONFIG.replace('"torch_dtype" : "float32"', '"torch_dtype" : "bfloat16"')
    said = [notice for notice in report.notices if "config.json" in notice]
    assert len(said) == 1
    assert "dtype changed from float32 to bfloat16" in said[0]


def test_without_rounding_it_is_copied(shards, tmp_path):
    report = run(shards, tmp_path / "out")
    assert (tmp_path / "out" / "config.json").read_text() == CONFIG
    assert report.notices == ()


def test_the_opened_folder_keeps_its_own_and_is_told(shards):
    found = check_target(
        as_snapshot(shards),
        ExportRequest("safetensors", home_of(shards), params={"dtype": "float16"}),
        Job(),
    )
    report = run(shards, home_of(shards), dtype="float16")
    (said,) = (notice for notice in report.notices if "config.json" in notice)

    assert home_of(shards).joinpath("config.json").read_text() == CONFIG
    assert "is not changed" in said
    assert "the dtype float32" in said
    assert "replace it with float16" in said
    assert found.notices == (said,)


def test_a_second_export_finds_its_own_configuration(shards, tmp_path):
    run(shards, tmp_path / "out", dtype="bfloat16")
    again = run(shards, tmp_path / "out", dtype="bfloat16").notices
    assert not any("config.json" in notice for notice in again)
    other = [n for n in run(shards, tmp_path / "out", dtype="float16").notices if "config" in n]
    assert len(other) == 1
    assert "the dtype bfloat16" in other[0]
    (kept,) = run(shards, tmp_path / "out").notices
    assert "the dtype bfloat16" in kept
    assert "replace it with float32" in kept
    (tmp_path / "out" / "config.json").write_text('{"vocab": 1, "dtype": "bfloat16"}')
    otherwise, kept = run(shards, tmp_path / "out").notices
    assert "differs from that of the opened model" in otherwise
    assert "replace it with float32" in kept
    assert check_target(
        as_snapshot(shards), ExportRequest("safetensors", tmp_path / "out"), Job()
    ).notices == (otherwise, kept)


@pytest.mark.parametrize("form", ["safetensors", "torch"])
def test_weights_that_keep_their_type_and_meet_a_configuration_of_another(
    source_of, tmp_path, form
):
    """The dtype of unchanged weights is that of most of them."""
    opened = source_of("safetensors", model(torch.bfloat16))
    name = {"safetensors": "model.safetensors", "torch": "pytorch_model.bin"}[form]
    config = tmp_path / "config.json"
    config.write_text('{"torch_dtype": "float16"}')

    def said() -> list[str]:
        request = ExportRequest(form, tmp_path / name)
        notices = export(as_snapshot(opened), request, Job()).notices
        return [notice for notice in notices if "config.json" in notice]

    (told,) = said()
    assert "the dtype float16" in told
    assert "replace it with bfloat16" in told
    for text in ('{"torch_dtype": "bfloat16"}', "{}"):
        config.write_text(text)
        assert said() == []
    assert config.read_text() == "{}"


def test_a_configuration_that_never_said_the_truth_is_copied_as_it_is(source_of, tmp_path):
    """The folder loads as before: with the dtype that the model's configuration names."""
    opened = source_of("sharded", model(torch.bfloat16))
    home_of(opened).joinpath("config.json").write_text(CONFIG)
    for _ in range(2):
        assert run(opened, tmp_path / "out").notices == ()
        assert (tmp_path / "out" / "config.json").read_text() == CONFIG
    assert not any("config.json" in notice for notice in run(opened, home_of(opened)).notices)


def test_one_file_that_transformers_reads_by_the_configuration_beside_it(source_of):
    opened = source_of("safetensors", model(torch.float32))
    opened.path.with_name("config.json").write_text(CONFIG)
    report = run(opened, opened.path, dtype="bfloat16")
    assert any("the dtype float32" in notice for notice in report.notices)
    report = run(opened, opened.path.with_name("other.safetensors"), dtype="bfloat16")
    assert not any("the dtype float32" in notice for notice in report.notices)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"dtype": 3}', '{"dtype": null}', '{"dtype": "auto"}', '{"dtype": "int8"}',
     '{"x": {"dtype": "float32"}}', '{"dtype": "bfloat16"}', '{"dtype": "\\u0066loat32"}', "{}"],
)  # fmt: skip
def test_what_names_no_type_is_copied(tmp_path, text):
    path = tmp_path / "config.json"
    path.write_text(text)
    assert written(path, "bfloat16") == text.encode()


def test_what_is_no_text_is_copied(tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(b'{"dtype": "float32"}\xff')
    assert written(path, "bfloat16") == path.read_bytes()


def test_the_older_way_to_spell_it_stays(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"dtype": "torch.float32", "torch_dtype": "float16"}')
    assert written(path, "bfloat16") == b'{"dtype": "torch.bfloat16", "torch_dtype": "bfloat16"}'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("dtype"), inner),
    max_leaves=8,
)


@given(
    data=st.dictionaries(st.text(), JSON),
    said=st.sampled_from(["float32", "float64", "float16", "bfloat16"]),
    key=st.sampled_from(["dtype", "torch_dtype"]),
    indent=st.sampled_from([None, 2]),
    plain=st.booleans(),
)
def test_any_configuration_reads_the_same_but_for_the_type(
    tmp_path_factory, data, said, key, indent, plain
):
    path = tmp_path_factory.getbasetemp() / "config.json"
    data = {n: v for n, v in data.items() if n not in {"dtype", "torch_dtype"}} | {key: said}
    data = dict(sorted(data.items()))
    text = json.dumps(data, indent=indent, ensure_ascii=plain)
    path.write_bytes(text.encode(errors="surrogatepass").replace(b"\r", b" "))
    try:
        path.read_bytes().decode()
    except UnicodeDecodeError:
        assert written(path, "bfloat16") == path.read_bytes()
        return
    found = json.loads(written(path, "bfloat16"))
    assert list(found) == list(json.loads(path.read_bytes()))
    assert found == json.loads(path.read_bytes()) | {key: "bfloat16"}

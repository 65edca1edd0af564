"""Files that a folder export copies, and the notices about those that it does not."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import ExportError, FileChangedError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.destination.sidecars import Configuration, _is_inside, copy_of
from pruneapp.export.destination.target import TargetFolder
from pruneapp.export.exporter import check_target, export, writes_folder
from pruneapp.export.report import ExportRequest
from pruneapp.export.sharding import SHARD_SIZE
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.containers import as_snapshot
from tests.support.formats import OF_ANY_SOURCE

MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"},
    {"idx": 3, "name": "3", "path": "../outside", "type": "x"},
    {"idx": 4, "name": "4", "path": "/etc", "type": "x"},
    {"idx": 5, "name": "5", "path": "link", "type": "x"},
    {"idx": 6, "name": "6", "path": "missing", "type": "x"},
]


@pytest.fixture
def encoder(tmp_path) -> Path:
    """Write a folder in the layout of sentence-transformers, with unrelated files."""
    home = tmp_path / "encoder"
    for name in ("1_Pooling", "2_Dense/deep", "runs", ".git"):
        (home / name).mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.json").write_text("{}")
    (home / "link").symlink_to(tmp_path / "outside")
    (home / "2_Dense" / "link.json").symlink_to(tmp_path / "outside" / "secret.json")
    save_file({"w.weight": torch.ones(8, 8)}, home / "model.safetensors", {"format": "pt"})
    save_file({"linear.weight": torch.ones(4, 8)}, home / "2_Dense" / "model.safetensors")
    (home / "config.json").write_text('{"architectures": ["BertModel"]}')
    (home / "modules.json").write_text(json.dumps(MODULES))
    (home / "tokenizer.json").write_text("{}")
    (home / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    (home / "2_Dense" / "config.json").write_text('{"in_features": 8}')
    (home / "2_Dense" / "deep" / "x.bin").write_bytes(bytes(3 << 20))
    (home / "2_Dense" / "code.py").write_text("raise SystemExit")
    (home / "training_args.bin").write_bytes(b"x")
    (home / "modeling.py").write_text("raise SystemExit")
    (home / "runs" / "events").write_bytes(b"x")
    return home


TAKEN = {
    "1_Pooling/config.json",
    "2_Dense/config.json",
    "2_Dense/deep/x.bin",
    "2_Dense/model.safetensors",
    "config.json",
    "model.safetensors",
    "modules.json",
    "tokenizer.json",
}


def files_of(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}


def run(home: Path, out: Path, job: Job | None = None, **params):
    with open_checkpoint(home) as checkpoint:
        state = as_snapshot(checkpoint, {})
        return export(state, ExportRequest("safetensors", out, params=params), job or Job())


def test_what_modules_json_names_goes_along_and_what_stays_is_said(encoder, tmp_path):
    out = tmp_path / "out"
    report = run(encoder, out)

    assert files_of(out) == TAKEN
    for name in TAKEN - {"model.safetensors"}:
        assert (out / name).read_bytes() == (encoder / name).read_bytes()
    assert load_file(out / "model.safetensors")["w.weight"].sum() == 64
    (said,) = report.notices
    assert said == (
        "Not copied from 'encoder': 'link/', 'modeling.py', 'runs/' and 1 more. Configuration, "
        "tokenizer, and what modules.json refers to are copied; code never is."
    )


def test_it_is_said_before(encoder, tmp_path):
    with open_checkpoint(encoder) as checkpoint:
        request = ExportRequest("safetensors", tmp_path / "out")
        found = check_target(as_snapshot(checkpoint, {}), request, Job())
    taken, left = found.notices
    assert taken == (
        "Copied from 'encoder': 'config.json', 'modules.json', 'tokenizer.json', '1_Pooling/', "
        "'2_Dense/'."
    )
    assert left.startswith("Not copied from 'encoder': ")
    with open_checkpoint(encoder) as checkpoint:
        request = ExportRequest("safetensors", encoder)
        found = check_target(as_snapshot(checkpoint, {}), request, Job())
    assert found.notices == (), "where all of it is already"


def test_a_folder_of_a_module_without_files_is_made(encoder, tmp_path):
    """Normalize of sentence-transformers has one; git keeps it with a hidden file."""
    (encoder / "3_Normalize").mkdir()
    (encoder / "3_Normalize" / ".keep").touch()
    (encoder / "modules.json").write_text(json.dumps([*MODULES, {"path": "3_Normalize"}]))
    with open_checkpoint(encoder) as checkpoint:
        request = ExportRequest("safetensors", tmp_path / "out")
        before = check_target(as_snapshot(checkpoint, {}), request, Job()).notices
    taken, left = before
    assert "'3_Normalize/'" in taken
    assert "Normalize" not in left
    (said,) = run(encoder, tmp_path / "out").notices
    assert said == left
    assert list((tmp_path / "out" / "3_Normalize").iterdir()) == []
    assert files_of(tmp_path / "out") == TAKEN

    there = tmp_path / "there"
    there.mkdir()
    run(encoder, there)
    assert (there / "3_Normalize").is_dir(), "into a folder that is there, too"


def test_of_one_file_it_is_said_that_from_pretrained_needs_the_folder(encoder, tmp_path):
    def said(path: Path, form: str = "safetensors") -> tuple[str, ...]:
        with open_checkpoint(encoder) as checkpoint:
            state, request = as_snapshot(checkpoint, {}), ExportRequest(form, path)
            found = check_target(state, request, Job()).notices
            assert export(state, request, Job()).notices == found, "the report says it as well"
        return found

    words = (
        "from_pretrained looks for 'model.safetensors', with 'config.json' and the files of the "
        "tokenizer next to it; one file alone does not load there. Specify a folder, such as "
        "'{}', to have them written, too."
    )
    assert said(tmp_path / "single.safetensors") == (words.format("single"),)
    assert said(tmp_path / "model.safetensors") == (words.format("model"),)
    assert said(tmp_path / "single.pt", "torch") == ()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "config.json").write_bytes((encoder / "config.json").read_bytes())
    assert said(tmp_path / "there" / "model.safetensors") == (), "it lies beside a configuration"
    (encoder / "config.json").unlink()
    assert said(tmp_path / "plain.safetensors") == (), "this is no model of transformers"


def test_into_a_folder_that_is_there_nothing_is_left_of_an_export_that_fails(
    encoder, tmp_path, monkeypatch
):
    out = tmp_path / "out"
    out.mkdir()
    (out / "note.txt").write_text("mine")

    class Late:
        def report(self, done, total, _label):
            if total and done > total / 3:
                token.cancel()

    token = CancelToken()
    with pytest.raises(Cancelled):
        run(encoder, out, Job(Late(), token))
    assert sorted(p.name for p in out.iterdir()) == ["note.txt"]
    run(encoder, out)
    assert files_of(out) == TAKEN | {"note.txt"}
    (out / "1_Pooling" / "config.json").write_text("other")
    report = run(encoder, out)
    assert any("'1_Pooling/config.json' is in 'out' already" in n for n in report.notices)
    assert (out / "1_Pooling" / "config.json").read_text() == "other"


SUFFIXES = sorted({suffix for form in FORMATS.values() for suffix in form.suffixes})


def test_no_folder_gets_the_name_of_a_file_of_another_format(encoder, tmp_path):
    with open_checkpoint(encoder) as checkpoint:
        assert checkpoint.contents.shards
        for form, suffix in itertools.product(OF_ANY_SOURCE.values(), SUFFIXES):
            out = tmp_path / f"x{suffix}"
            request = ExportRequest(form.name, out)
            if form.one_file or form.fits(out.name):
                assert not writes_folder(checkpoint, request)
                continue
            found = check_target(as_snapshot(checkpoint, {}), request, Job())
            assert found.refused == (
                f"'x{suffix}' is the name of a file, but not of one in the format '{form.name}': "
                "the model would be written as a folder of that name. "
                f"Choose 'x{form.suffixes[0]}' for one file, or 'x' for a folder."
            )
            with pytest.raises(ExportError, match="is the name of a file"):
                export(as_snapshot(checkpoint, {}), request, Job())
            assert not out.exists()
            out.mkdir()
            assert writes_folder(checkpoint, request), "it is there, so that is what was meant"
            out.rmdir()
            assert writes_folder(checkpoint, replace(request, path=tmp_path / "x-v1.5"))
            if SHARD_SIZE in form.params:
                limited = replace(request, params={SHARD_SIZE.name: 10**9})
                with pytest.raises(ExportError, match=r"Choose 'x' for a folder\."):
                    writes_folder(checkpoint, limited)


def test_a_file_where_a_folder_must_be_is_an_error_and_nothing_is_written(encoder, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "1_Pooling").write_text("mine")
    with pytest.raises(ExportError, match="1_Pooling"):
        run(encoder, out)
    assert files_of(out) == {"1_Pooling"}


@pytest.mark.parametrize("text", ["[", '[{"path": 3}]', "[" * 20_000, '{"a": 1}', "\x00"])
def test_modules_that_cannot_be_read_stop_it_in_a_sentence(encoder, tmp_path, text):
    (encoder / "modules.json").write_text(text)
    with pytest.raises(ExportError, match="lists the modules of the model, and cannot be read"):
        run(encoder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_subfolders_are_made_where_they_are_written(tmp_path):
    with TargetFolder(tmp_path / "new") as place:
        place.path_of("a/b/c").write_text("x")
        place.commit()
    assert files_of(tmp_path / "new") == {"a/b/c"}


def test_a_loop_of_links_is_left_out(encoder):
    (encoder / "loop.json").symlink_to("loop.json")
    assert not _is_inside(encoder / "loop.json", encoder)


@pytest.mark.parametrize("now", [b"{}", b'{"longer": true}' * 100])
def test_a_file_that_changes_while_it_is_copied_is_a_sentence(encoder, now):
    path = encoder / "tokenizer.json"
    path.write_text('{"version": 1}')
    plan = copy_of(path)
    path.write_bytes(now)
    with pytest.raises(FileChangedError, match=r"tokenizer\.json' was changed by another program"):
        b"".join(plan.pieces())


@pytest.mark.parametrize(
    ("names", "embeds"),
    [
        (["BertModel"], True),
        (["T5EncoderModel"], True),
        (["GPT2LMHeadModel"], False),
        (["MarianMTModel"], False),
        (["VisionEncoderDecoderModel"], False),
        (["FSMTModel"], True),
        (["LlamaForCausalLM"], False),
        ([], False),
    ],
)
def test_a_model_without_a_head_embeds(names, embeds):
    assert Configuration(names).embeds is embeds

"""A file of masks only: small, readable by other tools, and applicable to the original."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from pruneapp.__main__ import run_command as main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.cli.parser import parse
from pruneapp.edits.existing_masks import masks_of, names_in, read_masks_for
from pruneapp.edits.repaired_values import as_values
from pruneapp.errors import DamagedFileError, UnsupportedFileError
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import format_offers
from pruneapp.export.report import ExportRequest
from pruneapp.export.report_writer import account_of
from pruneapp.masks.bitmask import BitMask, MaskSet
from pruneapp.progress import Job
from tests.support.containers import PRUNED, as_snapshot, kept_masks, model

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")


def write(state, path):
    return export(state, ExportRequest("masks", path), Job())


def test_masks_come_back_by_every_way_in(container, source_of, tmp_path):
    source = source_of(container, model(torch.float32))
    out = tmp_path / "m.masks.safetensors"
    report = write(as_snapshot(source), out)
    kept = {name: BitMask.from_bools(mask) for name, mask in kept_masks().items()}
    with open_checkpoint(out) as masks:
        assert masks.format == "masks"
        assert names_in(masks, source) == PRUNED
        assert read_masks_for(source, PRUNED, masks, Job()) == kept
        assert masks_of(as_snapshot(source, {}), masks, Job()) == (kept, False)
        some = masks.bits("net.fc.weight_mask", 3, 77)
        assert np.array_equal(some, kept_masks()["net.fc.weight"].reshape(-1)[3:77])
    assert report.nbytes < 600
    assert report.notices == ()


def test_anybody_can_read_them(source_of, tmp_path):
    out = tmp_path / "m.masks.safetensors"
    write(as_snapshot(source_of("zip", model(torch.float32))), out)
    header = json.loads(
        out.read_bytes()[8:].split(b"\0")[0][: int.from_bytes(out.read_bytes()[:8], "little")]
    )
    shapes = json.loads(header["__metadata__"]["pruneapp"])["shapes"]
    for name, mask in kept_masks().items():
        packed = load_file(out)[f"{name}_mask"]
        bits = np.unpackbits(packed, count=mask.size, bitorder="little")
        assert np.array_equal(bits.reshape(shapes[name]), mask)


def test_they_are_applied_on_the_command_line(source_of, tmp_path, capsys):
    tensors = model(torch.float32)
    source = source_of("safetensors", tensors)
    masks = tmp_path / "m.masks.safetensors"
    write(as_snapshot(source), masks)
    out = tmp_path / "out.safetensors"
    words = ["prune", str(source.path), "-o", str(out), "--method", "custom_from_mask"]
    assert main(parse([*words, "--mask", str(masks)])) == 0
    capsys.readouterr()
    write_dense = tmp_path / "dense.safetensors"
    export(as_snapshot(source), ExportRequest("safetensors", write_dense), Job())
    made, wanted = load_file(out), load_file(write_dense)
    assert list(made) == list(wanted)
    assert all(made[name].tobytes() == wanted[name].tobytes() for name in made)


def test_what_was_made_final_is_in_the_mask(source_of, tmp_path):
    source = source_of("zip", model(torch.float32))
    fixed = kept_masks()["net.fc.weight"]
    final = MaskSet({"net.fc.weight": BitMask.from_bools(fixed)})
    write(as_snapshot(source, {}, permanent=final), tmp_path / "m.masks.safetensors")
    with open_checkpoint(tmp_path / "m.masks.safetensors") as masks:
        assert list(masks.entries) == ["net.fc.weight_mask"]
        assert np.array_equal(masks.bits("net.fc.weight_mask"), fixed.reshape(-1))


def test_what_was_only_excluded_has_no_mask_in_the_file(source_of, tmp_path):
    """Regression: the file was twice as large, and its masks loaded as pruned."""
    source = source_of("zip", model(torch.float32))
    kept = kept_masks()
    name, *excluded = kept
    kept |= {each: np.ones_like(kept[each]) for each in excluded}
    out = tmp_path / "m.masks.safetensors"
    write(as_snapshot(source, kept), out)
    with open_checkpoint(out) as masks:
        assert list(masks.entries) == [f"{name}_mask"]
    kept[name] = np.ones_like(kept[name])
    assert (
        "no mask" in write(as_snapshot(source, kept), tmp_path / "n.masks.safetensors").notices[0]
    )


def test_a_file_without_masks_says_so(source_of, tmp_path):
    report = write(
        as_snapshot(source_of("zip", model(torch.float32)), {}), tmp_path / "m.safetensors"
    )
    assert "no mask" in report.notices[1]
    assert "usually named .masks.safetensors" in report.notices[0]


def test_a_report_has_no_metrics_of_values_that_are_not_in_the_file(source_of, tmp_path):
    """Regression: the report stated the accuracy of the trained state as that of the file."""
    source = source_of("safetensors", model(torch.float32))
    changed = {PRUNED[0]: as_values(source.bits(PRUNED[0]) + np.uint32(1))}
    for kind, values in (("opened", {}), ("repaired", changed)):
        state = as_snapshot(source, values=MaskSet(values))
        report = write(state, tmp_path / f"{kind}.masks.safetensors")
        account = account_of(state, report, (), Job(), metrics={"accuracy": "98.0 %"})
        assert bool(account.metrics) is not bool(values)
        (offer,) = (o for o in format_offers(state, Job()) if o.name == "masks")
        sentence = (
            "The changed values of 1 tensor are not in the file: use another format to keep them."
        )
        lost = (sentence,) if values else ()
        assert offer.warnings == report.notices == lost


def rewritten(path, about: str, drop: str = "") -> None:
    """Replace the metadata about the masks."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header["__metadata__"]["pruneapp"] = about
    if drop:
        header["other"] = header.pop(drop)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + size :])


@pytest.mark.parametrize(
    ("about", "error", "words"),
    [
        ("{", DamagedFileError, "not JSON"),
        ("{}", DamagedFileError, "no version"),
        ('{"version":true}', DamagedFileError, "no version"),
        ('{"version":2}', UnsupportedFileError, "newer Pruneapp"),
        ('{"version":1}', DamagedFileError, "no shapes"),
        ('{"version":1,"shapes":{"net.fc.weight":[-1]}}', DamagedFileError, "no valid shape"),
        ('{"version":1,"shapes":{"net.fc.weight":[2.5]}}', DamagedFileError, "no valid shape"),
        (
            '{"version":1,"shapes":{"net.fc.weight":[9223372036854775807,9]}}',
            DamagedFileError,
            "2^63",
        ),
        ('{"version":1,"shapes":{"net.fc.weight":[10,18]}}', DamagedFileError, "not one bit"),
        ('{"version":1,"shapes":{"other":[10,17]}}', DamagedFileError, "lacks 'other_mask'"),
    ],
)
def test_hostile_metadata_is_refused_in_a_sentence(about, error, words, source_of, tmp_path):
    out = tmp_path / "m.masks.safetensors"
    write(as_snapshot(source_of("zip", model(torch.float32))), out)
    rewritten(out, about)
    with pytest.raises(error) as caught:
        open_checkpoint(out)
    assert words in str(caught.value)
    assert str(out) in str(caught.value)

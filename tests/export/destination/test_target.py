"""Paths that an export must not write to."""

from __future__ import annotations

import os

import pytest

from pruneapp.errors import ExportError
from pruneapp.export.destination import target
from pruneapp.export.destination.target import check_file, check_folder


@pytest.mark.parametrize(
    "name", ["CON", "nul.safetensors", "com1.pt", "LPT9 .x", "a.pt ", "a.pt.", "a\nb.pt"]
)
def test_names_that_not_every_system_can_hold(tmp_path, name):
    with pytest.raises(ExportError, match=r"not a valid (file )?name"):
        check_file(tmp_path / name)


@pytest.mark.parametrize("check", [check_file, check_folder])
@pytest.mark.parametrize("where", ["{}", "{}/x.pt"])
def test_a_name_that_is_too_long_is_said_with_the_rule(tmp_path, check, where):
    assert check(tmp_path / ("ü" * 126 + ".pt")).path.name == "ü" * 126 + ".pt"
    with pytest.raises(ExportError) as refused:
        check(tmp_path / where.format("ü" * 127 + ".pt"))
    name = "ü" * 24 + "…" + "ü" * 21 + ".pt"
    assert str(refused.value) == (
        f"'{name}' is not a valid name for a file or folder: it has 257 bytes, "
        "and a name has at most 255. "
        f"Choose a shorter name."
    )


def test_a_name_that_cannot_be_written_as_bytes(tmp_path):
    with pytest.raises(ExportError, match="cannot be encoded"):
        check_file(tmp_path / "\ud800.pt")


def test_what_only_windows_forbids_is_refused_only_there(tmp_path, monkeypatch):
    assert check_file(tmp_path / "run:3?.pt").path.name == "run:3?.pt"
    monkeypatch.setattr(target, "WINDOWS", True)
    with pytest.raises(ExportError, match="Windows does not allow"):
        target.check_file(tmp_path / "run:3?.pt")


@pytest.mark.parametrize("name", ["console.pt", "nulls.safetensors", "ünï çödé.pt", ".hidden.pt"])
def test_names_that_are_fine(tmp_path, name):
    assert check_file(tmp_path / name).path == tmp_path.resolve() / name


def test_a_folder_is_no_file_and_a_file_no_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ExportError, match="is a folder"):
        check_file(tmp_path)
    with pytest.raises(ExportError, match="is a file"):
        check_folder(tmp_path / "file")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ExportError, match="does not exist"):
        check_file(tmp_path / "no" / "x.pt")


def test_a_file_is_no_folder_to_write_into(tmp_path):
    (tmp_path / "model.pt").write_bytes(b"")
    for check in (check_file, check_folder):
        with pytest.raises(ExportError, match=r"model.pt' is a file, not a folder"):
            check(tmp_path / "model.pt" / "x.pt")


def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.pt")
    with pytest.raises(ExportError, match="pipe"):
        check_file(tmp_path / "pipe.pt")


def test_a_link_to_a_file_is_followed_only_when_asked_and_said(tmp_path):
    (tmp_path / "real.pt").touch()
    (tmp_path / "link.pt").symlink_to("real.pt")
    with pytest.raises(ExportError, match=r"is a link to .*real\.pt'"):
        check_file(tmp_path / "link.pt")
    target = check_file(tmp_path / "link.pt", follow_links=True)

    assert target.path == tmp_path.resolve() / "real.pt"
    assert "real.pt" in target.notices[0]


@pytest.mark.parametrize("to", ["nowhere", "link.pt", "."])
def test_links_that_lead_to_no_file(tmp_path, to):
    (tmp_path / "link.pt").symlink_to(to)
    with pytest.raises(ExportError):
        check_file(tmp_path / "link.pt", follow_links=True)


def test_a_link_to_a_folder_is_followed_only_when_asked(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(ExportError, match=r"is a link to .*real'"):
        check_folder(tmp_path / "link")

    assert check_folder(tmp_path / "link", follow_links=True).path == tmp_path.resolve() / "real"
    assert check_file(tmp_path / "link" / "new.pt").path == tmp_path.resolve() / "real" / "new.pt"


def test_a_download_cache_is_never_written_to(tmp_path):
    model = tmp_path / "models--org--name"
    (model / "blobs").mkdir(parents=True)
    snapshot = model / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (model / "blobs" / "123").touch()
    (snapshot / "model.safetensors").symlink_to("../../blobs/123")
    (tmp_path / "link.safetensors").symlink_to(model / "blobs" / "123")
    for path in (
        snapshot / "model.safetensors",
        snapshot / "new.safetensors",
        model / "blobs" / "new",
        tmp_path / "link.safetensors",
    ):
        with pytest.raises(ExportError, match="cache"):
            check_file(path)
    with pytest.raises(ExportError, match="cache"):
        check_folder(snapshot)

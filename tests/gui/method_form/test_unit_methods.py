"""Methods on units in the window: chosen in the form, previewed, pruned."""

from __future__ import annotations

import threading

import pytest

from pruneapp.groups import structure
from tests.support.model_folders import write_llama


@pytest.fixture
def folder(tmp_path):
    return write_llama(tmp_path / "tiny")


def test_groups_are_never_found_on_the_main_thread(person, folder, monkeypatch):
    threads = []
    bind = structure.bind

    def watched(checkpoint, *arguments, **options):
        threads.append(threading.current_thread())
        return bind(checkpoint, *arguments, **options)

    monkeypatch.setattr(structure, "bind", watched)
    person.open(folder)
    person.wait_open(folder)
    person.choose(person.rule.method, "FFN neurons")
    person.ask_amount("25%")
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    person.wait_idle()
    assert len(threads) == 1, "the tree and the form share what is found"
    assert threading.main_thread() not in threads
    # Of all tensors that were selected, those of the neurons: three in each of the six layers.
    assert person.states[-1] == "FFN neurons 25 % on 18 tensors of model.layers"

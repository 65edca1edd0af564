"""Methods on units in the window: chosen in the form, previewed, pruned, undone."""

from __future__ import annotations

import threading

import pytest

from pruneapp.groups import structure as binding
from tests.support.model_folders import write_llama


@pytest.fixture
def folder(tmp_path):
    return write_llama(tmp_path / "tiny")


def test_groups_are_never_found_on_the_main_thread(person, folder, monkeypatch):
    threads = []
    bind = binding.bind

    def watched(checkpoint):
        threads.append(threading.current_thread())
        import traceback

        print("".join(traceback.format_stack(limit=16)))
        return bind(checkpoint)

    monkeypatch.setattr(binding, "bind", watched)
    person.open(folder)
    person.wait_open(folder)
    person.choose(person.rule.method, "FFN neurons")
    person.ask_amount("25%")
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    person.wait_idle()
    print(threads, threading.main_thread(), person.states)
    assert threads and threading.main_thread() not in threads

"""Whatever a script does, the result is a number or a sentence; no process is left."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

from pruneapp.evaluation import worker as module
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.script import Options
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.evaluation.scripts import refused
from tests.reliability.evaluations import left_over, living, open_files

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and groups of POSIX")


@pytest.fixture
def impatient(monkeypatch):
    """Shorten the timeouts for processes that do not stop."""
    monkeypatch.setattr(module, "UNTIL_INTERRUPT", 0.15)
    monkeypatch.setattr(module, "UNTIL_KILL", 0.5)


def cancel_after(seconds):
    token = CancelToken()
    threading.Timer(seconds, token.cancel).start()
    return Job(cancel=token)


def test_a_number_comes_back_and_prints_go_to_the_log(stubbed):
    worker = stubbed("""
        import os, sys
        def evaluate(model):
            print('{"kind": "done", "id": 3, "metrics": {"score": {"value": 7}}}')
            print("to stderr", file=sys.stderr)
            sys.__stdout__.write("directly")
            os.system("echo from a child")
            return 0.1 + 0.2
    """)
    assert worker.evaluate() == {"score": 0.1 + 0.2}
    worker.evaluate()
    for words in ('"value": 7', "to stderr", "directly", "from a child"):
        deadline = time.monotonic() + 10  # a thread reads it
        while words not in worker.log and time.monotonic() < deadline:
            time.sleep(0.01)  # polling, because there is no notification of a read line
        assert words in worker.log


RETURNS = """
    import dataclasses
    from pathlib import Path

    @dataclasses.dataclass
    class D:
        acc: float

    def evaluate(model):
        return eval(Path("returned").read_text())
"""


def test_what_may_be_returned(stubbed, tmp_path):
    worker = stubbed(RETURNS)
    for returned, found in (
        ("3", {"score": 3}),
        ("{'acc': 0.5, 'more': {'loss': 2}}", {"acc": 0.5, "more.loss": 2}),
        ("(9, 12)", {"score": 0.75}),
        ("[1, 0, 1, 1]", {"score": 0.75}),
        ("(0.5, [1, 0])", {"score": 0.5}),
        ("D(acc=True)", {"acc": 1}),
        ("float('inf')", {"score": float("inf")}),
    ):
        (tmp_path / "returned").write_text(returned)
        assert worker.evaluate() == found


def test_what_is_said_of_a_wrong_result_and_the_worker_goes_on(stubbed, tmp_path):
    worker = stubbed(RETURNS)
    for returned, words in (
        ("None", "evaluate() returned None"),
        ("{}", "evaluate() returned an empty dict"),
        ("{'acc': None}", "'acc' of evaluate() is None, not a number"),
        ("'0.9'", "'score' of evaluate() is an object of type str"),
        ("(0.9, 0.2)", "is (0.9, 0.2), not (correct, total)"),
        ("1 / 0", "raised ZeroDivisionError while evaluating: division by zero"),
        ("exit(4)", "called exit(4)"),
        ("[0] * 10**15", "ran out of memory"),
        ("10**400", "raised OverflowError while evaluating"),
    ):
        (tmp_path / "returned").write_text(returned)
        assert words in refused(worker.evaluate)
        pid = worker.pid
        (tmp_path / "returned").write_text("1")
        assert worker.evaluate() == {"score": 1}
        assert worker.pid == pid


def test_the_traceback_has_only_lines_of_the_user(stubbed):
    worker = stubbed("""
        def evaluate(model):
            return inner()
        def inner():
            raise ValueError("no such\\nfile")
    """)
    with pytest.raises(EvaluationError) as caught:
        worker.evaluate()
    assert "my_evaluation.py', line 10, raised ValueError while evaluating: no such" in str(
        caught.value
    )
    assert "pruneapp_worker" not in caught.value.details
    assert "return inner()" in caught.value.details


@pytest.mark.parametrize(
    ("does", "words"),
    [
        ("import ctypes; ctypes.string_at(0)", "crashed with a segmentation fault"),
        ("os._exit(3)", "ended with exit status 3"),
        ("os.kill(os.getpid(), 9)", "was killed by the system, most likely because the memory"),
        ("os.abort()", "was ended by the signal SIGABRT"),
        ("os.closerange(3, 99)", "the script closed the pipe"),
        ("[os.write(n, b'x') for n in writable()]", "wrote into the pipe"),
    ],
)
def test_what_ends_the_process_is_said_and_the_next_start_works(stubbed, does, words):
    worker = stubbed(f"""
        import os
        def writable():
            import fcntl
            for n in range(3, 99):
                try:
                    if fcntl.fcntl(n, fcntl.F_GETFL) & os.O_WRONLY:
                        yield n
                except OSError:
                    pass
        def evaluate(model):
            if not os.path.exists("done"):
                open("done", "w").close()
                {does}
            return 1
    """)
    message = refused(worker.evaluate)
    assert words in message
    assert "my_evaluation.py" in message
    assert worker.evaluate() == {"score": 1}


def test_half_a_character_in_what_a_script_says_is_no_foreign_line(stubbed):
    worker = stubbed(r"""
        def evaluate(model, progress):
            progress(1, 2, "half of \ud83d")
            raise ValueError("half of \ud83d")
    """)
    assert "raised ValueError while evaluating: half of ?" in refused(worker.evaluate)
    assert worker.runs


def test_a_crash_shows_where_it_was(stubbed):
    worker = stubbed("""
        import ctypes
        def evaluate(model):
            ctypes.string_at(0)
    """)
    with pytest.raises(EvaluationError) as caught:
        worker.evaluate()
    assert "my_evaluation.py" in caught.value.details


def test_children_of_a_script_neither_answer_nor_stay(stubbed):
    worker = stubbed("""
        import os, subprocess
        def evaluate(model):
            subprocess.Popen(["sleep", "100"])
            if os.fork() == 0:
                return 99  # the child goes on where its parent does
            return 1
    """)
    assert worker.evaluate() == {"score": 1}
    assert worker.evaluate() == {"score": 1}
    assert len(living(worker.pid)) >= 3
    pid = worker.pid
    worker.close()
    assert left_over(pid) == []


def test_the_end_of_a_worker_is_seen_though_a_child_holds_its_log(stubbed):
    worker = stubbed("""
        import os, subprocess
        def evaluate(model):
            subprocess.Popen(["sleep", "100"])
            os._exit(5)
    """)
    assert "exit status 5" in refused(worker.evaluate)


@pytest.mark.parametrize(
    ("does", "stays"),
    [
        ("for i in range(10**6): progress(i, 10**6); time.sleep(.01)", True),
        ("for i in progress(range(10**6)): time.sleep(.01)", True),
        ("import tqdm\n            for i in tqdm.tqdm(range(10**6)): time.sleep(.01)", True),
        ("time.sleep(100)", True),  # SIGINT interrupts it
        ("catching()", False),
    ],
)
def test_a_cancelled_script_stops_and_if_it_can_the_worker_stays(stubbed, impatient, does, stays):
    worker = stubbed(f"""
        import time
        def catching():
            while True:
                try:
                    time.sleep(100)
                except BaseException:
                    pass
        def evaluate(model, progress):
            if progress is None:
                return 1
            {does}
    """)
    worker.start(Job())
    worker.call("open", Job(), "loading", path="x", seed=0)
    began = time.monotonic()
    with pytest.raises(Cancelled):
        worker.evaluate(cancel_after(0.1))
    assert time.monotonic() - began < 3
    assert worker.runs is stays


def test_a_hasty_worker_ends_what_is_cancelled_at_once(stubbed):
    worker = stubbed("""
        import time
        def evaluate(model):
            while True:
                try:
                    time.sleep(100)  # and goes on after SIGINT
                except BaseException:
                    pass
    """)
    worker.start(Job())
    worker.call("open", Job(), "loading", path="x", seed=0)
    pid, worker.kills_on_cancel = worker.pid, True
    began = time.monotonic()
    with pytest.raises(Cancelled):
        worker.evaluate(cancel_after(0.1))
    assert time.monotonic() - began < 1.5
    assert left_over(pid) == []


def test_python_that_is_still_starting_is_killed_at_once(stubbed, tmp_path, monkeypatch):
    """Regression: on a busy machine, the thread was occupied for seconds after a cancellation."""
    monkeypatch.setattr(module, "UNTIL_KILL", 60.0)
    worker = stubbed("def evaluate(model): return 1")
    worker.python = tmp_path / "python"
    worker.python.write_text("#!/bin/sh\nexec sleep 100\n")
    worker.python.chmod(0o755)
    began = time.monotonic()
    with pytest.raises(Cancelled):
        worker.start(cancel_after(0.1))
    assert time.monotonic() - began < 5


def test_a_time_limit_is_kept_if_there_is_one(stubbed, impatient):
    worker = stubbed(
        """
        import time
        def evaluate(model):
            time.sleep(100)
        """,
        Options(time_limit=0.2),
    )
    assert "took longer than the 0.2 seconds" in refused(worker.evaluate)


class Told:
    """Records the reports of a job."""

    def __init__(self):
        self.shares = []
        self.labels = set()

    def report(self, done, total, label):
        self.shares.append(done / total if total else 0)
        self.labels.add(label)


def test_progress_and_loops_of_tqdm_are_shown(stubbed):
    worker = stubbed("""
        import time
        from tqdm import tqdm
        def evaluate(model):
            for i in tqdm(range(4), desc="outer", disable=True):
                for j in tqdm(range(3), desc="inner"):
                    time.sleep(0.02)
            return 1
    """)
    told = Told()
    worker.evaluate(Job(told))
    assert any(0.2 < share < 0.8 for share in told.shares)
    assert told.shares == sorted(told.shares) or told.shares.count(0) > 1
    assert "evaluating" in told.labels


def test_a_silent_worker_is_told_from_a_busy_one(stubbed, monkeypatch):
    monkeypatch.setattr(module, "SILENCE", 0.2)
    worker = stubbed("""
        import ctypes
        def evaluate(model):
            ctypes.PyDLL(None).usleep(600_000)  # holds the interpreter: no beat
            return 1
    """)
    told = Told()
    assert worker.evaluate(Job(told)) == {"score": 1}
    assert "evaluating: does not answer" in told.labels


def test_parameters_are_given_by_name(stubbed):
    worker = stubbed(
        """
        def evaluate(model, seed, limit=5, *, device, other=4):
            return {"seed": seed, "limit": limit, "device": len(device), "other": other}
        """,
        Options(device="cpu"),
    )
    assert worker.evaluate(seed=3) == {"seed": 3, "limit": 5, "device": 3, "other": 4}
    worker = stubbed("def evaluate(model, dataset): return 1")
    said = refused(worker.evaluate)
    assert "evaluate() has a parameter 'dataset', which Pruneapp does not provide" in said
    assert "device, limit, progress, seed" in said
    worker = stubbed("def evaluate(): return 1")
    assert "evaluate() takes no argument" in refused(worker.evaluate)


def test_more_functions_are_more_metrics(stubbed):
    worker = stubbed("""
        def evaluate(model): return {"acc": 1}
        def evaluate_speed(model): return 2
        def evaluate_task(model): return {"f1": 3}
    """)
    assert worker.evaluate() == {"acc": 1, "speed": 2, "task.f1": 3}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def evaluate(:", "raised SyntaxError while reading the script"),
        ("import nowhere_to_be_found", "raised ModuleNotFoundError while reading the script"),
        ("exit()", "called exit(None)"),
        ("import os; os._exit(0)", "ended with exit status 0"),
    ],
)
def test_a_script_that_cannot_be_read(stubbed, text, words):
    worker = stubbed(text)
    assert words in refused(lambda: worker.start(Job()))
    assert not worker.runs


def test_what_is_no_python_is_refused(stubbed, tmp_path):
    worker = stubbed("def evaluate(model): return 1")
    worker.python = tmp_path / "missing"
    assert "cannot be started: no such file" in refused(worker.evaluate)
    false = tmp_path / "false"
    false.write_text("#!/bin/sh\necho sorry >&2\nexit 7\n")
    false.chmod(0o755)
    worker.python = false
    assert "exit status 7 before it was ready (sorry)" in refused(worker.evaluate)


def test_the_worker_runs_in_the_oldest_python(stubbed):
    """With any installed Python 3.9; tests/evaluation/test_script.py checks the code statically."""
    places = [*Path.home().glob(".pyenv/versions/3.9.*/bin/python3.9"), shutil.which("python3.9")]
    found = next((Path(place) for place in places if place), None)
    if found is None:
        pytest.skip("there is no Python 3.9 here")
    worker = stubbed("def evaluate(model, progress): return sum(progress([1, 2]))")
    worker.python = found
    assert worker.evaluate() == {"score": 3.0}


def test_a_torch_that_cannot_watch_products_is_named(stubbed):
    worker = stubbed("import torch\ntorch.__version__ = '1.12.1+cu102'\ndef calibrate(model): 0")
    worker.start(Job())
    worker.call("open", Job(), "loading", path="x", seed=0)
    for what, more in (("count", {}), ("statistics", {"grams": []})):
        said = refused(lambda w=what, m=more: worker.call(w, Job(), "", seed=0, path="p", **m))
        assert said.startswith("torch 1.12.1+cu102 does not show which inputs each weight is")
        assert "Choose a Python with torch 1.13" in said


def test_a_python_without_torch_is_named(stubbed, tmp_path, monkeypatch):
    worker = stubbed("def evaluate(model): return 1", load="")
    (tmp_path / "torch.py").write_text("raise ImportError('No module named torch')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    said = refused(worker.evaluate)
    assert "cannot import torch" in said
    assert "interpreter of the environment in which your model runs" in said


def test_a_file_that_was_changed_after_it_was_shown_is_not_run(stubbed):
    worker = stubbed("def evaluate(model): return 1")
    assert worker.script.unchanged
    worker.script.path.write_text("open('ran', 'w')\n")
    assert not worker.script.unchanged
    assert "was changed after it was shown" in refused(worker.evaluate)
    assert not (worker.script.path.parent / "ran").exists()


def test_the_worker_ends_when_its_application_is_gone(stubbed):
    worker = stubbed("""
        import time
        def evaluate(model):
            time.sleep(100)
    """)
    worker.start(Job())
    worker.call("open", Job(), "loading", path="x", seed=0)
    worker._send(do="evaluate", id=99, seed=0, reference=False, agree=False)
    worker._process.input.close()
    until = time.monotonic() + 5
    while worker.runs and time.monotonic() < until:
        time.sleep(0.02)
    assert not worker.runs
    assert not worker.folder.exists()


def test_fifty_evaluations_leave_nothing_behind(stubbed):
    worker = stubbed("def evaluate(model): return 1")
    worker.evaluate()
    gc.collect()
    files, threads = open_files(), threading.active_count()
    for _ in range(50):
        assert worker.evaluate() == {"score": 1}
    # Files of other tests may have been closed meanwhile.
    assert open_files() <= files
    assert threading.active_count() <= threads
    assert list(worker.folder.iterdir()) == []


def test_five_kills_at_random_moments_leave_no_process(stubbed):
    draw = random.Random(5)
    worker = stubbed("""
        import subprocess, time
        subprocess.Popen(["sleep", "100"])
        def evaluate(model):
            time.sleep(0.05)
            return 1
    """)
    groups = []
    for _ in range(5):
        timer = threading.Timer(
            draw.uniform(0, 0.3), lambda: worker.pid and os.kill(worker.pid, signal.SIGKILL)
        )
        timer.start()
        with contextlib.suppress(EvaluationError):
            while timer.is_alive():
                assert worker.evaluate() == {"score": 1}
                groups.append(worker.pid)
        timer.join()
    worker.close()
    assert [left_over(group) for group in set(groups)] == [[]] * len(set(groups))

"""Progress of a job of several parts runs from beginning to end once, whatever the parts do."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pruneapp
from pruneapp.progress import ESTIMATED_AFTER_SHARE, Cancelled, CancelToken, Job, TimeLeft

# Actions of a part: begin, change its amount of work, do some.
DEEDS = st.lists(
    st.tuples(st.sampled_from(["start", "extend", "step", "label"]), st.integers(-50, 1000)),
    max_size=12,
)


class Told:
    def __init__(self):
        self.shares: list[float] = []
        self.labels: list[str] = []

    def report(self, done, total, label):
        self.shares.append(done / total)
        self.labels.append(label)


def do(part: Job, deeds) -> None:
    for name, units in deeds:
        if name == "label":
            part.label(f"tensor {units}")
        elif name == "extend":
            part.extend(units)
        else:
            getattr(part, name)(abs(units))


@given(st.lists(DEEDS, min_size=1, max_size=6))
def test_parts_only_go_on_and_each_ends_at_its_share(parts):
    told = Told()
    job = Job(told)
    ends = []
    for deeds, part in zip(parts, job.parts(len(parts)), strict=True):
        ends.append(told.shares[-1])
        do(part, deeds)
    assert told.shares == sorted(told.shares), "it never goes back"
    assert ends == pytest.approx([number / len(parts) for number in range(len(parts))])
    assert told.shares[-1] == 1.0


def test_parts_have_the_shares_of_their_weights():
    told = Told()
    ends = []
    for part in Job(told).weighted_parts((0, 3, 1)):
        ends.append(told.shares[-1])
        part.start(2)
        part.step(1)
    assert ends == [0.0, 0.0, 0.75]
    assert told.shares == sorted(told.shares)
    assert told.shares[-1] == 1.0


def test_half_of_a_part_is_half_of_its_share_under_its_label():
    told = Told()
    job = Job(told)
    for number, part in enumerate(job.parts(4)):
        part.start(200, f"tensor {number}")
        part.step(100)
        assert told.shares[-1] == number / 4 + 1 / 8
        assert told.labels[-1] == f"tensor {number}"
    assert told.shares[-1] == 1.0


def test_a_labelled_job_reports_its_progress_under_one_name():
    told = Told()
    for part in Job(told).parts(2):
        inner = part.labelled("evaluating")
        inner.start(4, "reading")
        inner.step(2)
        assert told.labels[-1] == "evaluating"
    assert told.shares[-1] == 1.0
    assert 0.75 in told.shares


def test_parts_stop_where_the_job_is_cancelled():
    token = CancelToken()
    parts = Job(cancel=token).parts(2)
    part = next(parts)
    part.start(10)
    token.cancel()
    with pytest.raises(Cancelled):
        part.step(1)


def estimates(left, begin, end, rate, share=0.0):
    """Update `left` each second with a constant rate, and return its estimates."""
    found = []
    for second in range(begin + 1, end + 1):
        left.update(second, share + (second - begin) * rate)
        found.append(left.estimate(second))
    return found


def test_the_time_left_is_estimated_once_enough_is_done():
    left = TimeLeft()
    found = estimates(left, 0, 20, 1 / 80)
    assert found[:10] == [None] * 10, "the first changes are those of preparations"
    assert found[10:] == [pytest.approx(69 - n) for n in range(10)]
    assert left.estimate(21.0) == pytest.approx(59), "it counts down until the next report"


def test_a_start_in_few_large_steps_is_no_estimate():
    """The start of a process and the loading of a model do not count as progress."""
    left = TimeLeft()
    for second, share in ((1, 0.05), (3, 0.08), (9, 0.15), (10, 0.17)):
        left.update(second, share)
        assert left.estimate(second) is None
    found = estimates(left, 10, 40, 0.83 / 160, 0.17)
    assert [value for value in found if value is not None] == [
        pytest.approx(160 - n, rel=0.02) for n in range(1, 31) if found[n - 1] is not None
    ]


def test_no_time_left_is_estimated_for_a_job_that_does_not_continue():
    left = TimeLeft()
    estimates(left, 0, 20, 0.025)
    assert left.estimate(40.0) is None
    left.update(58.0, 0.6)
    assert left.estimate(59.0) is not None
    assert left.estimate(100.0) is not None, "it paused for 38 s before"
    assert left.estimate(150.0) is None


def test_a_slow_preparation_is_soon_forgotten():
    left = TimeLeft()
    left.update(40.0, 0.02)
    assert estimates(left, 40, 60, 0.01, 0.02)[-1] == pytest.approx(78)


def test_another_phase_is_estimated_alone():
    left = TimeLeft()
    left.update(10.0, 1.0)
    left.update(11.0, 0.0)
    assert left.estimate(11.5) is None
    assert estimates(left, 11, 31, 0.01)[-1] == pytest.approx(80)


def test_the_time_left_follows_the_last_part_of_the_elapsed_time():
    """A quick preparation that counted as half of the job predicted 13 s for 6 minutes."""
    left = TimeLeft()
    left.update(10.0, 0.5)
    assert estimates(left, 10, 59, 1 / 700, 0.5)[-1] == pytest.approx(301, rel=0.02)


def test_the_time_left_does_not_jump():
    """The rate of a part of the work may differ several times from that of the next part."""
    left, second, share, before = TimeLeft(), 0.0, 0.0, None
    rng = random.Random(1)
    while share < 0.95:
        second += 1
        share += rng.choice((0.002, 0.01, 0.02))
        left.update(second, share)
        now = left.estimate(second)
        if before is not None and now > 10:
            assert abs(now - before) < 3 + before / 4
        before = now


@pytest.mark.parametrize("sequential", [False, True])
def test_the_time_left_of_work_with_known_durations_decreases(sequential):
    """A repair: preparation, then runs of inputs and solutions whose durations are estimated.

    The estimates are off by up to a third. 31 minutes were followed by 2, 27 and 16.
    """
    rng, left = random.Random(3), TimeLeft()
    works = [(8.0, 1.5 * (n % 4 + 1)) for n in range(24)] if sequential else [(40.0, 12.0)]
    clock, total, seen = [0.0], 20 + sum(sum(work) for work in works), []

    class Recorded:
        def report(self, done, total, _label):
            left.update(clock[0], done / total)
            seen.append((clock[0], left.estimate(clock[0])))

    def run(part, seconds):
        part.start(40)
        for _ in range(40):
            clock[0] += seconds / 40
            part.step(1)

    parts = [seconds for work in works for seconds in work]
    job = Job(Recorded())
    halves = job.weighted_parts((1, round(1 / ESTIMATED_AFTER_SHARE) - 1))
    run(next(halves), 20.0)
    expected = [round(1000 * seconds * rng.uniform(0.75, 1.33)) for seconds in parts]
    for part, seconds in zip(next(halves).weighted_parts(expected), parts, strict=True):
        run(part, seconds)
    known = [(at, estimate) for at, estimate in seen if estimate is not None]
    assert known[0][0] < 20 + 0.15 * total, "it is known soon after the preparation"
    for (_, before), (_, now) in pairwise(known):
        assert now < before + max(2.0, 0.05 * before)
    assert all(abs(estimate - (total - at)) < 5 + 0.35 * (total - at) for at, estimate in known)


def test_a_pause_between_two_parts_does_not_make_the_time_left_jump():
    """A recovery measured errors for 8 s before its second part: 112 s left became 345."""
    left, clock, share, found = TimeLeft(), 163.0, 0.02, []  # after its preparation
    left.update(clock, share)
    # number of steps, seconds for each, share of all of them, and seconds after them
    for steps, seconds, part, pause in ((360, 0.155, 0.325, 8.0), (60, 0.8, 0.328, 3.0)):
        for _ in range(steps):
            clock += seconds
            share += part / steps
            left.update(clock, share)
            found.append(left.estimate(clock))
        clock += pause
    known = [estimate for estimate in found if estimate is not None]
    assert len(known) > 350
    assert all(now < before + 8 for before, now in pairwise(known))


def test_a_last_part_that_is_much_slower_than_expected_is_noticed_and_then_counts_down():
    """On a busy machine, 3 % of a repair took 4 minutes, for which 0 to 14 s were shown."""
    left, clock, share, total = TimeLeft(), 0.0, 0.0, 20 + 60 + 240
    found = []
    for seconds, part in ((20, 0.02), (60, 0.95), (240, 0.03)):
        for _ in range(4 * seconds):
            clock += 0.25
            share += part / (4 * seconds)
            left.update(clock, min(1.0, share))
            found.append((clock, left.estimate(clock)))
    known = [(at, estimate) for at, estimate in found if estimate is not None and at > 100]
    assert len(known) == 4 * (total - 100)
    assert all(estimate == pytest.approx(total - at, rel=0.05, abs=2) for at, estimate in known)
    assert all(now <= before for (_, before), (_, now) in pairwise(known))


def test_no_code_unpacks_the_parts_of_a_job():
    """Unpacking requests all parts, which completes the job before its work begins."""
    package = Path(pruneapp.__file__).parent
    unpacks = re.compile(r"^ *\w+, .*= [\w.]+\.(weighted_)?parts\(", re.MULTILINE)
    files = sorted(package.rglob("*.py"))
    assert [path.name for path in files if unpacks.search(path.read_text("utf-8"))] == []

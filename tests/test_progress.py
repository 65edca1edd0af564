"""Progress of a job of several parts runs from beginning to end once, whatever the parts do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.progress import Cancelled, CancelToken, Job, TimeLeft

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


def test_parts_stop_where_the_job_is_cancelled():
    token = CancelToken()
    parts = Job(cancel=token).parts(2)
    part = next(parts)
    part.start(10)
    token.cancel()
    with pytest.raises(Cancelled):
        part.step(1)


def test_the_time_left_is_estimated_once_something_is_done():
    left = TimeLeft()
    left.update(0.5, 0.1)
    assert left.estimate(0.5) is None, "files are prepared first"
    left.update(2.0, 0.25)
    assert left.estimate(2.0) == pytest.approx(6)
    assert left.estimate(3.0) == pytest.approx(5), "it counts down until the next report"


def test_no_time_left_is_estimated_for_a_job_that_does_not_continue():
    left = TimeLeft()
    left.update(2.0, 0.25)
    assert left.estimate(40.0) is None
    left.update(40.0, 0.5)
    assert left.estimate(41.0) is not None
    assert left.estimate(90.0) is not None, "it paused for 38 s before"
    assert left.estimate(150.0) is None


def test_a_slow_preparation_is_soon_forgotten():
    """Loading a model for 40 s made an evaluation of 2 minutes say 34 min."""
    left = TimeLeft()
    left.update(40.0, 0.02)
    for second in range(41, 61):
        left.update(second, 0.02 + (second - 40) / 100)
    assert left.estimate(60.0) == pytest.approx(78)


def test_another_phase_is_estimated_alone():
    left = TimeLeft()
    left.update(10.0, 1.0)
    left.update(11.0, 0.0)
    assert left.estimate(11.5) is None
    for second in range(12, 32):
        left.update(second, (second - 11) / 100)
    assert left.estimate(31.0) == pytest.approx(80)


def test_the_time_left_follows_the_last_part_of_the_elapsed_time():
    """A quick preparation that counted as half of the job said 13 s for 6 minutes."""
    left = TimeLeft()
    left.update(10.0, 0.5)
    for second in range(11, 60):
        left.update(second, 0.5 + (second - 10) / 700)
    assert left.estimate(59.0) == pytest.approx(301, rel=0.02)

"""What is told of plans: rows, tables and profiles."""

import json

import pytest

from core.engine.executable import StepInfo
from core.plan.plan_report import PlanProfile, plan_table, step_rows, tail_of, timed
from tests.core.plan.plan_samples import sample_plan

PLAN = sample_plan(2)


def lines(text):
    return str(text).splitlines()


def column(text, name):
    """The cells of a table under a heading, whichever side they stand on; "" if there is none."""
    header, *rows = lines(text)
    left = header.index(name)
    right = left + len(name)
    return [next((c for c in cells(row) if c[1] < right and c[2] > left), ("",))[0] for row in rows]


def cells(line):
    """The texts of a line that are two spaces or more apart, and where they begin and end."""
    start = 0
    for text in line.split("  "):
        if text.strip():
            begins = start + len(text) - len(text.lstrip())
            yield text.strip(), begins, start + len(text)
        start += len(text) + 2


def test_the_table_has_a_line_for_each_step():
    table = plan_table(PLAN)
    assert len(lines(table)) == len(PLAN.steps) + 4
    assert column(table, "name")[: len(PLAN.steps)] == [step.name for step in PLAN.steps]
    assert column(table, "kernel")[:3] == ["windows", "matmul", "einsum rows"]
    assert column(table, "op")[3] == "conv2d + add + add"
    assert column(table, "input")[0] == "1x224x224x3"
    assert column(table, "result")[0] == "1x112x112x16"


def test_the_table_shows_the_counts():
    table, step = plan_table(PLAN), PLAN.steps[0]
    assert column(table, "kB")[0] == "802.8" == f"{112 * 112 * 16 * 4 / 1000:.1f}"
    assert column(table, "million MACs")[0] == f"{112 * 112 * 16 * 27 / 1e6:.2f}"
    assert column(table, "weights kB")[0] == f"{step.weight_bytes / 1000:.1f}"
    assert column(table, "million MACs")[len(PLAN.steps) - 1] == ""  # softmax sums no products


def test_the_totals():
    work, transposes, memory = lines(plan_table(PLAN))[-3:]
    products = sum(step.multiply_adds for step in PLAN.steps) / 1e6
    assert work.startswith(f"{len(PLAN.steps)} steps, {products:,.1f} million multiply-adds")
    assert work.endswith("on cpu, numpy")
    assert transposes == "transposes left: 0, of 0.00 MB"
    together = sum(buffer.bytes for buffer in PLAN.placed) / 1e6
    assert f"arena of {PLAN.arena_bytes / 1e6:,.2f} MB" in memory
    assert f"{len(PLAN.placed)} buffers that would take {together:,.2f} MB" in memory
    assert PLAN.arena_bytes / 1e6 < together / 2


def test_transposes_are_counted():
    turned = PLAN.steps[0]._replace(op="transpose", bytes=1_500_000)
    table = plan_table(PLAN._replace(steps=[turned, *PLAN.steps, turned]))
    assert lines(table)[-2] == "transposes left: 2, of 3.00 MB"


def test_rows_are_json():
    (first, *_) = rows = step_rows(PLAN)
    assert len(rows) == len(PLAN.steps)
    assert json.loads(json.dumps(first)) == {
        "name": "stem",
        "op": "conv2d",
        "kernel": "windows",
        "fused": ["add", "relu6"],
        "input_shapes": [[1, 224, 224, 3], [3, 3, 3, 16], [16]],
        "output_shape": [1, 112, 112, 16],
        "dtype": "float32",
        "bytes": 802816,
        "weight_bytes": 4 * (27 * 16 + 16),
        "multiply_adds": 112 * 112 * 16 * 27,
        "scratch_bytes": PLAN.steps[0].scratch_bytes,
    }


@pytest.fixture
def profile() -> PlanProfile:
    """The third step takes half of the time."""
    others = 1.5 / (len(PLAN.steps) - 1)
    return timed(PLAN, [1.5 if i == 2 else others for i in range(len(PLAN.steps))], runs=10)


def test_a_profile_has_the_time_of_each_step(profile):
    assert profile.total_ms == pytest.approx(3.0)
    assert (profile.runs, profile.backend, profile.tier) == (10, "cpu", "numpy")
    third = profile.steps[2]
    assert third["ms"] == 1.5
    assert third["share"] == pytest.approx(0.5)
    assert third["gflops"] == pytest.approx(2 * PLAN.steps[2].multiply_adds / 1.5e-3 / 1e9)
    assert profile.steps[-1]["gflops"] == 0
    assert sum(step["share"] for step in profile.steps) == pytest.approx(1)
    without_times = {key: third[key] for key in step_rows(PLAN)[2]}
    assert without_times == step_rows(PLAN)[2]
    assert json.loads(json.dumps(profile.steps))[2]["ms"] == 1.5


def test_a_profile_prints_in_running_order(profile):
    assert column(profile, "name")[:-1] == [step.name for step in PLAN.steps]
    assert column(profile, "ms")[2] == "1.500"
    assert column(profile, "share")[2] == "50.0%"
    assert column(profile, "GFLOP/s")[2] == f"{profile.steps[2]['gflops']:.1f}"
    assert lines(profile)[-1].startswith(f"{len(PLAN.steps)} steps, 3.000 ms, ")
    assert lines(profile)[-1].endswith("medians of 10 runs on cpu, numpy")


def test_the_slowest_come_first(profile):
    slowest = profile.slowest(3)
    assert [step["ms"] for step in slowest] == sorted((s["ms"] for s in slowest), reverse=True)
    assert slowest[0] == profile.steps[2]
    assert len(profile.slowest(1000)) == len(PLAN.steps)


def test_steps_that_take_no_time_have_no_rate():
    profile = timed(PLAN, [0.0] * len(PLAN.steps), runs=1)
    assert profile.total_ms == 0
    assert {(step["share"], step["gflops"]) for step in profile.steps} == {(0.0, 0.0)}


def test_long_names_keep_their_ends_and_long_chains_their_beginnings():
    step = PLAN.steps[0]._replace(name="a/" * 40 + "relu", fused=("quantise_round",) * 9)
    table = plan_table(PLAN._replace(steps=[step]))
    assert column(table, "name")[0] == tail_of(step.name, 32) == "..." + step.name[-29:]
    assert column(table, "op")[0] == "conv2d + quantise_round + quantise_round ..."


def test_a_plan_without_steps():
    empty = PLAN._replace(steps=[], placed=[], arena_bytes=0, weight_bytes=0)
    assert lines(plan_table(empty))[1].startswith("0 steps, 0.0 million multiply-adds")
    assert lines(timed(empty, [], 1))[1].startswith("0 steps, 0.000 ms, 0.0 GFLOP/s")


def test_scalars_and_steps_without_inputs():
    step = StepInfo("now", "fill", "numpy", (), (), (), "float32", 4, 0, 0, 0)
    table = plan_table(PLAN._replace(steps=[step]))
    assert column(table, "result")[0] == "scalar"
    assert column(table, "input")[0] == ""


def test_a_chrome_trace_has_a_slice_for_each_step():
    times = [0.5 + i for i in range(len(PLAN.steps))]
    profile = timed(PLAN, times, 3)
    trace = json.loads(profile.to_chrome_trace())
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert [s["name"] for s in slices] == [step.name for step in PLAN.steps]
    assert [s["cat"] for s in slices] == [step.op for step in PLAN.steps]
    assert sum(s["dur"] for s in slices) == pytest.approx(1e3 * profile.total_ms)
    ends = [s["ts"] + s["dur"] for s in slices]
    assert [s["ts"] for s in slices] == pytest.approx([0.0, *ends[:-1]])
    assert slices[0]["args"]["output_shape"] == [1, 112, 112, 16]

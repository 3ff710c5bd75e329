"""Plans of the tf backend beside ops one by one, and beside the cpu backend."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.engine.backends import load_backend
from core.engine.limits import LimitError
from core.engine.program import Program
from core.engine.run_guard import Guard, RunCancelledError, guarded
from core.graph.feeds import QuantizedArray
from core.graph.nodes import Quantization
from core.plan.passes import PROGRAM_PASSES
from tests.core.plan.harness import node
from tests.core.plan.programs import computed, program_of, program_with_a_host_step
from tests.core.plan.test_plan_runs import graph, x  # noqa: F401 - fixtures
from tests.core.plan.test_random_programs import random_program

ROUND = {"scale": 0.25, "zero_point": 3, "low": 0, "high": 40}


@pytest.fixture(autouse=True)
def tf():
    with core.backend("tf"):
        yield load_backend("tf")


def floats(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def planned(program: Program) -> Program:
    for program_pass in PROGRAM_PASSES:
        program = program_pass(program)
    return program


def on_cpu(program, given):
    with core.backend("cpu"):
        return computed(program, given)


def arrays_of(tf, program, handles):
    specs = [program.specs[r] for r in program.outputs]
    return [np.array(tf.download(h, s)) for h, s in zip(handles, specs, strict=True)]


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(tf, seed):
    rng = np.random.default_rng(seed)
    with core.backend("cpu"):
        program, given = random_program(rng)
    program = planned(program)
    executable = tf.lower(program)
    first, other = ([given[r] * k for r in program.inputs] for k in (1, 9))
    found, _, again = (arrays_of(tf, program, executable.run(f)) for f in (first, other, first))
    for ours, same_again, theirs in zip(found, again, on_cpu(program, given), strict=True):
        np.testing.assert_array_equal(ours, same_again)
        bound = 1e-5 * float(np.abs(theirs).max(initial=0))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=bound)


# --- what goes in and comes out -------------------------------------------------------------


def small_program(rng):
    given = {"x": floats(rng, 3, 4)}
    program = program_of(
        node("reshape", "x", name="s", shape=(4, 3)),
        node("neg", "s", name="y"),
        inputs=given,
        outputs=("y", "s", "x", "c", "y"),
        c=floats(rng, 5),
    )
    return program, given


def test_inputs_and_constants_as_outputs(tf, rng):
    program, given = small_program(rng)
    executable, expected = tf.lower(program), on_cpu(program, given)
    feed = given["x"].copy()
    handles = executable.run([feed])
    feed[:] = np.nan  # as its owner may do
    for ours, theirs in zip(arrays_of(tf, program, handles), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert not tf.download(handles[3], program.specs["c"]).flags.writeable


def test_quantized_arrays_as_inputs(tf, rng):
    given = QuantizedArray(np.uint8([[128, 130]]), Quantization(0.5, 128, "uint8"))
    program = program_of(node("neg", "x"), inputs={"x": given.values()})
    (found,) = tf.lower(program).run([given])
    assert tf.download(found, program.specs["y"]).tolist() == [[0.0, -1.0]]


def test_feeds_of_arrays_and_of_tensors(tf, rng):
    program, given = small_program(rng)
    executable = tf.lower(program)
    for feed in (given["x"], tf.upload(given["x"].copy())):
        found = arrays_of(tf, program, executable.run([feed]))
        np.testing.assert_array_equal(found[2], given["x"])
        np.testing.assert_array_equal(found[1], given["x"].reshape(4, 3))


def test_plans_share_the_memory_of_weights(tf, rng):
    weights = floats(rng, 128, 64)
    weights.flags.writeable = False
    programs = [
        program_of(node("matmul", "x", "w"), inputs={"x": floats(rng, n, 128)}, w=weights)
        for n in (1, 2)
    ]
    one, other = (tf.lower(program) for program in programs)
    assert one._constants["w"] is other._constants["w"]
    held = core.tensor(weights)
    program = programs[0]._replace(constants={"w": np.asarray(held)})
    assert tf.lower(program)._constants["w"] is held.handle
    assert tf.lower(program)._constants["w"] is not one._constants["w"]


def test_weights_in_other_shapes(tf, rng):
    flat, given = floats(rng, 128 * 64), {"x": floats(rng, 2, 128)}
    kept = tf.lower(program_of(node("neg", "x"), inputs=given, outputs=("y", "w"), w=flat))
    program = program_of(node("matmul", "x", "w"), inputs=given, w=flat.reshape(128, 64))
    (found,) = arrays_of(tf, program, tf.lower(program).run([given["x"]]))
    np.testing.assert_allclose(found, on_cpu(program, given)[0], atol=1e-4)
    assert kept._constants["w"].shape == (128 * 64,)


# --- steps that are no part of a function of TensorFlow ---------------------------------------


def test_a_step_of_the_host_between_functions(tf, rng, monkeypatch):
    with core.backend("cpu"):
        program, given = program_with_a_host_step(rng)
    monkeypatch.delitem(
        core.engine.registry.KERNELS, ("non_max_suppression_padded", "tf"), raising=False
    )
    monkeypatch.setattr(tf, "host_ops", {"non_max_suppression_padded": "for this test"})
    executable = tf.lower(program)
    assert [step.kernel for step in executable.steps][1] == "host"
    assert len(executable._segments) == 3
    found = arrays_of(tf, program, executable.run([given[r] for r in program.inputs]))
    for ours, theirs in zip(found, on_cpu(program, given), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_functions_of_arrays_in_compiled_functions(rng):
    calls = []

    def noted(values):
        calls.append(values.copy())
        return values + len(calls)

    run = core.compile(lambda v: 2.0 * core.numpy_function(core.neg(v), function=noted))
    found = [run(np.float32([0, 1])).tolist() for _ in range(3)]
    assert found == [[2, 0], [4, 2], [6, 4]] and "a plan" in run.report()
    np.testing.assert_array_equal(calls, [[0, -1]] * 3)


# --- errors, limits, ends of runs -------------------------------------------------------------


def test_an_error_names_the_step(tf):
    run = core.compile(lambda v: core.relu(core.check_numerics(v * 2.0, message="the loss")))
    assert run(np.float32([1.0])).tolist() == [2.0]
    with pytest.raises(core.NotFiniteError, match="the loss is nan"):
        run(np.float32([np.nan]))
    assert run(np.float32([1.0])).tolist() == [2.0]


def test_a_kernel_that_fails_names_the_step(tf, rng, monkeypatch):
    def fail(*_):
        raise ValueError("it cannot")

    program = program_of(node("neg", "x"), inputs={"x": floats(rng, 2)})
    monkeypatch.setitem(core.engine.registry.READY, ("neg", "tf"), fail)
    monkeypatch.setitem(core.engine.registry.KERNELS, ("neg", "tf"), fail)
    with pytest.raises(core.CoreError, match=r"node 'y' \(neg\): ValueError: it cannot"):
        tf.lower(program)


def test_an_op_without_a_kernel(tf, rng, monkeypatch):
    program = program_of(node("neg", "x"), inputs={"x": floats(rng, 2)})
    monkeypatch.delitem(core.engine.registry.KERNELS, ("neg", "tf"))
    with pytest.raises(core.KernelNotFound, match="no kernel 'neg' on backend 'tf'"):
        tf.lower(program)


def test_a_cancelled_run_ends(tf, rng):
    program, given = small_program(rng)
    executable = tf.lower(program)
    guard = Guard(core.engine.limits.effective_limits(), may_be_cancelled=True)
    guard.cancel()
    with guarded(guard), pytest.raises(RunCancelledError):
        executable.run([given["x"]])


def test_limits_count_the_values_of_a_run(graph, x):  # noqa: F811
    needed = graph.plan(x).arena_bytes
    assert needed > 9 * 11 * 8 * 4
    with pytest.raises(LimitError, match="run_bytes"), core.limits(run_bytes=needed // 2):
        graph.predict(x)


def test_threads_share_a_plan(graph, rng):  # noqa: F811
    images = [floats(rng, 1, 9, 11, 2) for _ in range(24)]
    expected = [graph.predict(image)["y"].numpy() for image in images]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda image: graph.predict(image)["y"].numpy(), images)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


# --- tables and times -------------------------------------------------------------------------


def test_tables_and_times(graph, x):  # noqa: F811
    plan = graph.plan(x)
    assert [(step.op, step.fused) for step in plan.steps] == [
        ("conv2d", ("add", "relu")),
        ("depthwise_conv2d", ("add", "relu6")),
    ]
    assert plan.tier == "tf.function" and "on tf" in repr(plan)
    assert len(plan.profile({"x": x}, 2)) == 2 and plan.gpu_time({"x": x}, 2) > 0
    assert json.loads(plan.to_chrome_trace({"x": x}))["traceEvents"]
    plan.warmup()
    assert plan.stored() is None and plan.workspaces_made == plan.workspaces_idle == 0
    with pytest.raises(core.CoreError, match="no generated kernels"):
        plan.listing()
    with pytest.raises(core.CoreError, match="not tunable"):
        plan.tune()


def test_warmup_of_what_zeros_cannot_be(tf):
    compiled = core.compile(lambda v: core.check_numerics(1.0 / v, message="the inverse"))
    assert compiled.warmup(np.float32([2.0])) > 0
    assert compiled(np.float32([2.0])).tolist() == [0.5]


# --- fusion -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 3), (2, 4, 3), (1, 4, 5, 3), (1, 2, 3, 2, 3)])
@pytest.mark.parametrize("is_first", [True, False])
def test_sums_with_a_number_for_each_channel(tf, rng, shape, is_first):
    names = ("b", "x") if is_first else ("x", "b")
    given = {"x": floats(rng, *shape)}
    program = program_of(node("add", *names), inputs=given, b=floats(rng, 3))
    executable = tf.lower(program)
    graph_of = executable._segments[0].run.graph
    assert "BiasAdd" in {operation.type for operation in graph_of.get_operations()}
    (found,) = arrays_of(tf, program, executable.run([given["x"]]))
    np.testing.assert_array_equal(found, on_cpu(program, given)[0])


@pytest.mark.parametrize("other", [(4,), (3, 1), (1,), ()])
def test_other_sums(tf, rng, other):
    given = {"x": floats(rng, 3, 4), "z": floats(rng, *other)}
    program = program_of(node("add", "x", "z"), inputs=given)
    (found,) = arrays_of(tf, program, tf.lower(program).run([*given.values()]))
    np.testing.assert_array_equal(found, on_cpu(program, given)[0])


# --- quantised graphs --------------------------------------------------------------------------


def test_quanta_are_exact(tf):
    halves = (np.arange(-200, 200, dtype=np.float32) / 2 * np.float32(0.25)).reshape(8, 50)
    program = program_of(node("quantise_round", "x", **ROUND), inputs={"x": halves})
    (found,) = arrays_of(tf, program, tf.lower(program).run([halves]))
    np.testing.assert_array_equal(found, on_cpu(program, {"x": halves})[0])

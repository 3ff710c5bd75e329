"""Plans on the shader backend: programs, memory, threads, what is fed and what comes out."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.backends.shader.plans import replay
from core.backends.shader.runtime.mapped_memory import StagingSlot
from core.engine.backends import load_backend
from core.engine.registry import KERNELS
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from core.plan.passes import PROGRAM_PASSES
from tests.core.plan.harness import node
from tests.core.plan.programs import computed, program_of, program_with_a_host_step
from tests.core.plan.test_random_programs import random_program


@pytest.fixture(scope="module", params=["compute", "fragment"])
def shader(request, opengl):
    core.start_shader(path=request.param)
    yield load_backend("shader")
    core.stop_shader()


def planned(program):
    for program_pass in PROGRAM_PASSES:
        program = program_pass(program)
    return program


def outputs_of(shader, machine, program, given):
    found = machine.run([shader.upload(given[r].copy()) for r in program.inputs])
    specs = [program.specs[r] for r in program.outputs]
    return [np.array(shader.download(h, s)) for h, s in zip(found, specs, strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_machines_agree_with_ops(shader, seed):
    """Run twice, with other inputs between: memory is shared by values and by runs."""
    rng = np.random.default_rng(seed)
    for _ in range(4):
        program, given = random_program(rng)
        program = planned(program)
        machine = shader.lower(program)
        other = {name: 9 * array for name, array in given.items()}
        found, _, again = (outputs_of(shader, machine, program, g) for g in (given, other, given))
        for ours, same_again, theirs in zip(found, again, computed(program, given), strict=True):
            np.testing.assert_array_equal(ours, same_again)
            bound = 1e-5 * float(np.abs(theirs).max(initial=0))
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=bound)


def graph_model(size=3000):
    """y = relu(x) * 2 + c, and z = |x|."""
    nodes = [
        Node("x", "Placeholder"),
        Node("r", "Relu", ("x",)),
        Node("two", "Const"),
        Node("m", "Mul", ("r", "two")),
        Node("c", "Const"),
        Node("y", "AddV2", ("m", "c")),
        Node("z", "Abs", ("x",)),
    ]
    weights = {"two": np.float32(2), "c": np.arange(size, dtype=np.float32)}
    ends = {n: Endpoint(n, PartialSpec((None, size))) for n in ("x", "y", "z")}
    return GraphModel(Graph(nodes, weights, {"x": ends["x"]}, {n: ends[n] for n in "yz"}))


def answers(x):
    return np.maximum(x, 0) * 2 + np.arange(x.shape[1], dtype=np.float32), np.abs(x)


def check(outputs, x):
    for name, expected in zip("yz", answers(x), strict=True):
        np.testing.assert_array_equal(outputs[name].numpy(), expected)


def test_the_caller_may_change_its_array_after_the_call(shader, rng):
    with core.backend("shader"):
        model = graph_model()
        for _ in range(6):  # more runs in flight than there is mapped memory
            x = rng.normal(size=(2, 3000)).astype(np.float32)
            kept, outputs = x.copy(), model.predict(x)
            x[:] = np.nan
            check(outputs, kept)
        xs = [rng.normal(size=(2, 3000)).astype(np.float32) for _ in range(6)]
        shown = [x.copy() for x in xs]
        found = []
        for x in xs:
            found.append(model.predict(x))
            x[:] = np.nan
        for outputs, x in zip(found, shown, strict=True):
            check(outputs, x)


def test_tensors_that_are_on_the_device_are_read_there(shader, rng):
    with core.backend("shader"):
        model = graph_model()
        x = rng.normal(size=(2, 3000)).astype(np.float32)
        there = core.tensor(x) + 0.0
        check(model.predict(there), x)
        check(model.predict(x), x)
        check(model.predict(there), x)
        np.testing.assert_array_equal(there.numpy(), x)


def test_several_threads_at_once(shader, rng):
    xs = [rng.normal(size=(1, 3000)).astype(np.float32) for _ in range(24)]
    with core.backend("shader"):
        model = graph_model()
    with ThreadPoolExecutor(4) as pool:
        for x, outputs in zip(xs, pool.map(model.predict, xs), strict=True):
            check(outputs, x)


def test_outputs_stay_when_the_model_runs_again(shader, rng):
    with core.backend("shader"):
        model = graph_model()
        xs = [rng.normal(size=(2, 3000)).astype(np.float32) for _ in range(3)]
        found = [model.predict(x) for x in xs]
        for outputs, x in zip(found, xs, strict=True):
            check(outputs, x)


def test_inputs_and_constants_as_outputs(shader, rng):
    x, c = rng.normal(size=(3, 4)).astype(np.float32), rng.normal(size=5).astype(np.float32)
    program = program_of(
        node("reshape", "x", name="s", shape=(4, 3)),
        node("neg", "s", name="y"),
        inputs={"x": x},
        outputs=("y", "s", "x", "c", "y"),
        c=c,
    )
    found = outputs_of(shader, shader.lower(program), program, {"x": x})
    for ours, theirs in zip(found, computed(program, {"x": x}), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("backend", ["cpu", "shader"])
@pytest.mark.parametrize("kind", ["Erf", "Selu", "Sign", "Atan", "Cosh"])
def test_functions_are_fused_into_products(kind, backend, shader, rng):
    """GELU and their like: one step on every backend."""
    nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("m", "MatMul", ("x", "w"))]
    nodes += [Node("e", kind, ("m",)), Node("y", "Neg", ("e",))]
    ends = [Endpoint(name, PartialSpec((None, None))) for name in ("x", "y")]
    w, x = rng.normal(size=(6, 5)), rng.normal(size=(4, 6)).astype(np.float32)
    weights = {"w": w.astype(np.float32)}
    graph = Graph(nodes, weights, {"x": ends[0]}, {"y": ends[1]})
    with core.backend(backend):
        model = GraphModel(graph)
        (step,) = model.plan(x).steps
        assert (step.op, step.fused) == ("matmul", (kind.lower(), "neg"))
        found = model.predict(x)["y"].numpy()
        expected = GraphModel(graph, plans=False).predict(x)["y"].numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_an_op_without_a_shader_runs_on_the_host_in_between(shader, rng):
    program, given = program_with_a_host_step(rng)
    machine = shader.lower(program)
    assert [step.kernel for step in machine.steps][1] == "host"
    found = outputs_of(shader, machine, program, given)
    for ours, theirs in zip(found, computed(program, given), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_an_epilogue_of_a_host_op_is_computed_there_as_well(shader, rng, monkeypatch):
    op = "unsorted_segment_sum"
    monkeypatch.delitem(KERNELS, (op, "shader"), raising=False)
    monkeypatch.setattr(type(shader), "host_ops", {**shader.host_ops, op: "for this test"})
    values = rng.normal(size=3).astype(np.float32)
    epilogue = [node("add", ".", "c"), node("relu", ".")]
    step = node(op, "x", "i", name="y", num_segments=2, epilogue=epilogue)
    given = {"x": values, "i": np.int32([0, 1, 1])}
    program = program_of(step, inputs=given, c=np.float32([0.5, -9]))
    machine = shader.lower(program)
    assert [step.kernel for step in machine.steps] == ["host"]
    (ours,) = outputs_of(shader, machine, program, given)
    np.testing.assert_allclose(ours, computed(program, given)[0], rtol=1e-6)


@pytest.mark.parametrize("first", ["conv2d", "relu"])
def test_an_epilogue_of_more_values_than_can_be_bound(shader, rng, first):
    x = rng.normal(size=(1, 6, 6, 8)).astype(np.float32)
    others = {f"z{i}": rng.normal(size=x.shape).astype(np.float32) for i in range(20)}
    adds = [node("add", ".", name, name=f"a{i}") for i, name in enumerate(others)]
    many = [*adds, node("add_n", "z3", ".", *others, ".", name="all"), node("relu", ".")]
    w = rng.normal(size=(3, 3, 8, 8)).astype(np.float32) / 9
    how = {"strides": 1, "pad": "same"} if first == "conv2d" else {}
    weights = ["w"] if first == "conv2d" else []
    step = node(first, "x", *weights, name="y", epilogue=many, **how)
    given = {"x": x, **others}
    program = program_of(step, inputs=given, **({"w": w} if weights else {}))
    (ours,), (theirs,) = (
        outputs_of(shader, shader.lower(program), program, given),
        computed(program, given),
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-5 * np.abs(theirs).max())


def test_constants_that_share_memory_are_distinguished(shader, rng):
    w = rng.normal(size=(6, 6)).astype(np.float32)
    for other in (w.T, np.broadcast_to(w[0], (6, 6)), w[::-1]):
        program = program_of(
            node("add", "x", "w", name="a"),
            node("add", "a", "v", name="y"),
            inputs={"x": w},
            w=w,
            v=other,
        )
        (ours,) = outputs_of(shader, shader.lower(program), program, {"x": w})
        np.testing.assert_allclose(ours, w + w + other, rtol=1e-6)


def test_names_of_kernel_and_epilogue_do_not_collide(shader, rng):
    x = rng.normal(size=(2, 9, 9, 3)).astype(np.float32)
    how = {"begin": (0, 0, 0, 0), "end": (2, 9, 9, 3), "strides": (1, 2, 2, 1)}
    step = node("strided_slice", "x", name="y", epilogue=[node("relu", "."), node("neg", ".")],
                **how)  # fmt: skip
    program = program_of(step, inputs={"x": x})
    (ours,) = outputs_of(shader, shader.lower(program), program, {"x": x})
    np.testing.assert_array_equal(ours, -np.maximum(x[:, ::2, ::2], 0))


def test_awaiting_does_not_block_the_event_loop(shader, rng):
    x = rng.normal(size=(2, 3000)).astype(np.float32)

    async def several():
        return await asyncio.gather(*(model.predict_async(x) for _ in range(5)))

    with core.backend("shader"):
        model = graph_model()
        for outputs in asyncio.run(several()):
            check(outputs, x)


def test_steps_are_those_of_the_path_that_runs(opengl, rng):
    x = rng.normal(size=(1, 8, 8, 8)).astype(np.float32)
    program = program_of(
        node("depthwise_conv2d", "x", "d", name="a", strides=1, pad="same"),
        node("conv2d", "a", "w", name="y", strides=1, pad="same"),
        inputs={"x": x},
        d=rng.normal(size=(3, 3, 8, 1)).astype(np.float32),
        w=rng.normal(size=(1, 1, 8, 8)).astype(np.float32),
    )
    core.start_shader(path="compute")
    backend = load_backend("shader")
    machine = backend.lower(program)
    for path, count in (("compute", 1), ("fragment", 2)):
        core.start_shader(path=path)
        assert len(machine.steps) == count
        assert len(machine.step_times([backend.upload(x)])) == count
    core.stop_shader()


def test_a_value_that_no_shader_sees_as_a_whole_is_refused(shader, rng):
    x = np.zeros((1, 4), np.float32)
    program = program_of(
        node("broadcast_to", "x", name="a", shape=(1 << 20, 4)),
        node("sum", "a", name="y", axis=0, keep_dims=False),
        inputs={"x": x},
    )
    device = shader.session.device
    limits = {"max_buffer_bytes": 1 << 20, "max_texture": 64}
    before = {name: getattr(device, name) for name in limits}
    try:
        for name, value in limits.items():
            object.__setattr__(device, name, value)
        with pytest.raises(core.CoreError, match=r"\(1048576, 4\) takes .* bytes, a shader on"):
            shader.lower(program)
    finally:
        for name, value in before.items():
            object.__setattr__(device, name, value)


def test_memory_goes_and_comes_back(shader, rng):
    x = rng.normal(size=(2, 3000)).astype(np.float32)
    with core.backend("shader"):
        model = graph_model()
        plan = model.plan(x)
        check(plan.run({"x": x}), x)
        assert plan.workspaces_made == 1
        plan.keep_idle(0)
        check(plan.run({"x": x}), x)


def test_a_profile_has_a_time_for_each_step(shader, rng):
    with core.backend("shader"):
        profile = graph_model().profile(rng.normal(size=(2, 3000)).astype(np.float32), repeat=2)
    assert [step["op"] for step in profile.steps] == ["relu", "abs"]
    assert all(step["ms"] > 0 for step in profile.steps)


def test_a_run_has_a_time_on_the_device(shader, rng, monkeypatch):
    x = rng.normal(size=(2, 3000)).astype(np.float32)
    counted = []

    def seconds(session, calls):
        counted.append(len(calls))
        return 6.0

    monkeypatch.setattr("core.backends.shader.runtime.device_timing.DeviceTimer.seconds", seconds)
    with core.backend("shader"):
        plan = graph_model().plan(x)
    assert [plan.gpu_time({"x": x}, repeat) for repeat in (1, 3)] == [6000, 2000]
    assert counted[1] == 3 * counted[0]
    with pytest.raises(core.CoreError, match="repeat"):
        plan.gpu_time({"x": x}, repeat=0)


def test_models_go_on_after_a_restart(opengl, rng):
    x = rng.normal(size=(2, 3000)).astype(np.float32)
    with core.backend("shader"):
        model = graph_model()
        check(model.predict(x), x)
        for path in ("fragment", "compute"):
            core.start_shader(path=path)
            check(model.predict(x), x)
        core.stop_shader()
        check(model.predict(x), x)
    core.stop_shader()


@pytest.mark.parametrize("shape", [(), (4, 1), (5,), (4, 5)])
@pytest.mark.parametrize("first", ["matmul", "neg"])
def test_a_choice_between_new_and_old_values_is_fused(first, shape, shader, rng):
    """So do optimizers keep weights where a loss is not finite."""
    x = rng.normal(size=(4, 6 if first == "matmul" else 5)).astype(np.float32)
    old = rng.normal(size=(4, 5)).astype(np.float32)
    names = ("x", "w") if first == "matmul" else ("x",)
    made = node(first, *names, name="new")
    w = {"w": rng.normal(size=(6, 5)).astype(np.float32)} if first == "matmul" else {}
    chosen = node("select", "is_kept", "new", "old", name="y")
    given = {"x": x, "is_kept": np.zeros(shape, bool), "old": old}
    with core.backend("shader"):
        program = planned(program_of(made, chosen, inputs=given, **w))
    machine = shader.lower(program)
    assert [step.fused for step in machine.steps] == [("select",)]
    for is_kept in (np.zeros(shape, bool), np.ones(shape, bool), rng.random(shape) < 0.5):
        values = given | {"is_kept": np.asarray(is_kept)}
        (ours,) = outputs_of(shader, machine, program, values)
        np.testing.assert_allclose(ours, computed(program, values)[0], rtol=1e-5, atol=1e-6)


def test_a_tensor_that_is_fed_again_stays_on_the_device(shader, rng):
    x = rng.normal(size=(2, 3000)).astype(np.float32)
    with core.backend("shader"):
        model, tensor = graph_model(), core.tensor(x)
        block = tensor.container.handle.block
        for is_there in (False, True, True):
            check(model.predict(tensor), x)
            assert (block.resource is not None) == is_there


def test_an_input_of_one_step_is_read_where_the_host_wrote_it(shader, rng):
    """More runs than there is mapped memory wait for the device, and the caller's arrays change."""
    xs = [rng.normal(size=(3, 2000)).astype(np.float32) for _ in range(5)]
    machine = shader.lower(program_of(node("neg", "x", name="y"), inputs={"x": xs[0]}))
    for _ in range(2):
        given = [x.copy() for x in xs]
        found = [machine.run([x])[0] for x in given]
        for x in given:
            x[:] = np.nan
        for x, y in zip(xs, found, strict=True):
            np.testing.assert_array_equal(shader.download(y, y.spec), -x)
    machine.run([xs[0]])  # all memory is free again
    there = machine._ready.recordings[-1].parts["x"].resource
    assert (type(there) is StagingSlot) == (shader.session.path == "compute")


@pytest.mark.parametrize("is_native", [True, False])
def test_commands_are_sent_by_one_call_or_one_by_one(is_native, shader, rng, monkeypatch):
    monkeypatch.setattr(replay, "can_send", lambda: is_native)
    program, given = random_program(rng)
    program = planned(program)
    machine = shader.lower(program)
    for factor in (1, 9, 1):
        values = {name: factor * array for name, array in given.items()}
        found = outputs_of(shader, machine, program, values)
        for ours, theirs in zip(found, computed(program, values), strict=True):
            bound = 1e-5 * float(np.abs(theirs).max(initial=0))
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=bound)
    is_compute = shader.session.path == "compute"
    for recording in machine._ready.recordings:
        assert (recording.replay.table is not None) == (is_native and is_compute)


def _updates(*more, outputs=()):
    """A moment and the weights that it moves, which are kept where a flag is true."""
    return program_of(
        node("add", "moment", "gradient", name="new_moment"),
        node("sqrt", "new_moment", name="root"),
        node("sub", "weights", "root", name="new_weights"),
        node("logical_not", "is_bad", name="is_kept"),
        *more,
        node("select", "is_kept", "new_weights", "weights", name="kept_weights"),
        node("select", "is_kept", "new_moment", "moment", name="kept_moment"),
        inputs={
            **{name: np.ones((2, 5), np.float32) for name in ("moment", "gradient", "weights")},
            "is_bad": np.asarray(False),
        },
        outputs=("kept_weights", "kept_moment", *outputs),
    )


@pytest.mark.parametrize(
    "program, steps",
    [
        (_updates(), 3),
        (_updates(node("neg", "new_moment", name="seen"), outputs=("seen",)), 5),
        (_updates(outputs=("new_moment",)), 4),
        (
            _updates(
                node("select", "is_kept", "new_moment", "weights", name="again"), outputs=("again",)
            ),
            4,
        ),
        (_updates(node("neg", "root", name="seen"), outputs=("seen",)), 6),
    ],
)
def test_updates_that_are_kept_together_are_fused(program, steps, shader, rng):
    """Also moments, which the weights read; but no values of which something is left."""
    with core.backend("shader"):
        program = planned(program)
    machine = shader.lower(program)
    assert len(machine.steps) == steps
    for is_bad in (False, True):
        given = {n: rng.random((2, 5), np.float32) for n in ("moment", "gradient", "weights")}
        given["gradient"][0, 1] = np.inf if is_bad else 1
        given["is_bad"] = np.asarray(is_bad)
        found = outputs_of(shader, machine, program, given)
        for ours, theirs in zip(found, computed(program, given), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)

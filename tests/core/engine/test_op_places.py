"""Layers and phases of the rows of profiles: forward, backward and update."""

import json

import pytest

import core
from core.engine.op_places import active_place, in_layer, in_phase


class Network:
    """Two layers, the second inside of a block, and a loss outside of both."""

    def __init__(self):
        self.first = core.variable([[0.5, -1.0], [2.0, 1.0]], name="first")
        self.second = core.variable([[1.0], [-2.0]], name="second")
        self.optimizer = core.train.adam(0.1)

    def loss(self, x):
        with in_layer("first"):
            hidden = core.tanh(core.matmul(x, self.first))
        with in_layer("block"):
            doubled = hidden * 2.0
            with in_layer("second"):
                y = core.matmul(doubled, self.second)
        return core.mean(core.square(y))

    def step(self, x):
        return self.optimizer.minimize(lambda: self.loss(x), return_cost=True)


def places(found):
    return [(row["op"], row["layer"], row["phase"]) for row in found.kernels]


def test_a_training_step_by_layer_and_phase():
    network, x = Network(), core.ones((3, 2))
    network.step(x)
    found = core.profile(network.step, x)
    rows = places(found)
    assert rows[:6] == [
        ("matmul", "first", "forward"),
        ("tanh", "first", "forward"),
        ("mul", "block", "forward"),
        ("matmul", "block/second", "forward"),
        ("square", "", "forward"),
        ("mean", "", "forward"),
    ]
    back = [row for row in rows if row[2] == "backward"]
    order = list(dict.fromkeys(layer for _, layer, _ in back))
    assert order == ["", "block/second", "block", "first"]
    assert {"matmul"} <= {op for op, layer, _ in back if layer == "first"}
    assert rows[-2:] == [("adam", "first", "update"), ("adam", "block/second", "update")]
    assert len(rows) == 6 + len(back) + 2
    assert found.result.shape == ()


def test_the_table_of_layers():
    network, x = Network(), core.ones((3, 2))
    found = core.profile(network.step, x)
    layers = {row["layer"]: row for row in found.by_layer()}
    assert [*layers] == ["first", "block", "block/second", ""]
    assert sum(row["ops"] for row in layers.values()) == len(found.kernels)
    for phase in ("forward", "backward", "update"):
        total = sum(row["ms"] for row in found.kernels if row["phase"] == phase)
        assert sum(row[f"{phase}_ms"] for row in layers.values()) == pytest.approx(total)
        assert layers["first"][f"{phase}_ms"] > 0
    assert layers["block"]["update_ms"] == layers[""]["update_ms"] == 0
    header, *lines, total = str(found.by_layer()).splitlines()
    assert header.split("  ")[0] == "layer" and "backward ms" in header
    assert [line.split("  ")[0] for line in lines] == [
        "first",
        "block",
        "block/second",
        "(no layer)",
    ]
    assert total.split()[0] == "total" and total.split()[-1] == str(len(found.kernels))
    assert {len(line) for line in (header, *lines, total)} == {len(header)}
    assert json.loads(json.dumps(found.by_layer()))[0]["layer"] == "first"
    assert "layer" in found.table().splitlines()[0].split()
    nothing = "layer  forward ms  backward ms  update ms  ops"
    assert str(core.profile(lambda: 1).by_layer()) == nothing


def test_a_compiled_step_has_layers_and_phases_too():
    network, x = Network(), core.ones((3, 2))
    step = core.compile(network.step)
    before = step(x).item()
    found = core.profile(step, x)
    assert found.result.item() < before
    assert {phase for _, _, phase in places(found)} == {"forward", "backward", "update"}
    assert {layer for _, layer, _ in places(found)} == {"first", "block", "block/second", ""}


def test_ops_of_an_optimizer_belong_to_the_layer_of_their_variable():
    network, x = Network(), core.ones((3, 2))

    def step():
        _, gradients = core.variable_grads(lambda: network.loss(x))
        with in_phase("update"):
            for variable in (network.second, network.first):
                momentum = core.ones((1,)) * 0.1
                value = variable.read() - gradients[variable.name] * momentum
                variable.assign(value)

    rows = [row for row in places(core.profile(step)) if row[2] == "update"]
    assert [layer for op, layer, _ in rows if op == "sub"] == ["block/second", "first"]


def test_gradients_of_gradients_and_user_defined_ones():
    @core.custom_grad
    def cubed(x):
        return x * x * x, lambda dy: dy * core.exp(x)

    def second(x):
        with in_layer("cube"):
            return core.sum(cubed(x))

    rows = places(core.profile(core.grad(second), [1.0, 2.0]))
    assert ("exp", "cube", "backward") in rows

    def inner(x):
        with in_layer("power"):
            return core.sum(x**3.0)

    rows = places(core.profile(core.grad(lambda x: core.sum(core.grad(inner)(x))), [1.0]))
    assert {layer for _, layer, phase in rows if phase == "backward"} <= {"", "power"}
    assert ("pow", "power", "forward") in rows


def test_nothing_is_named_while_no_profile_asks():
    seen = []
    with in_layer("dense"), in_phase("update"):
        seen.append(active_place())
        core.grad(lambda x: seen.append(active_place()) or core.square(x))(1.0)
    assert seen == [("", "forward")] * 2
    assert in_layer("a") is in_layer("b") is in_phase("update")


def test_names_end_where_an_exception_is_raised():
    def work():
        with pytest.raises(ZeroDivisionError), in_layer("dense"):
            core.grad(lambda x: 1 / 0)(1.0)
        with pytest.raises(core.CoreError), in_layer("dense"):
            core.grad(lambda x: core.mul(x, _without_gradient(x)))([1.0])
        core.relu(1.0)
        return active_place()

    found = core.profile(work)
    assert found.result == ("", "forward") and places(found)[-1] == ("relu", "", "forward")


def _without_gradient(x):
    @core.custom_grad
    def wrong(x):
        return core.exp(x), lambda dy: core.ones((7,))

    return wrong(x)


def test_arguments_are_passed_on():
    assert core.profile(core.add, 1.0, 2.0).result.item() == 3.0
    assert core.profile(core.sum, [[1.0, 2.0]], axis=1).result.tolist() == [3.0]
    assert core.time(core.sum, [[1.0, 2.0]], axis=1)["wall_ms"] > 0

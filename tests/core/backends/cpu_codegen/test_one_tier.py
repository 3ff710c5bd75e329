"""What computes an answer is decided once: no call of a process differs from the one before."""

import asyncio
from time import monotonic

import numpy as np
import pytest

import core
import zoo
from core.backends.cpu.codegen import background, called_kernels, generated_program
from core.backends.cpu.image_kernels import odds_of
from core.backends.cpu.tiers import is_lasting, lasting_work
from core.errors import CoreError
from tests.core.backends.cpu_codegen.tier_choice import begin_anew, choose_freely
from tests.core.graph.control_graphs import model
from tests.helpers import eventually
from zoo.web.turns import _Worker

PHOTO = "gallery/one_line_pose/astronaut.jpg"


@pytest.fixture(autouse=True)
def _any_tier(tmp_path, monkeypatch):
    choose_freely(monkeypatch, tmp_path / "code")


def is_compiled():
    """Whether the thread has nothing left to compile."""
    return not background._is_running


def product(rng):
    """A network of a product, and its input."""
    weights = rng.standard_normal((640, 640)).astype(np.float32)
    shape = {"x": {"dtype": "float32", "shape": (8, 640)}}
    network = model("x = Placeholder\n y = MatMul x w", "y", {"w": weights}, shape)
    return network, rng.standard_normal((8, 640)).astype(np.float32)


def classifier():
    """A small network to train: its layers, images and labels."""
    layers = [core.layers.conv2d(16, 3, activation="relu"), core.layers.flatten()]
    made = core.Sequential([*layers, core.layers.dense(3, activation="softmax")])
    rng = np.random.default_rng(0)
    return made, rng.random((32, 24, 24, 3), np.float32), rng.integers(0, 3, 32)


def trained():
    """The weights after some steps, and the kinds of kernels that made them."""
    core.set_random_seed(7)
    network, images, labels = classifier()
    network.compile("adam", "sparse_categorical_crossentropy")
    network.fit(images, labels, batch_size=16, epochs=2, verbose=0)
    return network.get_weights(), network._steps.train.report()


def test_a_loaded_model_gives_one_answer_before_and_after_its_kernels_are_compiled():
    loaded = zoo.load("posenet.tiny", input_size=129)
    image = np.random.default_rng(1).random((1, 129, 129, 3), np.float32)

    def answer(network):
        return np.concatenate([v.numpy().ravel() for v in network.predict(image).values()])

    first = answer(loaded)
    assert np.array_equal(answer(loaded), first)
    eventually(is_compiled, "compiled kernels")
    (*_, last) = [answer(loaded) for _ in range(4)]
    assert np.array_equal(last, first) and loaded.plan().tier == "numpy"
    assert "kernels: numpy; warmup() changes to generated ones" in loaded.describe()
    again = zoo.load("posenet.tiny", input_size=129)  # as one whose plan was dropped
    assert np.array_equal(answer(again), first)


@pytest.mark.long
@pytest.mark.parametrize("name", ["posenet.tiny", "mobilenet.v1_025", "facemesh.base"])
def test_networks_give_one_answer_until_a_minute_after_that(name, shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    network = zoo.load(name)
    ((key, spec),) = network.inputs.items()
    shape = [129 if n is None else n for n in spec.shape[1:]]
    image = {key: np.random.default_rng(1).random((1, *shape), np.float32)}
    first = network.predict(image)
    end: float | None = None
    while end is None or monotonic() < end:
        for output, value in network.predict(image).items():
            assert np.array_equal(value.numpy(), first[output].numpy())
        if end is None and is_compiled():
            end = monotonic() + 60


def test_a_later_process_takes_what_was_compiled(monkeypatch, rng):
    network, x = product(rng)
    for _ in range(2):
        network.predict(x)
    eventually(is_compiled, "compiled kernels")
    begin_anew(monkeypatch)
    later = product(np.random.default_rng(3))[0]
    later.predict(x)
    assert later.tiers == ["generated"] and network.tiers == ["numpy"]


def test_warmup_changes_over_also_for_plans_that_are_made_again(rng):
    network, x = product(rng)
    network.predict(x)
    network.plan(x).warmup()
    assert network.plan(x).tier == "generated"
    assert product(rng)[0].plan(x).tier == "generated"


def test_only_so_much_is_remembered(monkeypatch, rng):
    monkeypatch.setattr(generated_program, "_MOST_MISSED", 2)
    network, _ = product(rng)
    for rows in range(2, 7):
        network.plan(np.zeros((rows, 640), np.float32))
    assert len(generated_program._missed) == 2


def test_a_training_has_the_same_bits_whatever_is_cached(monkeypatch):
    weights, report = trained()
    assert "generated kernels" in report
    begin_anew(monkeypatch)
    for cached in (trained(), trained()):
        assert all(map(np.array_equal, cached[0], weights)) and cached[1] == report


def test_little_work_that_lasts_runs_by_numpy_also_if_it_is_cached(rng):
    weights = {"w": rng.standard_normal((16, 16)).astype(np.float32)}
    shape = {"x": {"dtype": "float32", "shape": (4, 16)}}
    make = lambda: model("x = Placeholder\n y = MatMul x w", "y", weights, shape)  # noqa: E731
    x = rng.standard_normal((4, 16)).astype(np.float32)
    make().plan(x).warmup()
    assert make().plan(x).tier == "generated"
    assert lasting_work(make().plan)(x).tier == "numpy"


def test_a_damaged_compiler_leaves_work_that_lasts_to_numpy(monkeypatch, rng):
    def fail(*_):
        raise CoreError("no LLVM")

    monkeypatch.setattr(generated_program, "compile_code", fail)
    network, x = product(rng)
    assert lasting_work(network.plan)(x).tier == "numpy"


def test_sessions_and_servers_are_work_that_lasts():
    session = zoo.load("posenet.tiny", input_size=129).session()
    session._follow = lambda *_: [] if is_lasting() else None
    assert session(PHOTO, 0.0)["result"] == []
    worker = _Worker()
    assert asyncio.run(worker.outcome_of(is_lasting)).value is True
    worker.close()
    assert not is_lasting()


def test_kernels_around_networks_that_round_are_kept_to_as_well(monkeypatch, rng):
    fields = rng.standard_normal((20, 20, 3)).astype(np.float32)
    assert [odds_of(fields, 1) for _ in range(3)] == [None] * 3
    eventually(is_compiled, "a compiled kernel")
    assert odds_of(fields, 1) is None
    monkeypatch.setattr(called_kernels, "_compiled", {})
    assert odds_of(fields, 1) is not None
    assert lasting_work(odds_of)(fields[:, :, :2].copy(), 1) is not None  # compiled at once

"""Processes that end after one result run by what is prepared, and look for nothing else."""

import numpy as np
import pytest

import core
import zoo
from core.backends.cpu.codegen import generated_program
from core.backends.cpu.single_runs import missed, single_run
from core.graph_model import stored_calls
from tests.core.backends.cpu_codegen.tier_choice import begin_anew, choose_freely
from tests.helpers import require_llvmlite

SIZE = 129


@pytest.fixture(autouse=True)
def _any_tier(tmp_path, monkeypatch):
    require_llvmlite()
    choose_freely(monkeypatch, tmp_path / "code")


@pytest.fixture
def image(rng):
    return rng.random((1, SIZE, SIZE, 3), np.float32)


def load():
    return zoo.load("posenet.tiny", input_size=SIZE)


def ran_by(model):
    """Kinds of the kernels by which a model has run."""
    network = model.network if model._deferred is None else model._deferred
    return network.tiers


def prepare(image, monkeypatch):
    """Compile what the model needs for an image, as an earlier process."""
    core.set_tier(2)
    load().predict(image)
    core.set_tier(None)
    begin_anew(monkeypatch)


def test_what_is_not_prepared_runs_by_numpy_without_a_look_for_kernels(image, monkeypatch):
    made = []
    monkeypatch.setattr(
        generated_program.GeneratedProgram, "__init__", lambda *_: made.append("generated")
    )
    with single_run():
        model = load()
        model.predict(image)
        assert missed() >= len(model.plan().steps) and made == []
        assert ran_by(model) == ["numpy"]


def test_a_stored_call_runs_without_the_network(image, monkeypatch):
    prepare(image, monkeypatch)
    with single_run():
        model = load()
        model.predict(image)
        assert missed() == 0 and ran_by(model) == ["generated"]
        assert model._deferred is not None and model._deferred._model is None


def test_a_call_that_is_too_large_to_be_stored_runs_by_its_compiled_kernels(image, monkeypatch):
    monkeypatch.setattr(stored_calls, "MOST_BYTES", 0)
    prepare(image, monkeypatch)
    with single_run():
        model = load()
        model.predict(image)
        assert missed() == 0 and ran_by(model) == ["generated"]
        other = load()
        other.predict(image[:, :97, :97])  # of which nothing is known
        assert missed() > 0 and "numpy" in ran_by(other)


def test_a_tier_that_is_chosen_counts(image):
    core.set_tier(2)
    with single_run():
        model = load()
        model.predict(image)
        assert ran_by(model) == ["generated"] and missed() == 0


def test_the_end_of_a_single_run_is_the_end_of_its_rule(image):
    with pytest.raises(ZeroDivisionError), single_run():
        raise ZeroDivisionError
    model = load()
    model.warmup()
    model.predict(image)
    assert "generated" in ran_by(model)

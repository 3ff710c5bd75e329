"""Pretrained models in tidy scopes and in coroutines."""

import asyncio
import gc

import numpy as np
import pytest

import core
import zoo
from tests.conftest import ROOT
from tests.helpers import assert_near
from weights_cache.common.errors import ZooError
from zoo.pipeline.model_cache import _kept

PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


@pytest.fixture
def no_kept_models():
    _kept.clear()
    yield
    _kept.clear()


def test_models_outlive_the_scope_that_they_were_loaded_in(no_kept_models):
    with core.tidy():
        first = zoo.estimate_single_pose(PHOTO)  # kept for the next call
        model = zoo.load("topdown.tiny")
    assert zoo.estimate_single_pose(PHOTO) == first == model.estimate_single_pose(PHOTO)
    assert core.tidy(lambda: zoo.load("topdown.tiny")).estimate_single_pose(PHOTO) == first


def test_what_a_model_computes_in_a_scope_goes_with_it():
    model = zoo.load("posenet.tiny")
    gc.collect()
    before = core.memory()
    with core.tidy():
        features = model.infer(PHOTO, embedding=True)
        kept = core.keep(model.infer(PHOTO))
    assert features.is_disposed and kept.numpy().size
    del kept
    assert core.memory() == before


def test_predict_to_await(rng):
    model = zoo.load("posenet.tiny")
    images = [rng.uniform(-1, 1, (1, 33, 33, 3)).astype(np.float32) for _ in range(4)]

    async def main():
        return await asyncio.gather(*map(model.predict_async, images))

    for image, outputs in zip(images, asyncio.run(main()), strict=True):
        expected = model.predict(image)
        assert list(outputs) == list(expected)
        for name, value in outputs.items():
            np.testing.assert_array_equal(value, expected[name])


def test_errors_while_waiting():
    model = zoo.load("posenet.tiny")
    with pytest.raises(core.CoreError, match="must have shape"):
        asyncio.run(model.predict_async(np.zeros((33, 33, 3))))
    model.close()
    with pytest.raises(ZooError, match="is closed"):
        model.predict_async(np.zeros((1, 33, 33, 3)))


def test_verbs_in_worker_threads(pixels_of_a_photo):
    model = zoo.load("posenet.tiny")

    async def main():
        one = await core.run_async(model.estimate_single_pose, pixels_of_a_photo)
        both = await core.run_async(model.estimate_single_pose, [pixels_of_a_photo] * 2)
        several = await core.run_async(model.estimate_single_pose, iter([pixels_of_a_photo] * 2))
        return one, both, [await core.run_async(next, several, None) for _ in range(3)]

    one, both, (first, second, end) = asyncio.run(main())
    assert one == first == second == model.estimate_single_pose(PHOTO) and end is None
    assert both == [one, one]


@pytest.fixture
def pixels_of_a_photo():
    return zoo.read_image(PHOTO)


def test_a_profile_of_a_pose():
    model = zoo.load("posenet.tiny")
    found = core.profile(lambda: model.estimate_single_pose(PHOTO))
    # It runs op by op, where a plan sums up in another order.
    assert_near(found.result, model.estimate_single_pose(PHOTO), tolerance=1e-3)
    assert found.kernel_names == ["FusedConv2D", "FusedDepthwiseConv2D"]
    assert len(found.kernels) == sum(n.type not in ("Const", "Placeholder") for n in nodes(model))
    assert (found.new_bytes, found.new_tensors) == (0, 0)
    lines = str(found).splitlines()
    assert len({len(line) for line in lines[:-1]}) == 1 and max(map(len, lines)) < 120


def nodes(model):
    return model.network.graph.nodes

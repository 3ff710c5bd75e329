"""Three models of the zoo on the path without compute shaders."""

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.test_posenet import largest_differences, raw

PHOTO = "student-075-uint8-mixed_pose_257x257"


def test_posenet_gives_its_goldens(fragment, shared):
    golden = np.load(shared / "models" / "posenet-tiny-2" / "golden" / f"{PHOTO}.npz")
    model = zoo.load("posenet.tiny")
    found = largest_differences(raw(model.predict(golden["input"])), golden)
    assert found.pop("heatmap") < 1e-4
    assert max(found.values()) < 1e-3, found


@pytest.mark.parametrize("name", ["mobilenet.v1_025", "selfie.base"])
def test_models_equal_cpu(name, fragment, shared, monkeypatch, rng):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    model, twin = zoo.load(name), zoo.load(name, backend="cpu")
    ((key, spec),) = model.inputs.items()
    inputs = {key: rng.uniform(0, 1, [n or 1 for n in spec.shape]).astype(np.float32)}
    found, expected = model.predict(inputs), twin.predict(inputs)
    assert found.keys() == expected.keys()
    for name, value in found.items():
        theirs = expected[name]
        assert [v.container.backend.name for v in (value, theirs)] == ["shader", "cpu"]
        largest = np.abs(theirs.numpy()).max()
        np.testing.assert_allclose(value.numpy(), theirs.numpy(), atol=1e-4 * largest)

"""Every model of the zoo on the shader backend: what it tells of a photo is what cpu tells."""

import numpy as np
import pytest

import zoo
from tests import packages
from tests.helpers import check_opengl, start_or_skip
from zoo.catalog.entries import find_entry, verbs_of

#: The photo of each task, one with something to find.
PHOTOS = {
    "classification": "coral_parrot.jpg",
    "detection": "cats_and_dogs.jpg",
    "faces": "portrait.jpg",
    "gestures": "hands.jpg",
    "hands": "hands.jpg",
    "pose": "pose.jpg",
    "segmentation": "three_people.jpg",
}


#: How far results may be apart: of a score or probability, or of the largest of other numbers;
#: of what is above 1, of the longer side of the photo; of a mask, in shares of its pixels, as where
#: two classes are about as likely it may be the other.
BOUND = 1e-3


def check_results(name, backend, shared):
    """What the model finds in the photo of its task on a backend is what it finds on cpu."""
    packages.require_weights(find_entry(name).weights)
    task = find_entry(name).task
    photo = zoo.read_image(shared / "images" / "reference" / PHOTOS[task])
    seen = zoo.estimate_hands(photo) if task == "gestures" else photo
    expected, found = (results(name, where, seen) for where in ("cpu", backend))
    assert all(len(result) for result in expected.values())
    assert differences(found, expected, max(photo.shape)) == []


def results(name, backend, seen):
    """What each verb of a model tells; of networks that only have ``infer``, their numbers."""
    with zoo.load(name, backend=backend) as model:
        verbs = verbs_of(find_entry(name))
        if verbs == ["infer"]:
            return {"infer": model.infer(seen).numpy()}
        return {verb: getattr(model, verb)(seen) for verb in verbs if verb != "infer"}


def differences(found, expected, side, path=""):
    """Where two results are not the same but for rounding."""
    if isinstance(expected, dict) and found.keys() == expected.keys():
        pairs = [(f"{path}.{key}", found[key], expected[key]) for key in expected]
    elif isinstance(expected, list) and len(found) == len(expected):
        pairs = [
            (f"{path}[{i}]", *pair) for i, pair in enumerate(zip(found, expected, strict=True))
        ]
    elif same(found, expected, side):
        return []
    else:
        return [f"{path}: {found!r} is not {expected!r}"]
    return [line for at, one, other in pairs for line in differences(one, other, side, at)]


def same(found, expected, side):
    if isinstance(expected, np.ndarray) and expected.dtype == np.uint8:
        return np.mean(found != expected) <= BOUND
    if isinstance(expected, np.ndarray):
        return np.abs(found - expected).max() <= BOUND * max(1, np.abs(expected).max())
    if isinstance(expected, float):
        return abs(found - expected) <= (BOUND * side if abs(expected) > 1 else BOUND)
    return found == expected


@pytest.mark.long
@pytest.mark.parametrize("name", zoo.models())
def test_results_are_those_of_cpu(shared, monkeypatch, name):
    start_or_skip()
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    check_results(name, "shader", shared)
    check_opengl()


def test_differences_are_found():
    seen = {"score": 0.5, "box": {"x": 3.0}, "mask": np.zeros((9, 9), np.uint8), "labels": ["cat"]}
    assert differences(seen, seen, 9) == []
    assert differences(seen | {"score": 0.5009, "box": {"x": 3.008}}, seen, 9) == []
    others = ({"score": 0.502}, {"box": {"x": 3.01}}, {"mask": seen["mask"] + 1}, {"labels": []})
    assert [len(differences(seen | other, seen, 9)) for other in others] == [1, 1, 1, 1]
    assert len(differences([seen], [seen, seen], 9)) == 1

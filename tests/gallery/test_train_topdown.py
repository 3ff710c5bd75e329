"""The program for the networks of top-down pose estimation: a short run, and its parts."""

import math
import re
from functools import partial

import numpy as np
import pytest

import zoo
from core import GraphModel
from tests.gallery.programs import (
    BAD_FOLDERS,
    assert_refused,
    run_program,
)
from tests.gallery.topdown_photos import label_by_hand, save_photos, wrists
from weights_cache import load_weights
from weights_cache.common.errors import ZooError
from zoo.catalog.networks.topdown import PEOPLE, POSE, build_people, build_pose
from zoo.verification.comparison import Rule, difference

NETWORKS = {
    "people": (PEOPLE, build_people, "topdown-people"),
    "pose": (POSE, build_pose, "topdown-pose"),
}

run_example = partial(run_program, "train_topdown")


@pytest.fixture
def bank(topdown, torch, tmp_path):
    return wrists(topdown, torch, tmp_path)


def pictures_of(rng, torch, count=4, size=(65, 33)):
    return torch.from_numpy(rng.uniform(-1, 1, (count, 3, *size)).astype(np.float32))


# --- networks -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NETWORKS)
def test_pytorch_gives_what_the_engine_gives(topdown, torch, rng, name):
    plan, build, weights_name = NETWORKS[name]
    weights = load_weights(weights_name)
    # from black over noise to white, so that the one value of a whole picture has a range
    brightness = torch.linspace(-1, 1, 6).view(6, 1, 1, 1)
    pictures = pictures_of(rng, torch, 6, (97, 65)) * (1 - brightness.abs()) + brightness
    with torch.no_grad():
        found = topdown.network.FoldedTopDown(plan, weights)(pictures)
    wanted = GraphModel(build(weights)).predict(pictures.permute(0, 2, 3, 1).numpy())
    assert found.keys() == wanted.keys()
    for output, values in found.items():
        array = values.movedim(1, -1).numpy()
        fault = difference(array, np.asarray(wanted[output]), Rule(share=1e-5)).fault
        assert not fault, (output, fault)


@pytest.mark.parametrize("name", NETWORKS)
def test_folded_student_computes_the_same(topdown, torch, rng, name):
    plan, _, weights_name = NETWORKS[name]
    torch.manual_seed(0)
    student = topdown.network.Student(plan)
    pictures = pictures_of(rng, torch)
    student(pictures)  # moves the means and variances of batch norm away from 0 and 1
    student.eval()
    weights = topdown.network.fold(student)
    shapes = {name: array.shape for name, array in load_weights(weights_name).items()}
    assert {name: array.shape for name, array in weights.items()} == shapes
    with torch.no_grad():
        wanted = student(pictures)
        found = topdown.network.FoldedTopDown(plan, weights)(pictures)
    for output, values in wanted.items():
        np.testing.assert_allclose(found[output], values, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_student_set_from_the_bundled_weights_computes_the_same(topdown, torch, rng, name):
    plan, _, weights_name = NETWORKS[name]
    weights = load_weights(weights_name)
    pictures = pictures_of(rng, torch)
    student = topdown.network.Student(plan)
    topdown.network.unfold(student, weights, pictures)
    student.eval()
    with torch.no_grad():
        found = student(pictures)
        wanted = topdown.network.FoldedTopDown(plan, weights)(pictures)
    for output, values in wanted.items():
        span = float(values.max() - values.min())
        np.testing.assert_allclose(found[output], values, rtol=0, atol=1e-4 * span)


def test_first_weights_of_the_other_network_are_refused(topdown, torch, rng):
    with pytest.raises(ZooError, match="give those of the network"):
        topdown.network.unfold(
            topdown.network.Student(POSE), load_weights("topdown-people"), pictures_of(rng, torch)
        )


# --- training -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NETWORKS)
def test_the_loss_falls(topdown, torch, bank, name):
    """A network learns a few scenes by heart."""
    torch.manual_seed(0)
    recipe = topdown.recipes.RECIPES[name]
    scenes = topdown.recipes.make_scenes(name, *bank, "even")
    pictures, target = scenes.batch(6, (65, 65))
    learner = topdown.training.learner.Learner(topdown.network.Student(recipe.plan))
    totals = []
    for _ in range(16):
        losses = recipe.losses(learner.look(pictures), target)
        learner.descend(losses.total, 3e-3)
        totals.append(float(losses.total.detach()))
    assert totals[-1] < 0.75 * totals[0]


def test_recipes_are_those_of_the_reported_run(topdown):
    people, pose = (topdown.recipes.RECIPES[name] for name in ("people", "pose"))
    assert people.sizes == {(193, 193): 0.45, (257, 257): 0.2, (321, 321): 0.25, (385, 385): 0.1}
    assert pose.sizes == {(257, 193): 0.64, (193, 161): 0.18, (161, 129): 0.18}
    assert (people.peak_rate, pose.peak_rate) == (3e-3, 2.5e-3)
    assert (people.plan, pose.plan) == (PEOPLE, POSE)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_short_run_writes_weights_that_can_be_used(topdown, torch, rng, tmp_path, name):
    folder, free = (save_photos(tmp_path / part, rng) for part in ("photos", "free"))
    (folder / "broken.jpeg").write_text("not a picture")
    out = tmp_path / "out"
    out.mkdir()
    label_by_hand(topdown, torch, folder, out / "labels.jsonl")
    options = ["--person-free", free, "--out", out, "--steps", 2, "--batch", 2, "--device", "cpu"]
    options += ["--init", NETWORKS[name][2]]
    done = run_example(name, folder, *options, ZOO_OFFLINE="1")
    assert done.returncode == 0, done.stderr
    assert "3 photos, 1 unreadable" in done.stdout
    assert "labels: 3 people in 3 photos, 0 of which were new" in done.stdout
    losses = [float(text) for text in re.findall(r"loss total (\S+)", done.stdout)]
    assert "step 2 " in done.stdout
    assert losses and all(math.isfinite(loss) for loss in losses)
    *_, weights_name = NETWORKS[name]
    exact, mixed = (load_weights(str(out / part)) for part in ("float32", "uint8-mixed"))
    bundled = load_weights(weights_name)
    assert {n: a.shape for n, a in exact.items()} == {n: a.shape for n, a in bundled.items()}
    with zoo.load(topdown.recipes.RECIPES[name].model, weights=out / "uint8-mixed") as model:
        assert model.infer(folder / "0.png").shape[0] == 1
    for part, array in exact.items():
        # half a step of 1/255 of the range, or float16's eleven bits
        span = max(array.max(), 0) - min(array.min(), 0)
        np.testing.assert_allclose(mixed[part], array, rtol=1e-3, atol=span / 255 * 0.51 + 1e-6)


# --- what bad input gets --------------------------------------------------------------------


@pytest.mark.parametrize(("prepare", "words"), BAD_FOLDERS)
def test_bad_folder_is_one_line_and_status_2(torch, tmp_path, prepare, words):
    folder = tmp_path / "photos"
    prepare(folder)
    done = run_example("pose", folder, "--out", tmp_path / "out", "--steps", 1, "--device", "cpu")
    assert_refused(done, words, str(folder))


def test_missing_gpu_is_one_line_and_status_2(torch, rng, tmp_path):
    options = ["--out", tmp_path / "out", "--steps", 1, "--device", "cuda"]
    done = run_example("pose", save_photos(tmp_path / "in", rng), *options, CUDA_VISIBLE_DEVICES="")
    assert_refused(done, "--device cpu")


def refused(topdown, torch, rng, tmp_path, *options, network="pose", more=""):
    """What the program says of photos with a file of labels, which may have more lines."""
    folder, file = save_photos(tmp_path / "photos", rng), tmp_path / "labels.jsonl"
    label_by_hand(topdown, torch, folder, file)
    file.write_text(file.read_text() + more)
    options += ("--out", tmp_path / "out", "--labels", file, "--steps", 1, "--device", "cpu")
    return run_example(network, folder, *options, ZOO_OFFLINE="1")


def test_damaged_labels_are_one_line_and_status_2(topdown, torch, rng, tmp_path):
    assert_refused(refused(topdown, torch, rng, tmp_path, more="{"), "line 4", "delete")


def test_weights_of_the_other_network_are_one_line_and_status_2(topdown, torch, rng, tmp_path):
    options = ["--init", "topdown-people", "--batch", 2]
    done = refused(topdown, torch, rng, tmp_path, *options)
    assert_refused(done, "first weights", "the network that is trained")


def test_a_source_that_the_reported_run_lacks_is_one_line_and_status_2(
    topdown, torch, rng, tmp_path
):
    done = refused(topdown, torch, rng, tmp_path, "--pools", "reported", network="people")
    assert_refused(done, "--pools even", "full")

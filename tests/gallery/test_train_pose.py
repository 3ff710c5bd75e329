"""The training example: three steps on a CPU, its parts, and what bad input gets."""

import importlib
import math
import re
import sys
from functools import partial
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import zoo
from tests.gallery.programs import (
    BAD_FOLDERS,
    assert_refused,
    draw_person,
    load_program,
    run_program,
)
from weights_cache import load_weights

TEACHER = "posenet-mobilenet-v1-075-float-pertensor"
HEADS = {"heatmap_2": 17, "offset_2": 34, "displacement_fwd_2": 32, "displacement_bwd_2": 32}
# 18 kernels are uint8, the depthwise ones and the biases float16.
BYTES_MIXED_050 = 602_294
CHANNELS_050 = [16, 32, 64, 64, 128, 128] + [256] * 8


@pytest.fixture(scope="module")
def example(torch):
    return load_program("train_pose")


@pytest.fixture
def network(example):
    return example.network


run_example = partial(run_program, "train_pose")


@pytest.fixture
def photos(tmp_path, rng):
    """Photos of several kinds and sizes, some in a folder below, one of them unreadable."""
    folder = tmp_path / "photos"
    (folder / "below").mkdir(parents=True)
    draw_person((300, 200), rng).save(folder / "wide.jpg")
    draw_person((120, 333), rng).save(folder / "below" / "tall.PNG")
    draw_person((64, 64), rng).convert("L").save(folder / "below" / "grey.webp")
    draw_person((256, 256), rng).convert("RGBA").save(folder / "clear.png")
    (folder / "broken.jpeg").write_text("not a picture")
    (folder / "notes.txt").write_text("not meant as a picture")
    return folder


def expected_shapes(channels):
    shapes = {
        "MobilenetV1/Conv2d_0/weights": (3, 3, 3, channels[0]),
        "MobilenetV1/Conv2d_0/biases": (channels[0],),
    }
    for i, (before, after) in enumerate(zip(channels, channels[1:], strict=False), start=1):
        layer = f"MobilenetV1/Conv2d_{i}_"
        shapes[layer + "depthwise/depthwise_weights"] = (3, 3, before, 1)
        shapes[layer + "depthwise/biases"] = (before,)
        shapes[layer + "pointwise/weights"] = (1, 1, before, after)
        shapes[layer + "pointwise/biases"] = (after,)
    for head, outputs in HEADS.items():
        shapes[f"MobilenetV1/{head}/weights"] = (1, 1, channels[-1], outputs)
        shapes[f"MobilenetV1/{head}/biases"] = (outputs,)
    return shapes


def test_three_steps_write_weights_that_can_be_read(torch, shared, photos, tmp_path):
    out = tmp_path / "out"
    options = ["--width", 0.5, "--steps", 3, "--batch", 2, "--device", "cpu"]
    options += ["--person-free", shared / "images" / "transfer" / "hymenoptera" / "val" / "ants"]
    done = run_example(
        photos, "--out", out, *options, ZOO_WEIGHTS_MIRROR=str(shared / "weights"), ZOO_OFFLINE="1"
    )
    assert done.returncode == 0, done.stderr
    assert "4 photos, 1 unreadable" in done.stdout
    assert "70 photos, 0 unreadable" in done.stdout
    assert re.search(r"skipped: .*broken\.jpeg", done.stdout)
    losses = [float(text) for text in re.findall(r"loss total (\S+)", done.stdout)]
    assert "step 3 " in done.stdout
    assert losses
    assert all(math.isfinite(loss) and loss > 0 for loss in losses)
    exact = load_weights(str(out / "float32"))
    mixed = load_weights(str(out / "uint8-mixed"))
    shapes = expected_shapes(CHANNELS_050)
    assert len(shapes) == 62
    for weights in (exact, mixed):
        assert {name: array.shape for name, array in weights.items()} == shapes
        assert all(array.dtype == np.float32 for array in weights.values())
    shards = (out / "uint8-mixed").glob("*.bin")
    assert sum(path.stat().st_size for path in shards) == BYTES_MIXED_050
    assert "zoo.load('posenet.tiny', weights=" in done.stdout
    with zoo.load("posenet.tiny", weights=out / "uint8-mixed") as model:
        assert model.infer(photos / "wide.jpg").shape == (1, 17, 17, 17)
    for name, array in exact.items():
        # half a step of 1/255 of the range, or float16's eleven bits
        span = max(array.max(), 0) - min(array.min(), 0)
        np.testing.assert_allclose(mixed[name], array, rtol=1e-3, atol=span / 255 * 0.51 + 1e-6)


@pytest.mark.parametrize(("prepare", "words"), BAD_FOLDERS)
def test_bad_folder_is_one_line_and_status_2(torch, tmp_path, prepare, words):
    folder = tmp_path / "photos"
    prepare(folder)
    done = run_example(folder, "--out", tmp_path / "out", "--steps", 1, "--device", "cpu")
    assert_refused(done, words, str(folder))


def test_a_source_that_the_reported_run_lacks_is_one_line_and_status_2(
    torch, shared, photos, tmp_path
):
    options = ["--out", tmp_path / "out", "--steps", 1, "--device", "cpu", "--pools", "reported"]
    done = run_example(photos, *options, ZOO_WEIGHTS_MIRROR=str(shared / "weights"))
    assert_refused(done, "--pools even")
    assert "'below'" in done.stderr or "''" in done.stderr


def test_missing_gpu_is_one_line_and_status_2(torch, photos, tmp_path):
    options = ["--out", tmp_path / "out", "--steps", 1, "--device", "cuda"]
    done = run_example(photos, *options, CUDA_VISIBLE_DEVICES="")
    assert_refused(done, "--device cpu")


def test_results_that_cannot_be_written_are_one_line_and_status_2(torch, photos, tmp_path):
    (tmp_path / "out").write_text("a file, not a folder")
    done = run_example(photos, "--out", tmp_path / "out", "--steps", 1, "--device", "cpu")
    assert_refused(done, "change --out")


def test_teacher_reproduces_the_golden_outputs(network, torch, shared):
    folder = shared / "weights" / TEACHER
    teacher = network.FoldedPoseNet(load_weights(str(folder)))
    goldens = sorted((folder / "reference").glob("*.npz"))
    assert goldens
    for path in goldens:
        with np.load(path) as golden, torch.no_grad():
            outputs = teacher(torch.from_numpy(golden["input"]).permute(0, 3, 1, 2).contiguous())
            for head, output in zip(HEADS, outputs, strict=True):
                tolerance = 1e-3 if head == "heatmap_2" else 5e-3
                np.testing.assert_allclose(
                    output.permute(0, 2, 3, 1), golden[head], rtol=0, atol=tolerance
                )


def test_folded_student_computes_the_same(network, torch, rng):
    torch.manual_seed(0)
    student = network.Student(0.5)
    pictures = torch.from_numpy(rng.uniform(-1, 1, (4, 3, 97, 97)).astype(np.float32))
    student(pictures)  # moves the means and variances of batch norm away from 0 and 1
    student.eval()
    with torch.no_grad():
        outputs = student(pictures)
        folded = network.FoldedPoseNet(network.fold(student))(pictures)
    for wanted, output in zip(outputs, folded, strict=True):
        np.testing.assert_allclose(output, wanted, rtol=0, atol=1e-5)


def test_student_set_from_folded_weights_computes_the_same(network, torch, rng):
    torch.manual_seed(0)
    weights = network.fold(network.Student(0.5).eval())
    pictures = torch.from_numpy(rng.uniform(-1, 1, (4, 3, 97, 97)).astype(np.float32))
    student = network.Student(0.5)
    network.unfold(student, weights, [pictures])
    student.eval()
    with torch.no_grad():
        outputs, wanted = student(pictures), network.FoldedPoseNet(weights)(pictures)
    for output, answer in zip(outputs, wanted, strict=True):
        np.testing.assert_allclose(output, answer, rtol=0, atol=1e-4)


def test_first_weights_of_another_width_are_refused(network, torch):
    narrow = network.fold(network.Student(0.5))
    pictures = torch.zeros(2, 3, 33, 33)
    with pytest.raises(Exception, match="--width") as caught:
        network.unfold(network.Student(0.75), narrow, [pictures])
    assert type(caught.value).__name__ == "ZooError"


# --- scenes ---------------------------------------------------------------------------------


@pytest.fixture
def bank(example, torch, tmp_path, rng):
    """Photos of the sources of the reported run, with people and free of them."""
    trees = {"people": ("coco", "lspet", "ccp"), "free": ("animal", "house", "coco")}
    for tree, sources in trees.items():
        for source in sources:
            (tmp_path / tree / source).mkdir(parents=True)
            for size in ((60, 40), (30, 80)):
                draw_person(size, rng).save(tmp_path / tree / source / f"{size[0]}.png")
    cpu = torch.device("cpu")
    return example.training.photos.load_photos(tmp_path / "people", tmp_path / "free", cpu, 256)


@pytest.fixture
def confidence(bank, torch):
    return torch.linspace(0.05, 0.95, len(bank.sizes))


def even_pools(example, photos, confidence):
    return example.training.pools.even_pools(photos, confidence, example.pools.TASTE)


def reported_pools(example, photos, confidence):
    pools = example.pools
    return example.training.pools.reported_pools(
        photos, confidence, pools.TASTE, pools.REPORTED_SHARES
    )


def test_sources_are_the_folders_of_photos(bank):
    assert bank.sources == ["animal", "ccp", "coco", "house", "lspet"]
    assert bank.person_free.tolist() == [False] * 6 + [True] * 6
    named = [bank.sources[i] for i in bank.source.tolist()]
    assert named == [s for s in ("ccp", "coco", "lspet", "animal", "coco", "house") for _ in "12"]


def test_even_pools_keep_people_and_no_people_apart(example, bank, confidence):
    pools = even_pools(example, bank, confidence)
    free = bank.person_free
    for pool in (pools.everyday, pools.collage, pools.pasted):
        assert (pool[free] == 0).all() and (pool[~free] > 0).all()
    assert (pools.person_free > 0).equal(free)
    assert (pools.background > 0).all()
    nobody = bank._replace(person_free=free & False)
    assert even_pools(example, nobody, confidence).person_free is None


def test_reported_pools_have_the_shares_of_their_sources(example, bank, confidence):
    pools = reported_pools(example, bank, confidence)
    coco, lspet = (bank.source == bank.sources.index(name) for name in ("coco", "lspet"))
    for name, shares in example.pools.REPORTED_SHARES.items():
        assert sum(shares.values()) == pytest.approx(1)
        pool = getattr(pools, name)
        assert float(pool[coco].sum()) == pytest.approx(shares["coco"], abs=1e-6)
        assert float(pool[lspet].sum()) == pytest.approx(shares.get("lspet", 0), abs=1e-6)
    assert float(pools.person_free[coco & ~bank.person_free].max()) < 1e-6


@pytest.mark.parametrize("with_free", [True, False])
def test_scenes_are_mixed_as_reported(example, bank, confidence, torch, with_free):
    photos = bank if with_free else bank._replace(person_free=bank.person_free & False)
    pools = even_pools(example, photos, confidence)
    renderer = example.scenes.SceneRenderer(photos, pools)
    torch.manual_seed(0)
    kinds = renderer.draw_kinds(4000)
    found = [float(kind.float().mean()) for kind in kinds]
    expected = [0.42, 0.20, 0.26, 0.12] if with_free else [0.42, 0.20, 0.38, 0]
    assert found == pytest.approx(expected, abs=0.03)
    scenes = renderer.draw_scenes(kinds, (65, 65))
    assert len(scenes.layers) == (5 if with_free else 4)
    chosen = torch.stack([layer.photos for layer in scenes.layers[:2]])
    if with_free:  # no photo that may show a person is part of a scene free of people
        assert bank.person_free[chosen[:, kinds.person_free]].all()
        assert bank.person_free[scenes.layers[-1].photos].all()
        pasted = torch.stack([layer.shown for layer in scenes.layers[2:4]])
        assert not pasted[:, kinds.person_free].any()
        assert float(scenes.layers[-1].shown.float().mean()) == pytest.approx(0.12, abs=0.02)


def test_views_are_one_scene_at_two_sizes(example, bank, confidence, torch):
    pools = even_pools(example, bank, confidence)
    renderer = example.scenes.SceneRenderer(bank, pools)
    torch.manual_seed(0)
    views = renderer.render_views(8, 33)
    assert views.large.shape == (8, 3, 65, 65)
    assert views.small.shape == views.degraded.shape == (8, 3, 33, 33)
    for image in views[:3]:
        assert image.dtype == torch.float32
        assert image.min() >= -1 and image.max() <= 1 and image.std() > 0.1
    assert (views.large[:, :, ::2, ::2] - views.small).abs().mean() < 0.1
    torch.manual_seed(0)
    again = renderer.render_views(8, 33)
    assert all(one.equal(other) for one, other in zip(views, again, strict=True))


def load_recipe(shared, torch):
    """The program of the reported run, without its GPU kernels: what they are given is kept."""
    fast = ModuleType("fast")
    fast.given = []

    def render(bank, parameters, indices, ground, colours, side, dtype):
        fast.given.append((parameters, indices, ground, colours))
        return torch.zeros(indices.shape[1], side, side, 3)

    def degrade(small, noise, parameters, colours, dtype):
        fast.given.append((noise, parameters, colours))
        return small

    fast.render, fast.degrade, fast.halve = render, degrade, lambda big: big[:, ::2, ::2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "fast", fast)
        for folder in ("posenet-tiny", "posenet-tiny-2"):
            patch.syspath_prepend(str(shared / "models" / folder / "recipe"))
        for name in ("train", "targets", "posenet_torch"):
            patch.delitem(sys.modules, name, raising=False)
        recipe = importlib.import_module("train")
        for name in ("train", "targets", "posenet_torch"):
            patch.delitem(sys.modules, name)
    return recipe, fast


def test_a_seed_draws_the_scenes_of_the_reported_run(example, bank, confidence, torch, shared):
    recipe, fast = load_recipe(shared, torch)
    pools = reported_pools(example, bank, confidence)
    renderer = example.scenes.SceneRenderer(bank, pools)
    theirs = recipe.Scenes((bank.pixels, bank.sizes, None, None), "cpu", torch.float32)
    theirs.pool = dict(zip(("real", "sport", "paste", "ground", "free"), pools, strict=True))
    torch.manual_seed(1)
    *_, person_free = theirs.batch(50, 33)
    after = torch.rand(1)
    torch.manual_seed(1)
    kinds = renderer.draw_kinds(50)
    scenes = renderer.draw_scenes(kinds, (65, 65))
    spoiling = example.training.colours.draw_degradation(
        50, (33, 33), torch.device("cpu"), torch.float32
    )
    assert torch.rand(1).equal(after)  # as many numbers were drawn
    assert kinds.person_free.equal(person_free)
    (parameters, indices, ground, colours), (noise, degradation, student) = fast.given
    assert scenes.ground.equal(ground)
    for layer, wanted, photos in zip(scenes.layers, parameters, indices, strict=True):
        found = [layer.matrix.flatten(1), layer.shift, bank.sizes[photos], layer.shown[:, None]]
        assert layer.photos.equal(photos)
        assert torch.cat([part.float() for part in found], 1).equal(wanted)
    for mine, wanted in ((scenes.colours, colours), (spoiling.colours, student)):
        parts = [mine.saturation[:, None], mine.contrast[:, None], mine.gains, mine.gamma[:, None]]
        assert torch.cat(parts, 1).equal(wanted)
    assert spoiling.noise.permute(0, 2, 3, 1).equal(noise)
    assert torch.stack([spoiling.focus, spoiling.deviation], 1).equal(degradation[:, :2])
    for cut_out, begin in zip(spoiling.cut_outs, (2, 10), strict=True):
        chosen = cut_out.chosen
        assert cut_out.corners[chosen].equal(degradation[chosen, begin : begin + 4])
        assert cut_out.colour.equal(degradation[:, begin + 4 : begin + 7])
        assert (degradation[~chosen, begin] > degradation[~chosen, begin + 1]).all()


# --- targets and training -------------------------------------------------------------------


def random_answer(example, rng, torch):
    def field(*shape):
        return torch.from_numpy(rng.uniform(-1, 1, shape).astype(np.float32))

    vectors = (field(2, 2, joints, 5, 5) * 30 for joints in (17, 16, 16))
    return example.targets.DenseAnswer(field(2, 17, 5, 5).abs(), *vectors)


def test_answers_of_mirror_images_are_turned_back(example, rng, torch):
    answer = random_answer(example, rng, torch)
    turned = example.targets.mirror(answer)
    assert all(a.equal(b) for a, b in zip(example.targets.mirror(turned), answer, strict=True))
    left_wrist, right_wrist = 9, 10
    assert turned.heat[:, left_wrist].equal(answer.heat[:, right_wrist].flip(-1))
    y, x = turned.offset[:, :, left_wrist].unbind(1)
    assert y.equal(answer.offset[:, 0, right_wrist].flip(-1))
    assert x.equal(-answer.offset[:, 1, right_wrist].flip(-1))
    to_left_wrist = example.targets.CHILDREN.index(left_wrist)
    to_right_wrist = example.targets.CHILDREN.index(right_wrist)
    assert turned.forward[:, 0, to_left_wrist].equal(answer.forward[:, 0, to_right_wrist].flip(-1))


@pytest.mark.parametrize("mirrored", [False, True])
def test_targets_and_losses_are_those_of_the_reported_run(
    example, network, torch, shared, rng, mirrored
):
    recipe, _ = load_recipe(shared, torch)
    weights = load_weights(str(shared / "weights" / TEACHER))
    teacher = network.FoldedPoseNet(weights).requires_grad_(False)
    large = torch.from_numpy(rng.uniform(-1, 1, (4, 3, 97, 97)).astype(np.float32))
    small = large[..., ::2, ::2].contiguous()
    person_free = torch.tensor([False, True, False, False])
    target = example.targets.dense_targets(teacher, large, small, with_mirror_image=mirrored)
    target = example.targets.without_people(target, person_free)

    class Channels:  # the recipe's teacher takes colours last, and flips accordingly
        def __call__(self, images):
            return teacher(images.permute(0, 3, 1, 2).contiguous())

    def last(images):
        return images.permute(0, 2, 3, 1)

    with torch.no_grad():
        wanted = recipe.teach(Channels(), last(large), last(small), person_free, mirrored)
    for found, expected in zip(target, wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-3)  # pixels
    assert (target.heat[1] == 0).all() and (target.heat[0] > 0).any()
    outputs = torch.from_numpy(rng.normal(size=(4, 115, 4, 4)).astype(np.float32))
    losses = example.losses.distillation_losses(network.split_outputs(outputs), target)
    total, _ = recipe.loss_fn(outputs, recipe.prepare(wanted))
    assert float(losses.total) == pytest.approx(float(total), rel=1e-5)


def test_the_loss_falls(example, network, torch, rng):
    """A student learns a few scenes by heart; the teacher is another one of random weights."""
    torch.manual_seed(0)
    teacher = network.Student(0.5)
    images = torch.from_numpy(rng.uniform(-1, 1, (4, 3, 65, 65)).astype(np.float32))
    teacher(images)
    folded = network.FoldedPoseNet(network.fold(teacher)).requires_grad_(False)
    small = images[..., ::2, ::2].contiguous()
    views = example.scenes.Views(images, small, small, torch.tensor([False, True] * 2))
    renderer = SimpleNamespace(device=torch.device("cpu"), render_views=lambda count, side: views)
    trainer = example.loop.Trainer(network.Student(0.5), folded, renderer)
    totals = [
        float(trainer.step(4, 33, 3e-3, with_mirror_image=step >= 6).total) for step in range(12)
    ]
    assert totals[-1] < totals[0] / 2
    assert trainer.learner.steps == 12


def test_the_schedule_is_that_of_the_reported_run(example):
    assert example.loop.SIDES == {257: 0.56, 193: 0.08, 225: 0.08, 321: 0.16, 385: 0.12}
    rate = partial(example.training.schedule.learning_rate, peak=example.loop.PEAK_RATE)
    assert rate(0.01) == pytest.approx(1.25e-3, abs=2e-6)
    assert rate(0.02) == pytest.approx(2.5e-3, abs=2e-6)
    assert rate(1) == pytest.approx(0, abs=2e-6)


def test_mirror_images_join_at_three_tenths_of_the_training(example):
    asked = []

    def step(count, side, rate, *, with_mirror_image):
        asked.append(with_mirror_image)
        return example.loop.Losses(*([example.network.torch.tensor(1.0)] * 5))

    trainer = SimpleNamespace(step=step, average=None)
    progress = example.training.schedule.progress_by_steps(10)
    rng = np.random.default_rng(0)
    example.loop.train(trainer, progress, 2, 1e-3, rng, lambda student: None)
    assert asked == [False] * 3 + [True] * 7

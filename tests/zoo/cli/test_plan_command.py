"""What models and the command line tell of plans."""

import json

import numpy as np
import pytest

import zoo
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from core.plan.plan_report import step_rows
from tests.core.converter.tensorflow_runs import unpack
from tests.zoo.cli.test_cli import PHOTO, run
from weights_cache.common.errors import ZooError
from zoo.pipeline.loaded_model import LoadedModel

# What posenet.tiny is made of, for 257 x 257 pixels: each block filters its input channel by
# channel, and mixes the channels; (pixels on a side, channels before, after).
BLOCKS = [
    (129, 24, 48),
    (65, 48, 96),
    (65, 96, 96),
    (33, 96, 192),
    (33, 192, 192),
    (17, 192, 384),
    *[(17, 384, 384)] * 7,
]
STEM = 129**2 * 9 * 3 * 24
HEADS = 17**2 * 384 * (17 + 34 + 32 + 32)
PRODUCTS = STEM + HEADS + sum(side**2 * (9 * a + a * b) for side, a, b in BLOCKS)


# --- models ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    return zoo.load("posenet.tiny")


def test_the_plan_of_a_model(model):
    plan = model.plan()
    assert sum(step.multiply_adds for step in plan.steps) == PRODUCTS
    assert plan.inputs["image"].shape == (1, 257, 257, 3)
    outputs = model.predict(np.zeros((1, 257, 257, 3), np.float32))
    assert sorted(s.shape for s in plan.outputs.values()) == sorted(
        t.shape for t in outputs.values()
    )
    assert str(plan).count("\n") == len(plan.steps) + 3


def test_it_is_the_plan_that_pictures_run_by():
    model = zoo.load("posenet.tiny")
    model.warmup()
    plan = model.plan()
    assert plan.workspaces_made == 1
    model.estimate_single_pose(PHOTO)
    model.estimate_multiple_poses(PHOTO)
    assert model.plan(PHOTO) is model.plan() is plan
    assert plan.workspaces_made == 1


def test_options_of_the_entry_count():
    small, large = (zoo.load("posenet.tiny", input_size=n).plan() for n in (129, 257))
    assert small.inputs["image"].shape == (1, 129, 129, 3)
    assert small.arena_bytes < large.arena_bytes


def test_the_profile_of_a_model(model):
    profile = model.profile(PHOTO, repeat=2)
    untimed = [
        {key: step[key] for key in row}
        for step, row in zip(profile.steps, step_rows(model.plan()), strict=True)
    ]
    assert untimed == step_rows(model.plan())
    assert all(step["ms"] > 0 for step in profile.steps)
    assert (profile.runs, profile.backend) == (2, model.backend)
    with pytest.raises(ZooError, match=r"repeat=0 must be an integer of at least 1"):
        model.profile(PHOTO, repeat=0)


def test_a_closed_model_has_no_plan():
    model = zoo.load("posenet.tiny")
    model.close()
    for use in (model.plan, model.warmup, lambda: model.profile(PHOTO)):
        with pytest.raises(ZooError, match="is closed"):
            use()


def test_parts_are_named(model):
    with pytest.raises(ZooError, match="posenet.tiny has no part 'detector'; its parts: none"):
        model.warmup("detector")


def test_parts_are_made_ready(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    model = zoo.load("hands.lite")
    model.warmup()
    assert not model._parts
    model.warmup("detector")
    assert model.part("detector").plan().workspaces_made == 1
    model.part("detector").close()
    with pytest.raises(ZooError, match="is closed"):
        model.warmup()


def loaded(*shapes) -> LoadedModel:
    """A model of no task: the sum of its inputs."""
    names = [f"x{i}" for i in range(len(shapes))]
    nodes = [*(Node(name, "Placeholder") for name in names), Node("y", "AddN", tuple(names))]
    ends = {name: Endpoint(name, PartialSpec(s)) for name, s in zip(names, shapes, strict=True)}
    graph = Graph(nodes, {}, ends, {"y": Endpoint("y", PartialSpec(None))})
    return LoadedModel("./sum.tflite", GraphModel(graph))


def test_models_from_paths_take_arrays(rng):
    model = loaded((None, 3), (None, 3))
    assert [spec.shape for spec in model.plan().inputs.values()] == [(1, 3), (1, 3)]
    given = {name: rng.random((5, 3), np.float32) for name in model.inputs}
    assert [step.output_shape for step in model.plan(given).steps][-1] == (5, 3)
    profile = model.profile(given, 1)
    assert [step["output_shape"] for step in profile.steps][-1] == (5, 3)
    model.warmup()


def test_inputs_of_any_size_are_to_be_given():
    model = loaded((None, None, 3))
    for use in (model.plan, model.warmup):
        with pytest.raises(CoreError, match="give inputs: the shape of 'x0' may be any"):
            use()
    assert model.plan(np.zeros((1, 4, 3), np.float32)).outputs["y"].shape == (1, 4, 3)


# --- the command ----------------------------------------------------------------------------


def test_the_command_prints_the_table(capsys, model):
    assert run(capsys, "plan", "posenet.tiny") == (0, f"{model.plan()}\n", [])


def test_with_a_photo_it_prints_times(capsys, model):
    status, out, err = run(capsys, "plan", "posenet.tiny", PHOTO, "--repeat", "2")
    *_, last = out.splitlines()
    assert (status, err) == (0, [])
    assert last.startswith(f"{len(model.plan().steps)} steps, ")
    assert last.endswith("medians of 2 runs on cpu, numpy")


def test_json(capsys, model):
    plan = model.plan()
    document = json.loads(run(capsys, "plan", "posenet.tiny", "--json")[1])
    assert document["steps"] == json.loads(json.dumps(step_rows(plan)))
    assert document["buffers"] == [buffer._asdict() for buffer in plan.placed]
    assert document["inputs"] == {"image": {"shape": [1, 257, 257, 3], "dtype": "float32"}}
    assert document["arena_bytes"] == plan.arena_bytes
    assert "total_ms" not in document
    status, out, _ = run(capsys, "plan", "posenet.tiny", PHOTO, "--json", "--repeat", "1")
    timed_document = json.loads(out)
    assert out.count("\n") == 1
    assert sum(s["ms"] for s in timed_document["steps"]) == timed_document["total_ms"] > 0
    assert timed_document["runs"] == 1


def test_the_command_writes_a_chrome_trace(capsys, tmp_path, model):
    target = tmp_path / "trace.json"
    arguments = ["plan", "posenet.tiny", PHOTO, "--repeat", "1", "--chrome-trace", str(target)]
    status, _, err = run(capsys, *arguments)
    assert status == 0 and err == [f"written: {target}"]
    events = json.loads(target.read_text())["traceEvents"]
    assert [e["name"] for e in events if e["ph"] == "X"] == [s.name for s in model.plan().steps]
    status, _, err = run(capsys, *arguments[:2], "--chrome-trace", str(target))
    assert status and "give an image" in err[-1]


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["posenet.tin"], "did you mean 'posenet.tiny'"),
        (["posenet.tiny", "--repeat", "0"], "'0' must be an integer, 1 or more"),
        (["posenet.tiny", "no_such.jpg"], "no_such.jpg"),
        (["posenet.tiny", "--backend", "abacus"], "abacus"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(capsys, arguments, complaint):
    status, out, err = run(capsys, "plan", *arguments)
    assert (status, out, len(err)) == (2, "", 1)
    assert complaint in err[0]


def test_the_signature_of_a_saved_model_is_an_option(capsys, tmp_path):
    path = str(unpack(tmp_path, "module"))
    with zoo.load(path, signature="embed") as model:
        assert run(capsys, "plan", path, "--signature", "embed") == (0, f"{model.plan()}\n", [])


def test_photos_are_for_models_of_the_zoo(capsys, monkeypatch):
    monkeypatch.setattr(zoo, "load", lambda *_, **__: loaded((None, 3)))
    status, _, err = run(capsys, "plan", "./sum.tflite", PHOTO)
    assert status == 2
    assert err == [
        "zoo: './sum.tflite' takes no images: leave IMAGE out, or time it in Python with "
        "zoo.load(...).profile(array)"
    ]

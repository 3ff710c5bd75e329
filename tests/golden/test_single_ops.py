"""Each op of the quantised files, alone, is within a quantum of LiteRT's reference kernel."""

import pytest

import core
from core.graph_model.graph_model import GraphModel
from tests.golden import single_ops
from tests.golden.single_ops import Measured, measure_ops, quantised_files
from tests.golden.staged import MOVENET, SSD, loaded
from tests.helpers import start_or_skip

FILES = quantised_files()
#: Of these every op runs in CI, too; of other files one of each type.
WHOLE = ("movenet_single_pose_lightning_ptq.tflite", "no_metadata.tflite")
#: Two files of one network are enough once.
SHORT = [(s, name) for s, name in FILES if s.file in WHOLE or s.folder not in (MOVENET, SSD)]

#: Of all values: measured are 10 and 8 of 7.6 million.
MORE_ROUNDINGS = 2e-6


def parametrised(files):
    return pytest.mark.parametrize(
        "staged, name", [pytest.param(*pair, id=pair[0].path) for pair in files]
    )


def check(measured: list[Measured]) -> None:
    assert measured
    assert [m for m in measured if not m.holds] == []


@parametrised(SHORT)
def test_ops(shared, staged, name):
    once = staged.file not in WHOLE
    check(list(measure_ops(shared / "weights", staged, name, each_type_once=once)))


@pytest.mark.sweep("long", part="whole")
@parametrised([(s, name) for s, name in FILES if s.file in WHOLE])
def test_shaders_round_as_often_as_cpu_to_another_quantum(shared, staged, name):
    """Of all values seven in a thousand are one quantum off on both."""
    start_or_skip()
    measured = {}
    for backend in ("cpu", "shader"):
        with core.backend(backend):
            measured[backend] = list(measure_ops(shared / "weights", staged, name))
        check(measured[backend])
    of_cpu, of_shader = (sum(m.others for m in measured[b]) for b in ("cpu", "shader"))
    values = sum(m.values for m in measured["cpu"])
    assert 1e-3 < of_cpu / values < 1e-2
    assert of_shader - of_cpu < MORE_ROUNDINGS * values


@pytest.mark.sweep("long", part="whole")
@parametrised(FILES)
def test_every_op(shared, staged, name):
    measured = list(measure_ops(shared / "weights", staged, name))
    check(measured)
    worst = max(measured, key=lambda m: m.error / (m.bound or 1))
    print(f"{staged.path}: {len(measured)} outputs of ops, the worst {worst}")


def test_a_wrong_weight_is_found(shared, monkeypatch):
    weights = shared / "weights"
    staged, name = next(pair for pair in FILES if pair[0].before)
    graph = loaded(weights / staged.path).graph
    shifted = {n: a + (0.05 if a.ndim == 4 else 0) for n, a in graph.weights.items()}
    model = GraphModel(graph._replace(weights=shifted))
    monkeypatch.setattr(single_ops, "loaded", lambda path: model)
    assert {m.type: m.holds for m in measure_ops(weights, staged, name)}["CONV_2D"] is False

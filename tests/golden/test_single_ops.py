"""Each op of the quantised files, alone, is within a quantum of LiteRT's reference kernel."""

import pytest

from core.graph.model import GraphModel
from tests.golden import single_ops
from tests.golden.single_ops import Measured, measure_ops, quantised_files
from tests.golden.staged import MOVENET, SSD, loaded

FILES = quantised_files()
#: Of these every op runs in CI, too; of other files one of each type.
WHOLE = ("movenet_single_pose_lightning_ptq.tflite", "no_metadata.tflite")
#: Two files of one network are enough once.
SHORT = [(s, name) for s, name in FILES if s.file in WHOLE or s.folder not in (MOVENET, SSD)]


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


@pytest.mark.long
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

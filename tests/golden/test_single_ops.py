"""Each op of the quantised files, alone, is within a quantum of LiteRT's reference kernel."""

import pytest

from tests.golden.single_ops import Measured, measure_ops, quantised_files
from tests.golden.staged import MOVENET, SSD

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

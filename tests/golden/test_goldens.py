"""Every staged model gives what the reference implementation gave for the stored input."""

import json

import numpy as np
import pytest

import core
from tests.golden.comparison import compare, float_row
from tests.golden.staged import BODYPIX, STAGED, WITHOUT_TOPOLOGY, cases, loaded, read_golden

BODYPIX_DECODER = next(s for s in STAGED if s.folder == BODYPIX and "512_512" in s.file)


@pytest.mark.parametrize(
    "staged, name", [pytest.param(s, name, id=f"{s.path}-{name}") for s, name in cases()]
)
def test_golden(shared, staged, name):
    rows = compare(shared / "weights", staged, name)
    assert rows
    assert [row for row in rows if not row.holds] == []


def test_no_model_and_no_golden_is_left_out(shared):
    index = json.loads((shared / "weights" / "INDEX.json").read_text())
    files = [f"{model['name']}/{f['file']}" for model in index for f in model["files"]]
    carrying = {f for f in files if f.endswith(("/model.json", ".tflite"))}
    assert carrying == {staged.path for staged in STAGED}
    stored = {
        (path.parent.parent.name, path.stem)
        for path in (shared / "weights").glob("*/reference/*.npz")
        if not path.parent.parent.name.startswith(WITHOUT_TOPOLOGY)
    }
    assert stored == {(s.folder, name) for s, name in cases() if s.rule != "live"}


def test_an_unknown_custom_op_is_named(shared):
    model = loaded(shared / "weights" / BODYPIX_DECODER.path)
    golden = read_golden(shared / "weights", BODYPIX_DECODER, "pose_core")
    with pytest.raises(core.KernelNotFound, match="PosenetDecoderOp"):
        model.predict(golden.input)


def test_a_wrong_output_is_found():
    golden = np.linspace(-3, 5, 9)
    assert float_row("x", golden + 7e-3, golden).holds
    assert not float_row("x", golden + 9e-3, golden).holds
    assert not float_row("x", golden * np.nan, golden).holds

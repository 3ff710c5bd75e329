"""Every op that is translated, against what LiteRT's kernels compute with the same inputs."""

import numpy as np
import pytest

from core.converter.tflite import read_tflite
from core.converter.tflite.reader import all_rules
from core.converter.tflite.translation import CUSTOM
from core.graph_model.graph_model import GraphModel
from tests.core.converter.tflite.fixtures.models import FOLDER, MODELS, load

#: Ops that other tests have: real files, and files that are written here.
TESTED_ELSEWHERE = {
    *("DENSIFY", f"{CUSTOM}Convolution2DTransposeBias"),
    *(f"{CUSTOM}{name}" for name in ("Landmarks2TransformMatrix", "TransformTensorBilinear")),
    f"{CUSTOM}TransformLandmarks",
    *("HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE"),
}


@pytest.fixture(scope="module")
def run():
    """Inputs and LiteRT's outputs of a file, and our outputs; each file runs once."""
    found = {}

    def results(name):
        if name not in found:
            values = load(name)
            model = GraphModel(read_tflite(FOLDER / f"{name}.tflite"))
            feeds = {n: values[f"in/{n}"] for n in model.inputs}
            wanted = {k.removeprefix("out/"): v for k, v in values.items() if k.startswith("out/")}
            found[name] = model, wanted, model.predict(feeds, raw=True)
        return found[name]

    return results


@pytest.mark.parametrize("name", MODELS)
def test_outputs_are_those_of_litert(name, run):
    model, wanted, got = run(name)
    assert set(got) == set(wanted)
    wrong = {}
    for output, expected in wanted.items():
        ours = got[output].numpy()
        assert ours.shape == expected.shape, output
        assert np.isfinite(expected).all(), output
        wide = np.complex128 if expected.dtype == np.complex64 else np.float64
        distance = np.abs(ours.astype(wide) - expected.astype(wide)).max(initial=0)
        quantised = model.graph.outputs[output].quantization is not None
        limit = 1 if quantised else 0
        if not quantised and expected.dtype.kind in "fc":
            limit = 2e-6 * max(np.ptp(expected.real), 1)
        if distance > limit:
            wrong[output] = distance
    assert not wrong


def test_few_quanta_differ(run):
    """LiteRT rounds products twice, so that some halves fall otherwise, but not many.

    Of those to be seen here most come from QUANTIZE, which rounds to half a quantum first, and
    from RESIZE_BILINEAR, which interpolates with weights of 10 bits.
    """
    _, wanted, got = run("quanta")
    skipped = {"requantized", "resized"}
    pairs = [(got[k].numpy(), v) for k, v in wanted.items() if k not in skipped]
    differing = sum(np.count_nonzero(a != b) for a, b in pairs if b.dtype == np.int8)
    assert differing < 0.005 * sum(b.size for _, b in pairs)


def test_every_translated_op_is_in_a_file():
    from core.converter.tflite.file_content import read_document

    documents = [read_document(f.read_bytes()) for f in FOLDER.glob("*.tflite")]
    operators = [o for d in documents for g in d.subgraphs for o in g.operators]
    tested = {f"{CUSTOM}{o.name}" if o.custom else o.name for o in operators}
    assert set(all_rules()) - tested - TESTED_ELSEWHERE == set()

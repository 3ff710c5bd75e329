"""What ``convert --quantise`` does to models: bytes, labels and joints, on images of your own.

Run: ``python -m tests.benchmarks.quantisation FOLDER``, with the weights where `zoo.load` finds
them. Kinds are chosen by the images of the package; what they do is measured on those of FOLDER.
Prints a line for each model and kind.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import zoo
from core.converter.accuracy_loss import Trials
from core.converter.choosing import changed_arrays
from core.converter.conversion import Conversion, Request, prepare_conversion
from core.converter.conversion_outputs import stored_bytes
from core.converter.sample_inputs import make_samples
from weights_cache import write_weights
from zoo.catalog.entries import find_entry
from zoo.cli.convertible import find_source, input_size
from zoo.cli.sample_inputs import read_samples
from zoo.pipeline.image_inputs import ImageInputs
from zoo.samples import sample_images

#: Name, and whether the graph is optimised first.
MODELS = [
    ("mobilenet.v1_025", None),
    ("mobilenet.v1_025", True),
    ("mobilenet.v1_025_tflite", None),
    ("posenet.mobilenet_v1_075", None),
]
KINDS = [("uint8", 0.05), ("float16", 0.05), ("auto", 0.05), ("auto", 0.02), ("auto", 0.1)]


def main(folder: str) -> None:
    """Print the table."""
    images = read_samples([folder])
    for name, optimise in MODELS:
        source, entry = find_source(name)
        assert entry is not None
        inputs = ImageInputs(sample_images(), entry.preprocess, input_size(entry))
        trials: Trials | None = None
        for kind, tolerance in KINDS:
            request = Request(kind, optimise=optimise, samples=inputs, tolerance=tolerance)
            with tempfile.TemporaryDirectory() as target:
                conversion = prepare_conversion(source, target, request)
            written = conversion.written
            if trials is None:
                others = make_samples(inputs._replace(images=images), written.graph({}).inputs)
                trials = Trials(written.graph, others)
            damage = trials.damage(changed_arrays(written, conversion.measured.kinds))
            size = sum(map(stored_bytes, conversion.weights.values()))
            line = f"{name} (optimise={optimise}) {kind} {tolerance}: {size:,} bytes"
            print(f"{line}, {damage.to_text()}{_moved(name, conversion, images)}", flush=True)


def _moved(name: str, conversion: Conversion, images: list[np.ndarray]) -> str:
    """How far joints move, in pixels of an input of 257."""
    if find_entry(name).task != "pose":
        return ""
    first = zoo.load(name)
    known = first.network.graph.weights
    arrays = {n: array for n, array in conversion.weights.items() if n in known}
    with tempfile.TemporaryDirectory() as folder:
        write_weights(Path(folder), arrays)
        second = zoo.load(name, weights=folder)
    moved = []
    for image in images:
        poses = [model.estimate_single_pose(image)["keypoints"] for model in (first, second)]
        for a, b in zip(*poses, strict=True):
            if a["score"] > 0.3:
                (x, y), (u, v) = (point["position"].values() for point in (a, b))
                moved.append(np.hypot(x - u, y - v) / max(image.shape[:2]) * 257)
    median, most = np.quantile(moved, [0.5, 0.95])
    return f"; {len(moved)} joints move by {median:.2f} px (median), 95 % by less than {most:.2f}"


if __name__ == "__main__":
    main(sys.argv[1])

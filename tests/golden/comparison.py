"""How far a model's outputs are from golden ones, by the rule of its kind."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.graph_model.graph_model import GraphModel
from tests.golden.litert import Reference
from tests.golden.matching import ANCHORS, SCORES, distances, percentile, places_of
from tests.golden.staged import Golden, Staged, loaded, read_golden

#: Of a float output's range.
FLOAT_BOUND = 1e-3
QUANTA_BOUND = 2.0
#: Of a quantum. Both sides of a difference are quanta times a scale in float32, so that two quanta
#: come out as 2.0000002: less than this is no distance, and a whole quantum is a thousand times it.
DUST = 1e-3
#: A golden's best class counts where it leads by more.
MARGIN_QUANTA = 16
#: MoveNet's input is 192 pixels wide and high.
KEYPOINT_PIXELS, KEYPOINT_BOUND = 192, 8.0
#: Rows whose scores differ by less may change places.
TIE = 1e-4


class Row(NamedTuple):
    """What was measured of one output."""

    output: str
    error: float
    bound: float
    unit: str

    @property
    def holds(self) -> bool:
        """Whether the output is as near to the golden as it must be."""
        return bool(self.error <= self.bound)  # false for NaN


def compare(weights: Path, staged: Staged, name: str) -> list[Row]:
    """Run a model from a golden's input, and measure each output."""
    golden = read_golden(weights, staged, name)
    return RULES[staged.rule](weights, staged, golden, loaded(weights / staged.path))


def assert_near(rows: list[Row]) -> None:
    """Something was measured, and all of it is near enough."""
    assert rows
    assert [row for row in rows if not row.holds] == []


def run(weights: Path, staged: Staged, golden: Golden) -> dict[str, np.ndarray]:
    """What our model gives, under the golden's names."""
    model, given = loaded(weights / staged.path), golden.input
    if staged.before:
        first = loaded(weights / staged.folder / staged.before)
        (given,) = first.predict(given).values()
    names = {key: name_in(model, staged, key) for key in golden.outputs}
    found = model.execute(given, list(names.values()))
    return {key: found[name].numpy() for key, name in names.items()}


def name_in(model: GraphModel, staged: Staged, key: str) -> str:
    """What the model calls an output of a golden: "/" is "__" there, and ":" is "_"."""
    if key in staged.names:
        return staged.names[key]
    if key == "output0":
        return next(iter(model.outputs))
    known = [*model.outputs, *model.graph.aliases]
    return {name.replace("/", "__").replace(":", "_"): name for name in known}.get(key, key)


def float_rows(weights: Path, staged: Staged, golden: Golden, model: GraphModel) -> list[Row]:
    """The largest error relative to the range of the output."""
    ours = run(weights, staged, golden)
    return [float_row(key, ours[key], golden.outputs[key]) for key in ours]


def float_row(key: str, ours: np.ndarray, golden: np.ndarray) -> Row:
    """The largest error relative to the range of the golden; that of one number is its size."""
    assert ours.shape == golden.shape, f"{key} has shape {ours.shape}, the golden {golden.shape}"
    extent = np.ptp(golden) or np.abs(golden).max() or 1
    return Row(key, float(np.abs(ours - golden).max() / extent), FLOAT_BOUND, "of the range")


def row_by_row(weights: Path, staged: Staged, golden: Golden, model: GraphModel) -> list[Row]:
    """The model takes one row at a time; each is put into the golden's class."""
    ours = np.concatenate([only_output(model, row[None]) for row in golden.input])
    theirs = golden.outputs["probs"]
    others = np.count_nonzero(ours.argmax(axis=1) != theirs.argmax(axis=1))
    return [
        float_row("probs", ours, theirs),
        Row("rows put into another class", float(others), 0, "rows"),
    ]


def only_output(model: GraphModel, given: np.ndarray) -> np.ndarray:
    """The values of the one output."""
    (value,) = model.predict(given).values()
    return value.numpy()


def quantised_rows(weights: Path, staged: Staged, golden: Golden, model: GraphModel) -> list[Row]:
    """The 99th percentile of the distance in quanta, and the best class."""
    rows, theirs = [], None
    for key, ours in run(weights, staged, golden).items():
        scale, zero_point = quanta_of(weights, staged, golden, key)
        real = (golden.outputs[key].astype(np.float32) - zero_point) * np.float32(scale)
        assert ours.shape == real.shape
        error = percentile(ours - real, scale)
        bound = QUANTA_BOUND + DUST
        if error > bound:
            theirs = theirs or reference_outputs(weights, staged, golden.name)
            bound = max(bound, percentile(theirs[key] - real, scale) + DUST)
        rows.append(Row(key, error, bound, "quanta, p99"))
        if real.ndim == 2:
            rows += best_class(key, ours[0], real[0], scale)
    return rows


def quanta_of(weights: Path, staged: Staged, golden: Golden, key: str) -> tuple[float, float]:
    """Scale and zero point of an output: the golden's word, or the file's."""
    model = loaded(weights / staged.path)
    name = name_in(model, staged, key)
    if name in golden.quantization:
        return golden.quantization[name]
    quantization = model.graph.outputs[name].quantization
    assert quantization is not None
    return quantization.scale, quantization.zero_point


def best_class(key: str, ours: np.ndarray, golden: np.ndarray, scale: float) -> list[Row]:
    """Whether the best class differs; nothing where it does not lead by far."""
    second, first = np.sort(golden)[-2:]
    if first - second <= MARGIN_QUANTA * scale:
        return []
    return [Row(f"{key}, best class", float(ours.argmax() != golden.argmax()), 0, "wrong")]


@lru_cache(maxsize=4)
def _reference(path: Path) -> Reference:
    return Reference(path)


def reference_outputs(weights: Path, staged: Staged, name: str) -> dict[str, np.ndarray]:
    """What LiteRT's reference kernels give for a golden's input, under the golden's names."""
    golden, given = read_golden(weights, staged, name), None
    if staged.before:
        first = _reference(weights / staged.folder / staged.before)
        first.run(golden.input)
        given = first.interpreter.get_tensor(first.interpreter.get_output_details()[0]["index"])
    path = weights / staged.folder / (staged.same or staged.file)
    found = _reference(path).run(golden.input if given is None else given)
    names = {n.replace("/", "__").replace(":", "_"): v for n, v in found.items()}
    return names | {key: found[n] for key, n in staged.names.items()}


def keypoint_rows(weights: Path, staged: Staged, golden: Golden, model: GraphModel) -> list[Row]:
    """Distances of MoveNet's keypoints, which are (y, x, score), in pixels."""
    ((key, theirs),) = golden.outputs.items()
    ours = run(weights, staged, golden)[key]
    reference = reference_outputs(weights, staged, golden.name)[key]
    moved = np.linalg.norm((ours - theirs)[..., :2], axis=-1).max() * KEYPOINT_PIXELS
    return [
        Row(f"{key}, keypoints", float(moved), KEYPOINT_BOUND, "pixels"),
        Row(key, percentile(ours - theirs), percentile(reference - theirs), "p99"),
    ]


def rows_by_anchor(weights: Path, staged: Staged, golden: Golden, model: GraphModel) -> list[Row]:
    """Rows ordered by score: those of (nearly) the same score may have changed places."""
    ours, theirs = run(weights, staged, golden), golden.outputs
    places = places_of(theirs, ours)
    score = theirs[SCORES][0]
    # Where a row is missing, only the last one may have taken its place.
    moved = [s - score[-1 if p is None else p] for s, p in zip(score, places, strict=True)]
    rows = [Row("order of the rows", float(np.abs(moved).max()), TIE, "score")]
    kept = [i for i, place in enumerate(places) if place is not None]
    taken = [places[i] for i in kept]
    for key, theirs_of_key in theirs.items():
        if theirs_of_key.shape[:2] == theirs[ANCHORS].shape:
            rows.append(float_row(key, ours[key][:, taken], theirs_of_key[:, kept]))
        else:
            rows.append(float_row(key, ours[key], theirs_of_key))
    return rows


def detection_rows(weights: Path, staged: Staged, golden: Golden, model: GraphModel) -> list[Row]:
    """Detections matched by class and box: two quanta off, or as far as the reference kernels'."""
    reference = reference_outputs(weights, staged, golden.name)
    quanta = raw_quanta(_reference(weights / staged.path))
    ours = distances(run(weights, staged, golden), golden.outputs, quanta)
    theirs = distances(reference, golden.outputs, quanta)
    box, score = (max(QUANTA_BOUND, error) + DUST for error in (theirs.box, theirs.score))
    return [
        Row("detections without a match", ours.missing, theirs.missing, "rows"),
        Row("boxes", ours.box, box, "raw quanta, p99"),
        Row("scores", ours.score, score, "quanta, p99"),
    ]


def raw_quanta(reference: Reference) -> tuple[float, float]:
    """How far a quantum of the raw boxes moves an edge, in sides of the box; one of the scores.

    Raw centres are tenths of an anchor's side, logarithms of raw sides are fifths: one quantum of
    either moves an edge by a tenth, the second as half of a side's fifth.
    """
    boxes, scores = (reference.scale(i) for i in reference.ops()[-1].inputs[:2])
    assert boxes and scores
    return boxes[0] / 10, scores[0]


def live_rows(weights: Path, staged: Staged, golden: Golden, model: GraphModel) -> list[Row]:
    """No golden is stored: the reference kernels run beside us on drawn inputs."""
    reference = Reference(weights / staged.path)
    ours = [only_output(model, row[None]) for row in golden.input]
    theirs = [next(iter(reference.run(row[None]).values())) for row in golden.input]
    return [float_row("only output", np.concatenate(ours), np.concatenate(theirs))]


Rule = Callable[[Path, Staged, Golden, GraphModel], list[Row]]

RULES: Mapping[str, Rule] = {
    "float": float_rows,
    "row_by_row": row_by_row,
    "quantised": quantised_rows,
    "keypoints": keypoint_rows,
    "rows_by_anchor": rows_by_anchor,
    "detections": detection_rows,
    "live": live_rows,
}

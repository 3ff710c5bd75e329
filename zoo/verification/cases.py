"""Cases of a network: inputs, what is compared for them, and the limits."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core import CoreError, Graph, GraphModel
from core.converter.sample_inputs import make_samples
from weights_cache.locations import Locations
from weights_cache.registry import find_record
from zoo.catalog.entry import Entry
from zoo.pipeline.image_inputs import OPEN_SIZE, ImageInputs, pixels_of
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model import Model
from zoo.samples import sample_images
from zoo.verification.comparison import FLOAT_LIMIT, GOLDEN_LIMIT, Rule
from zoo.verification.goldens import FOLDER, Golden, find_goldens
from zoo.verification.networks import choice_before, compared_outputs, quantization_of
from zoo.verification.sensitivity import Moved, moved_networks, with_moves

Arrays = Mapping[str, np.ndarray]

#: Goldens of the bundled models, by record.
SHIPPED = Path(__file__).parent / "goldens"

#: `Golden.source` of goldens that cpu tier 1 made.
OWN_SOURCE = "friendly-zoo, cpu tier 1"

NOISE, SAMPLE = "noise", "sample image"


class Case(NamedTuple):
    """One input of a network.

    Attributes:
        name: such as ``"noise"``.
        inputs: arrays by name.
        rules: how outputs are compared, by their names.
        skipped: outputs that are not compared, and why.
        expected: stored outputs; empty: those of cpu tier 1 are right.
    """

    name: str
    inputs: Arrays
    rules: Mapping[str, Rule]
    skipped: Mapping[str, str]
    expected: Arrays


def make_cases(model: LoadedModel, seed: int) -> list[Case]:
    """Return the cases of a network: noise, the sample image, and goldens.

    Args:
        model: the loaded network.
        seed: of the noise.

    Raises:
        ZooError: a golden is damaged.
    """
    graph = model.network.graph
    compared = compared_outputs(model)
    rules = {output: _rule(graph, output) for output in compared.outputs}
    skipped = {
        output: f"{kind} decides it: the values that it chooses from are compared"
        for output, kind in compared.chosen.items()
    }
    try:
        made = [Case(kind, inputs, rules, skipped, {}) for kind, inputs in _own_inputs(model, seed)]
    except CoreError as error:
        made = [Case(NOISE, {}, {}, {"": _no_noise(error)}, {})]
    goldens = [_golden_case(graph, golden) for golden in _goldens(model)]
    moved = moved_networks(graph)
    return [_with_moves(case, model.network, moved) for case in (*made, *goldens)]


def _no_noise(error: CoreError) -> str:
    """Return why no noise is made, without the advice for another caller, and the next step."""
    reason = str(error).partition(": give ")[0]
    return f"{reason}: put inputs and outputs into files {FOLDER}/NAME.npz beside the model"


def _rule(graph: Graph, output: str, share: float = FLOAT_LIMIT) -> Rule:
    """Return how an output is compared."""
    quantization = quantization_of(graph, output)
    return Rule(None if quantization is None else quantization.scale, share)


def _with_moves(case: Case, network: GraphModel, moved: Moved) -> Case:
    """Return a case whose rules know how far the outputs move with the last bits of weights."""
    if not case.rules:
        return case
    network.reset_states()
    outputs = network.execute(case.inputs, [*case.rules], as_arrays=True)
    is_golden = bool(case.expected)
    rules = with_moves(case.rules, moved, case.inputs, outputs, is_golden=is_golden)
    return case._replace(rules=rules)


def _own_inputs(model: LoadedModel, seed: int) -> Iterator[tuple[str, Arrays]]:
    """Yield noise, and the sample image where the network takes images."""
    rng = np.random.default_rng(seed)
    make = _image_input(model)
    if make is None:
        yield NOISE, make_samples(None, model.network.graph.inputs, seed).runs[0]
        return
    yield NOISE, make(rng.integers(0, 256, (*_size(model), 3), np.uint8))
    yield SAMPLE, make(sample_images()[0])


def _size(model: LoadedModel) -> tuple[int, int]:
    """Return height and width of the images that a network takes."""
    if isinstance(model, Model):
        return model.input_size
    [spec] = model.inputs.values()
    height, width = (spec.shape or ())[1:3]
    return height or OPEN_SIZE[0], width or OPEN_SIZE[1]


def _image_input(model: LoadedModel) -> Callable[[np.ndarray], Arrays] | None:
    """Return the function that makes the inputs of an image; None for other inputs."""
    inputs = model.network.graph.inputs
    shape = next(iter(inputs.values())).spec.shape if len(inputs) == 1 else None
    if shape is None or len(shape) != 4 or shape[0] not in (None, 1):
        return None
    [name] = inputs
    if isinstance(model, Model):
        return lambda image: {name: model.network_input(image)}
    if shape[-1] != 3:
        return None

    pixels = pixels_of(model.network.graph.metadata)

    def by_shape(image: np.ndarray) -> Arrays:
        samples = ImageInputs([image], pixels=pixels)(inputs)
        assert samples is not None  # the shape is that of an image
        return samples.runs[0]

    return by_shape


# --- goldens ------------------------------------------------------------------------------------


def _golden_case(graph: Graph, golden: Golden) -> Case:
    share = FLOAT_LIMIT if golden.source == OWN_SOURCE else GOLDEN_LIMIT
    kinds = {output: choice_before(graph, output) for output in golden.outputs}
    skipped = {output: f"{kind} decides it" for output, kind in kinds.items() if kind}
    skipped |= dict.fromkeys(golden.unknown, "the network has no such output")
    expected = {output: a for output, a in golden.outputs.items() if output not in skipped}
    rules = {output: _rule(graph, output, share) for output in expected}
    return Case(f"golden {golden.name}", golden.inputs, rules, skipped, expected)


def _goldens(model: LoadedModel) -> Iterator[Golden]:
    """Yield the goldens of a network."""
    graph = model.network.graph
    if not (isinstance(model, Model) and model.entry.weights):
        path = Path(model.name)
        folder = path if path.is_dir() else path.parent
        yield from find_goldens(folder / FOLDER, graph, path.name, _files_beside(path))
        return
    entry = model.entry
    record = find_record(entry.weights)
    others = [file.path for file in record.files]
    for folder in _folders(entry):
        yield from find_goldens(folder, graph, entry.file, others, entry.embedding)


def _files_beside(path: Path) -> list[str]:
    if not path.is_file():
        return []
    return [other.name for other in path.parent.iterdir() if other.suffix == path.suffix]


def _folders(entry: Entry) -> Iterator[Path]:
    """Yield the folders that may have goldens of an entry."""
    yield SHIPPED / entry.weights
    mirror = Locations.choose(None, None, offline=True).mirror_folder
    if mirror is not None:
        yield mirror / entry.weights / FOLDER

"""Writes the goldens of the bundled models, by which `zoo verify` measures every backend.

``python -m tests.zoo.verification.bundled_goldens`` runs them on cpu tier 1, and
`test_verification_goldens` compares the stored ones with that, and with PyTorch.
"""

import io
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import core
import zoo
from weights_cache import status
from weights_cache.atomic_files import replacing
from zoo.catalog.entries import all_entries
from zoo.catalog.entry import Entry
from zoo.pipeline.preprocess import prepare
from zoo.samples import sample_images
from zoo.verification.cases import OWN_SOURCE, SHIPPED

NAME = "astronaut"

#: Of networks that take images of any: small, as the files are part of the package.
SIZE = (129, 129)


def bundled() -> list[Entry]:
    """The entries whose weights are part of the package."""
    return [entry for entry in all_entries().values() if status(entry.weights) == "bundled"]


def golden_of(entry: Entry) -> dict[str, np.ndarray]:
    """The input and the outputs of cpu tier 1."""
    size = entry.preprocess.size or SIZE
    given = prepare(sample_images()[0], entry.preprocess, size)[0]
    return {"input": given, **outputs_for(entry, given)}


def outputs_for(entry: Entry, given: np.ndarray) -> Mapping[str, np.ndarray]:
    """What cpu tier 1 gives for an input."""
    core.set_tier(1)
    try:
        with zoo.load(entry.name, backend="cpu") as model:
            return model.network.execute(given, [*model.network.outputs], as_arrays=True)
    finally:
        core.set_tier(None)


def paths_of(entry: Entry) -> tuple[Path, Path]:
    """The files of a golden: arrays, and the facts about them."""
    folder = SHIPPED / entry.weights
    return folder / f"{NAME}.npz", folder / f"{NAME}.json"


def main() -> None:
    """Write the goldens of all bundled models."""
    for entry in bundled():
        arrays, facts = paths_of(entry)
        arrays.parent.mkdir(parents=True, exist_ok=True)
        packed = io.BytesIO()
        np.savez_compressed(packed, allow_pickle=False, **golden_of(entry))
        with replacing(arrays) as stream:
            stream.write(packed.getvalue())
        about = {"image": "astronaut.jpg of zoo/samples", "reference_implementation": OWN_SOURCE}
        with replacing(facts) as stream:
            stream.write(f"{json.dumps(about, indent=1)}\n".encode())
        print(f"{arrays}: {arrays.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

"""The models of TensorFlow beside the tests, and what it computed with them."""

import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.converter.graph_def import read_frozen_graph
from core.converter.saved_model import read_saved_model
from core.graph.nodes import Graph
from core.graph_model.graph_model import GraphModel

ARCHIVE = Path(__file__).with_name("tensorflow_models.zip")

#: The models that are frozen graphs; the others are SavedModels.
FROZEN = ("branches", "functions", "lowered")


class Run(NamedTuple):
    """A model, and what goes in and comes out."""

    model: str
    signature: str

    @property
    def name(self) -> str:
        """Of the file of arrays."""
        return f"{self.model}@{self.signature}.npz"


def archived_runs() -> list[Run]:
    """All runs of the archive."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return runs_of(archive.namelist())


def runs_of(names: list[str]) -> list[Run]:
    """The runs among files."""
    stems = [name.removesuffix(".npz") for name in sorted(names) if name.endswith(".npz")]
    return [Run(*stem.split("@")) for stem in stems]


def unpack(folder: Path, model: str = "") -> Path:
    """The archive's files whose names begin with a model's."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(folder, [n for n in archive.namelist() if n.startswith(model)])
    return folder / model


def read(folder: Path, run: Run) -> Graph:
    """The graph of a run's signature."""
    path = folder / run.model
    return (
        read_saved_model(path, run.signature) if path.is_dir() else read_frozen_graph(f"{path}.pb")
    )


def check_run(folder: Path, run: Run) -> None:
    """What we compute is what TensorFlow does."""
    arrays = np.load(folder / run.name)
    given, expected = (
        {key.removeprefix(kind): arrays[key] for key in arrays if key.startswith(kind)}
        for kind in ("in ", "out ")
    )
    found = GraphModel(read(folder, run)).predict(given)
    assert sorted(found) == sorted(expected)
    for name, value in expected.items():
        ours = found[name].numpy()
        assert (ours.shape, ours.dtype) == (value.shape, value.dtype), name
        np.testing.assert_allclose(ours, value, rtol=1e-5, atol=1e-6, err_msg=name)

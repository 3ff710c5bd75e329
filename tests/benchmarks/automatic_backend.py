"""What backend="auto" chooses for the models of the zoo, and the times that it measured.

``python -m tests.benchmarks.automatic_backend`` measures each model as its first run would do it,
and loads it once more, which finds the choice on disk. NumPy, pillow and moderngl are enough.
Models are left out if their weights are missing in the cache and in ``ZOO_WEIGHTS_MIRROR``.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from typing import NamedTuple

import core
import core.backends.renderers
import zoo
from core.backends.automatic import describe
from core.backends.renderer_probe import probe_renderer
from core.graph_model.automatic_model import AutomaticModel
from core.graph_model.measured_choices import Choice
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import all_entries


class Row(NamedTuple):
    """A model, its input, and what was chosen for it."""

    name: str
    inputs: str
    choice: Choice
    first_s: float  # seconds until it was ready, measured
    later_s: float  # with the choice on disk

    def __str__(self) -> str:
        cpu, shader = (f"{ms:9.3f}" if ms else f"{'':9}" for ms in self.choice[1:3])
        times = f"{cpu} {shader} {self.first_s:7.1f} {self.later_s:7.1f}"
        backend, reason = self.choice.backend, self.choice.reason
        return f"{self.name:32} {self.inputs:24} {backend:7} {times}  {reason}".rstrip()


def rows(patterns: list[str]) -> Iterator[Row | str]:
    """Measure each model whose name matches, or say why there is nothing to measure."""
    for name in all_entries():
        if any(fnmatch(name, pattern) for pattern in patterns):
            try:
                yield from _rows_of(name)
            except ZooError as error:
                yield f"{name:32} left out: {str(error).splitlines()[0]:.100}"


def _rows_of(name: str) -> Iterator[Row]:
    first, choices = _ready(name)
    later, again = _ready(name)
    assert core.get_backend() == "cpu"
    for inputs, choice in choices.items():
        kept = again[inputs].backend == choice.backend or not choice.is_lasting
        assert kept, f"{name}: another choice from disk"
        yield Row(name, inputs, choice, first, later)


def _ready(name: str) -> tuple[float, dict[str, Choice]]:
    """Return the seconds until a model is ready, and its choices by the shapes of the inputs."""
    started = time.perf_counter()
    with zoo.load(name, backend="auto") as model:
        model.warmup()
        network = model.network
        assert isinstance(network, AutomaticModel)
        choices = {call.text(call.outputs): c for call, c in network._choices.items()}
    return time.perf_counter() - started, choices


def main() -> None:
    """Print a line for each model, and how many run on each backend."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("patterns", nargs="*", default=["*"], help="such as 'posenet.*'")
    parser.add_argument("--software", action="store_true", help="take software rendering for a GPU")
    parser.add_argument("--keep", action="store_true", help="use and keep the user's code cache")
    given = parser.parse_args()
    if given.software:
        played = probe_renderer()._replace(is_software=False)
        core.backends.renderers.renderer_here = lambda: played
    if not given.keep:
        os.environ["ZOO_CODE_CACHE"] = tempfile.mkdtemp(prefix="zoo-code-")
    print(f"backend auto: {describe()}; {core.get_threads()} threads", flush=True)
    print(f"{'model':32} {'input':24} {'chosen':7} {'cpu ms':>9} {'shader':>9} first s later s")
    count = {"cpu": 0, "shader": 0}
    for row in rows(given.patterns):
        if isinstance(row, Row):
            count[row.choice.backend] += 1
        print(row, flush=True)
    print(f"{count['shader']} on shader, {count['cpu']} on cpu")


if __name__ == "__main__":
    main()

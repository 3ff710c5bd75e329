"""Lists of images in batches, against one by one: ``python -m tests.benchmarks.image_lists``.

Its arguments are a folder of photos and names of models. Milliseconds for each image, from pixels
to the result, of the processors and of the clock: medians of interleaved rounds. The facts behind
``together`` of entries.
"""

import dataclasses
import statistics
import sys
import time
from pathlib import Path

import zoo
from zoo.catalog.entries import all_entries, choices, model_class
from zoo.pipeline.model import Model, make_model
from zoo.pipeline.options import checked

SIZES = (1, 4, 8, 16)
ROUNDS = 13
IMAGES = 16


def in_batches(name: str, most: int) -> Model:
    """A model that runs so many images of a list at once, whatever its entry says."""
    entry = all_entries()[name]
    entry = dataclasses.replace(entry, together=most, batch=entry.file.endswith(".tflite"))
    return make_model(entry, checked(name, entry.options, {}))


def measure(name: str, photos: list) -> dict[int, tuple[float, float]]:
    """By the size of batches: processor time and time on the clock, in ms for each image."""
    models = {most: in_batches(name, most) for most in SIZES}
    verb = next(v for v in choices() if hasattr(model_class(all_entries()[name]), v))
    times: dict[int, list[tuple[float, float]]] = {most: [] for most in SIZES}
    for _ in range(ROUNDS):
        for most, model in models.items():
            start = time.process_time(), time.perf_counter()
            getattr(model, verb)(photos)
            end = time.process_time(), time.perf_counter()
            taken = [1e3 * (b - a) / len(photos) for a, b in zip(start, end, strict=True)]
            times[most].append((taken[0], taken[1]))
    return {
        most: (statistics.median(cpu), statistics.median(clock))
        for most, (cpu, clock) in ((m, zip(*t, strict=True)) for m, t in times.items())
    }


def main(folder: str, *names: str) -> None:
    paths = sorted(Path(folder).glob("*.jpg"))[:IMAGES]
    photos = [zoo.read_image(path) for path in paths]
    print("| model | " + " | ".join(f"{most} at once: cpu, clock" for most in SIZES) + " |")
    for name in names:
        cells = [f"{cpu:.1f}, {clock:.1f}" for cpu, clock in measure(name, photos).values()]
        print(f"| `{name}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

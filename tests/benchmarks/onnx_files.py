"""Real ONNX files, run by generated kernels, beside ONNX Runtime on the same files.

Run: ``python -m tests.benchmarks.onnx_files [FILE ..] [--threads 1 2] [--rounds N]`` with the extra
``oracle`` installed; a folder stands for all files in it, and without any those of packages count
(`tests.wheels`). Each runtime runs in a process of its own and has turns (`turns`); outputs must be
equal, or the file is not timed. Free dimensions are those of `SIZES`, else 1.

Prints milliseconds, medians of the turns, and the ratio of ours to ONNX Runtime's within a round,
with its quartiles; then geometric means, and a line of JSON.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from core.errors import CoreError
from tests.benchmarks.networks.network_cases import Prepared
from tests.benchmarks.networks.network_sides import (
    EXPORT,
    EXPORT_FEEDS,
    FEEDS,
    OURS,
    Case,
    import_onnx_runtime,
    write_case,
)
from tests.benchmarks.zoo_networks import TIER, print_times
from tests.wheels import folder_of_wheels

#: Shapes of inputs, by patterns of files' names; the first that fits counts.
SIZES: dict[str, dict[str, tuple[int, ...]]] = {
    "yunet_?_dynamic*": {"input": (1, 3, 320, 320)},
    "320n*": {"images": (1, 3, 320, 320)},
    "*_det_small*": {"x": (1, 3, 640, 640)},
    "*_rec_small*": {"x": (1, 3, 48, 320)},
    "*_cls_mobile*": {"x": (1, 3, 48, 192)},
    "common*": {"input1": (1, 1, 64, 160)},
    "silero_vad_16k_sequence*": {"input": (10, 576)},
    "silero_vad*": {"input": (1, 576)},
}

#: What scalars of integers are: a rate of sampling.
_RATE = 16000

_TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}


def files_in(places: list[Path]) -> Iterator[Path]:
    """Yield the files, and those in folders; without any, those of packages that are there."""
    if not places:
        places = [folder_of_wheels()]
    for place in places:
        yield from sorted(place.rglob("*.onnx")) if place.is_dir() else [place]


def feeds_for(session: Any, name: str) -> dict[str, np.ndarray]:
    """Return seeded values for the inputs of a file."""
    sizes = next((its for pattern, its in SIZES.items() if fnmatchcase(name, pattern)), {})
    rng, made = np.random.default_rng(7), {}
    for each in session.get_inputs():
        declared = tuple(n if isinstance(n, int) and n > 0 else 1 for n in each.shape)
        shape, dtype = sizes.get(each.name, declared), _TYPES[each.type]
        if dtype == np.float32:
            made[each.name] = rng.random(shape, np.float32)
        else:
            made[each.name] = (
                np.full(shape, _RATE, dtype)
                if not shape
                else rng.integers(0, 255, shape).astype(dtype)
            )
    return made


def prepare(file: Path, folder: Path) -> Prepared:
    """Write the case of a file; what is expected is what ONNX Runtime gives."""
    options = import_onnx_runtime().SessionOptions()
    options.log_severity_level = 4
    (folder / EXPORT).symlink_to(file.resolve())
    session = import_onnx_runtime().InferenceSession(str(folder / EXPORT), options)
    feeds = feeds_for(session, file.name)
    np.savez(folder / EXPORT_FEEDS, **feeds)
    ours = {n: v.astype(np.int32) if v.dtype == np.int64 else v for n, v in feeds.items()}
    np.savez(folder / FEEDS, **ours)
    network = zoo.load(file).network
    outputs = [*network.outputs]
    network.execute(ours, outputs)
    write_case(folder, Case(str(file.resolve()), outputs, []))
    expected = session.run(None, feeds)
    return Prepared(folder, [OURS, "onnxruntime"], expected, False, [False] * len(expected), "")


def main() -> None:
    """Prepare the files, then print the times."""
    parser = argparse.ArgumentParser(description="ONNX files beside ONNX Runtime")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], metavar="N")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tries", type=int, default=1, help="to repeat a turn if disturbed")
    given = parser.parse_args()
    os.environ.setdefault(TIER, "2")
    cases: dict[str, Prepared] = {}
    with tempfile.TemporaryDirectory() as place:
        for file in files_in(given.files):
            folder = Path(place, file.stem)
            folder.mkdir()
            try:
                cases[file.stem] = prepare(file, folder)
            except CoreError as error:
                print(f"{file.stem:<32} is refused: {error}")
        for threads in given.threads:
            print(json.dumps(print_times(cases, threads, given.rounds, given.tries)))


if __name__ == "__main__":
    main()

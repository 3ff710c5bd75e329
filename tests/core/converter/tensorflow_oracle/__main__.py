"""``python -m tests.core.converter.tensorflow_oracle FOLDER``, or ``--zip FILE``."""

import argparse
import os
import tempfile
import zipfile
from pathlib import Path

# Before TensorFlow is imported: quiet, on the CPU, and without oneDNN, which rounds differently.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras
import numpy as np

from tests.core.converter.tensorflow_oracle.frozen import FROZEN
from tests.core.converter.tensorflow_oracle.saved import SAVED


def write_models(folder: Path) -> None:
    """Every model, and beside it what goes in and comes out."""
    os.chdir(folder)  # TensorFlow keeps paths
    for name, write in {**FROZEN, **SAVED}.items():
        keras.utils.set_random_seed(5)
        path = Path(f"{name}.pb" if name in FROZEN else name)
        for signature, (given, expected) in write(path, np.random.default_rng(5)).items():
            arrays = {f"in {key}": value for key, value in given.items()}
            arrays |= {f"out {key}": np.asarray(value) for key, value in expected.items()}
            np.savez(f"{name}@{signature}.npz", **arrays)


def write_archive(folder: Path, path: Path) -> None:
    """All files of a folder, with no time or owner of theirs."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.name != "fingerprint.pb":
                entry = zipfile.ZipInfo(file.relative_to(folder).as_posix())
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, file.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.core.converter.tensorflow_oracle")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--zip", type=Path)
    arguments = parser.parse_args()
    if arguments.folder:
        write_models(arguments.folder)
        return
    archive = arguments.zip.resolve()
    with tempfile.TemporaryDirectory() as folder:
        write_models(Path(folder))
        write_archive(Path(folder), archive)


if __name__ == "__main__":
    main()

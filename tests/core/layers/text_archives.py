"""Archives of Keras whose vocabulary lies beside the config, as Keras's adapt() leaves it."""

import json
import zipfile
from pathlib import Path

import core


def write_with_vocabulary(folder: Path, vocabulary: bytes | None) -> Path:
    """A model of one TextVectorization; None: without the file of the vocabulary."""
    text, path = core.layers.TextVectorization(vocabulary=["a", "b"]), folder / "changed.keras"
    whole = folder / "whole.keras"
    core.Sequential([core.layers.Input((1,), dtype="string"), text]).save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "config.json":
                config = json.loads(data)
                config["config"]["layers"][1]["config"]["vocabulary"] = None
                data = json.dumps(config).encode()
            new.writestr(name, data)
        if vocabulary is not None:
            new.writestr("assets/layers/text_vectorization/vocabulary.txt", vocabulary)
    whole.unlink()
    return path

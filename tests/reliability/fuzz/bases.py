"""The whole files that are damaged: small ones, all from generators and records of these tests."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.reliability.fuzz import (
    documents,
    graph_files,
    kept_files,
    labelled_files,
    layer_files,
    onnx_files,
    picture_files,
    result_files,
    taught_files,
    text_files,
    text_tables,
    tflite_files,
    trained_files,
    uses,
)
from tests.reliability.fuzz.uses import Use, run_model
from tests.reliability.fuzz.writers import Writers


class Base(NamedTuple):
    """The files of a model before they are damaged.

    Attributes:
        name: what it is a model of.
        opened: the path that is loaded, within the folder; "" is the folder itself.
        files: content by path within the folder.
    """

    name: str
    opened: str
    files: Mapping[str, bytes]

    def write(self, folder: Path) -> Path:
        """Write all files; the path to load."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder / self.opened


class Form(NamedTuple):
    """A form of files.

    Attributes:
        writers: gives the writers of its bases.
        use: what users do with a file.
        package: what writes the files, which users need not have.
        passes_over: whether most damage is no error, as parts are left out or not read.
    """

    writers: Callable[[], Writers]
    use: Use = run_model
    package: str = "numpy"
    passes_over: bool = False


#: All forms; new ones come last, as the number of a form is part of the seed of its cases.
FORMATS: Mapping[str, Form] = {
    "tflite": Form(tflite_files.writers, package="ai_edge_litert"),
    "h5": Form(layer_files.h5_writers, package="h5py"),
    "keras": Form(layer_files.keras_writers, package="h5py"),
    "layers": Form(layer_files.web_writers),
    "teachable": Form(layer_files.teachable_writers),
    "frozen": Form(graph_files.frozen_writers),
    "saved": Form(graph_files.saved_writers),
    "graph": Form(graph_files.web_writers),
    "weights": Form(documents.weights_writers, uses.read_weights),
    "gestures": Form(documents.gesture_writers, uses.learn_gestures),
    "labelled": Form(labelled_files.writers, package="ai_edge_litert"),
    "keras2": Form(layer_files.keras2_writers, package="h5py"),
    "snappy": Form(graph_files.compressed_writers),
    "texts": Form(text_files.writers, package="ai_edge_litert"),
    "trained": Form(trained_files.writers, uses.train_model, "h5py"),
    "trained_weights": Form(trained_files.weights_writers, trained_files.train_with_weights),
    "topologies": Form(trained_files.topology_writers, uses.train_topology),
    "knn": Form(taught_files.knn_writers, uses.learn_classes),
    "taught": Form(taught_files.taught_writers, uses.learn_images),
    "sessions": Form(picture_files.session_writers, uses.replay_session, "cv2"),
    "results": Form(result_files.writers, result_files.read_signed, "pyarrow"),
    "pictures": Form(picture_files.image_writers, uses.read_image),
    "videos": Form(picture_files.video_writers, uses.go_through_frames, "cv2"),
    "film_lists": Form(picture_files.video_writers, uses.read_listed_images, "cv2"),
    "picture_lists": Form(picture_files.list_writers, uses.read_listed_images, "pyarrow"),
    "picture_folders": Form(picture_files.folder_writers, uses.go_through_folder, passes_over=True),
    "tables": Form(text_tables.table_writers, uses.go_through_table),
    "image_tables": Form(text_tables.image_table_writers, uses.list_examples),
    "labels": Form(text_tables.label_writers, uses.classify_by_labels, "ai_edge_litert"),
    "kits": Form(kept_files.kit_writers, kept_files.install),
    "goldens": Form(kept_files.golden_writers, kept_files.compare_goldens),
    "logs": Form(text_tables.log_writers, uses.go_on_with_log, passes_over=True),
    "features": Form(kept_files.feature_writers, kept_files.use_features, passes_over=True),
    "onnx": Form(onnx_files.writers),
    "onnx_ops": Form(onnx_files.op_writers),
    "safetensors": Form(documents.safetensors_writers, uses.read_weights),
}


@cache
def bases(format: str) -> list[Base]:
    """All models of a format, in memory."""
    import tempfile

    found = []
    with tempfile.TemporaryDirectory() as made:
        for i, (name, write) in enumerate(sorted(FORMATS[format].writers().items())):
            folder = Path(made) / str(i)
            folder.mkdir()
            opened = write(folder).relative_to(folder)
            files = {
                str(f.relative_to(folder)): f.read_bytes()
                for f in sorted(folder.rglob("*"))
                if f.is_file()
            }
            found.append(Base(name, "" if opened == Path() else str(opened), files))
    return found

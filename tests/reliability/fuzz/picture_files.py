"""Pictures of every ending, videos, recordings, and what lists pictures: archives and tables."""

import io
import tarfile
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.helpers import require_opencv
from tests.reliability.fuzz.containers import PACKED_ENDINGS
from tests.reliability.fuzz.writers import Writers
from tests.reliability.test_image_mutations import OPTIONS, image_of, sample
from zoo.images.files import image_endings
from zoo.jobs.archives import ARCHIVE_ENDINGS
from zoo.jobs.tables import TABLE_ENDINGS
from zoo.jobs.videos import VIDEO_ENDINGS
from zoo.live.recording import Recorder

#: Codecs of OpenCV, of which the first that a container takes is used.
_CODECS = ("mp4v", "FLV1", "VP80", "MJPG")
#: Modes of images, of which the first that a format takes is used.
_MODES = ("RGB", "L", "1", "F")


# Pictures


def image_writers() -> Writers:
    """One of each ending that can be written, and of the options of formats."""
    plain = {ending[1:]: partial(_write_bytes, ending, data) for ending, data in _plain()}
    return plain | {name: partial(_write_sample, name) for name in OPTIONS}


def _plain() -> Iterator[tuple[str, bytes]]:
    """Endings and pictures of formats that Pillow writes, as well as reads."""
    for ending in sorted(image_endings()):
        for mode in _MODES:
            with suppress(KeyError, OSError, ValueError), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of formats that Pillow drops
                file = io.BytesIO()
                image_of(mode).save(file, Image.registered_extensions()[ending])
                yield ending, file.getvalue()
                break


def _write_bytes(ending: str, data: bytes, folder: Path) -> Path:
    path = folder / f"picture{ending}"
    path.write_bytes(data)
    return path


def _write_sample(name: str, folder: Path) -> Path:
    return _write_bytes("", sample(name), folder)


@cache
def _pictures() -> Mapping[str, bytes]:
    return {f"{i}.{kind.lower()}": sample(kind) for i, kind in enumerate(("PNG", "JPEG", "GIF"))}


# Videos and recordings


def video_writers() -> Writers:
    """A few frames in each container, and in formats of images."""
    animations = {
        name: partial(_write_bytes, ending, sample(name))
        for name, ending in {
            "GIF": ".gif",
            "PNG animation": ".png",
            "WEBP animation": ".webp",
            "TIFF lzw": ".tiff",
        }.items()
    }
    return animations | {ending[1:]: partial(_write_video, ending) for ending in VIDEO_ENDINGS}


def _write_video(ending: str, folder: Path) -> Path:
    cv2: Any = require_opencv()
    path = folder / f"video{ending}"
    for codec in _CODECS:
        code = cv2.VideoWriter_fourcc(*codec)
        writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, code, 10, (64, 48))
        if writer.isOpened():
            for level in range(0, 240, 40):
                writer.write(np.full((48, 64, 3), level, np.uint8))
            writer.release()
            return path
    raise RuntimeError(f"no codec for {ending}")


def session_writers() -> Writers:
    """Recordings of poses, with a change of size, and of masks."""
    return {"poses": _write_poses, "masks": _write_masks}


def _write_poses(folder: Path) -> Path:
    sizes = [(16, 12), (16, 12), (17, 11)]
    return _write_session(folder, [_moment(i, size, []) for i, size in enumerate(sizes)])


def _write_masks(folder: Path) -> Path:
    mask = np.eye(12, 16, dtype=np.uint8)
    result = {"mask": mask, "labels": ["background", "person"], "probability": mask / np.float32(3)}
    return _write_session(folder, [_moment(i, (16, 12), result) for i in range(2)])


def _write_session(folder: Path, moments: list[Any]) -> Path:
    with Recorder(folder / "session.zoo", {"task": "pose", "options": {}}) as recorder:
        for moment in moments:
            recorder.add(moment)
    return folder / "session.zoo"


def _moment(index: int, size: tuple[int, int], result: Any) -> dict[str, Any]:
    frame = np.random.default_rng(index).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    found = {"frame": frame, "result": result, "ids": [index], "events": [], "values": [{}]}
    return {"index": index, "time": index / 3, **found, "milliseconds": 1.0, "fps": 3.0}


# What lists pictures


def list_writers() -> Writers:
    """Archives and tables of all endings, each with the pictures that it lists."""
    archives = {ending[1:]: partial(_write_archive, ending) for ending in ARCHIVE_ENDINGS}
    return archives | {ending[1:]: partial(_write_table, ending) for ending in TABLE_ENDINGS}


def _write_archive(ending: str, folder: Path) -> Path:
    path = folder / f"pictures{ending}"
    if ending == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, data in _pictures().items():
                zipped.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
        return path
    packing = (form for form, endings in PACKED_ENDINGS.items() if ending.endswith(endings))
    with tarfile.open(path, f"w:{next(packing, '')}") as tar:
        for name, data in _pictures().items():
            member = tarfile.TarInfo(f"folder/{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def _write_table(ending: str, folder: Path) -> Path:
    for name, data in _pictures().items():
        (folder / name).write_bytes(data)
    path, names = folder / f"pictures{ending}", list(_pictures())
    if ending == ".parquet":
        import pyarrow
        from pyarrow import parquet

        rows = {"path": names, "number": [*range(len(names))]}
        parquet.write_table(pyarrow.table(rows), path)
        return path
    mark = "\t" if ending == ".tsv" else ","
    lines = [f"number{mark}path", *(f'{i}{mark}"{name}"' for i, name in enumerate(names))]
    path.write_text("\n".join(lines) + "\n")
    return path


def folder_writers() -> Writers:
    """A folder with a folder of pictures for each class."""
    return {"classes": _write_folder}


def _write_folder(folder: Path) -> Path:
    for label in ("cats", "dogs"):
        (folder / label).mkdir()
        for name, data in _pictures().items():
            (folder / label / name).write_bytes(data)
    return folder

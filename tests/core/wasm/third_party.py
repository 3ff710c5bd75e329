"""Modules of others: TensorFlow.js's backend, with and without SIMD and threads."""

import subprocess
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path
from shutil import which

from filelock import FileLock
from platformdirs import user_cache_path

from tests.helpers import skip_or_fail

PACKAGE = "@tensorflow/tfjs-backend-wasm@4.22.0"

#: Files in the package's folder dist, with their SHA-256.
FILES = {
    "tfjs-backend-wasm-simd.wasm": (
        "77ebb28a6d34f371dbbf2086b7f2de8994acd8ea5a3cf1fa24d2c26c840cac7b"
    ),
    "tfjs-backend-wasm-threaded-simd.wasm": (
        "c052228d4bef185c27bbe59a9e029570c78bbb9f08b3cb46b597851650373de2"
    ),
    "tfjs-backend-wasm.wasm": ("70a5d516060464e5269f01c74bac1772d6b8ab6cb612acf16b5cdaf61f78d892"),
}


def file_of(name: str) -> Path:
    """The path of a file, from the user's cache or from npm."""
    folder = user_cache_path("friendly-zoo") / "wasm_packages"
    path = folder / name
    if not path.is_file():
        if which("npm") is None:
            skip_or_fail("there is no npm")
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "installing.lock"):  # other test processes want it, too
            if not path.is_file():
                _unpack(folder)
    assert sha256(path.read_bytes()).hexdigest() == FILES[name]
    return path


def _unpack(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as packed:
        command = ["npm", "pack", "--silent", "--pack-destination", packed, PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            skip_or_fail(f"npm does not get {PACKAGE}: {done.stderr[-300:]}")
        (archive,) = Path(packed).iterdir()
        with tarfile.open(archive) as tar:
            for name in FILES:
                stored = tar.extractfile(f"package/dist/{name}")
                assert stored is not None
                (folder / name).write_bytes(stored.read())

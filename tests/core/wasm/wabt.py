"""Debian's wabt: its validator and translators of the text format."""

import subprocess
from pathlib import Path
from shutil import which

from tests.helpers import skip_or_fail

FEATURES = ("--enable-threads", "--enable-relaxed-simd")


def require() -> None:
    """wabt is installed, or the test does not run."""
    if which("wasm-validate") is None:
        skip_or_fail("Debian's package wabt is not installed: apt install wabt")


def validate(path: Path) -> str:
    """The error of wasm-validate, or ""."""
    done = subprocess.run(
        ["wasm-validate", *FEATURES, str(path)], capture_output=True, text=True, errors="replace"
    )
    return "" if done.returncode == 0 else done.stderr or done.stdout or "refused"


def to_text(path: Path) -> str:
    """The text that wasm2wat writes."""
    command = ["wasm2wat", *FEATURES, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def to_binary(path: Path) -> bytes:
    """The module that wat2wasm makes of a text."""
    out = path.with_suffix(".out.wasm")
    command = ["wat2wasm", *FEATURES, str(path), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    return out.read_bytes()


def validate_many(paths: list[Path], workers: int = 3) -> list[str]:
    """`validate` of many files, with a shell that starts few processes at a time."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(validate, paths))

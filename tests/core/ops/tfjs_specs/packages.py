"""Gets the npm packages and makes one file of their specs and our Node side."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from filelock import FileLock
from platformdirs import user_cache_path

HERE = Path(__file__).resolve().parent
PACKAGES = (
    "@tensorflow/tfjs-core@4.22.0",
    "@tensorflow/tfjs-backend-cpu@4.22.0",
    "esbuild@0.25.0",
    "jasmine-core@4.6.1",
    "seedrandom@3.0.5",
)
INSTALLING = ("--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1")

# The specs are modules for bundlers: imports without extensions, mixed with require().
BUNDLING = (
    "--bundle",
    "--platform=node",
    "--main-fields=module,main",  # one copy of tfjs-core: the modules that the specs import
    "--ignore-annotations",
    "--external:jasmine-core",
)


class CannotRunError(Exception):
    """Node or the npm packages cannot be had here."""


def bundle() -> Path:
    """A file for Node; the packages are installed on the first run."""
    if not shutil.which("node") or not shutil.which("npm"):
        raise CannotRunError("needs Node and npm")
    folder = user_cache_path("friendly-zoo") / "tfjs_specs"
    folder.mkdir(parents=True, exist_ok=True)
    modules = folder / "node_modules"
    with FileLock(folder / "installing.lock"):  # other test processes want them, too
        _install(folder, modules / "installed")
    for source in HERE.glob("*.mjs"):
        shutil.copy(source, folder)
    (folder / "spec_files.mjs").write_text(_spec_files(modules / "@tensorflow/tfjs-core/dist"))
    output = folder / f"bundle-{os.getpid()}.cjs"
    esbuild = modules / ".bin" / "esbuild"
    run_checked([esbuild, "specs.mjs", *BUNDLING, f"--outfile={output}"], cwd=folder)
    return output.replace(folder / "bundle.cjs")  # at once: another run may be reading it


def _install(folder: Path, stamp: Path) -> None:
    if not stamp.is_file() or stamp.read_text().split() != list(PACKAGES):
        run_checked(["npm", "install", *INSTALLING, "--prefix", folder, *PACKAGES])
        stamp.write_text("\n".join(PACKAGES))


def _spec_files(dist: Path) -> str:
    """A module that lists every spec file with a function that loads it."""
    files = sorted(f.relative_to(dist).as_posix() for f in dist.glob("**/*_test.js"))
    lines = [f"  ['{f}', () => require('@tensorflow/tfjs-core/dist/{f}')]," for f in files]
    return "\n".join(["export const SPEC_FILES = [", *lines, "];", ""])


def run_checked(command: list[Any], **options: Any) -> None:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        raise CannotRunError(f"{Path(command[0]).name} failed: {done.stderr[-500:]}")

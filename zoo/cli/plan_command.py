"""``zoo plan``: what the network of a model runs, and how long each step takes."""

import argparse
import json
import os
from pathlib import Path
from typing import Any

import zoo
from core.plan.plan_report import step_rows
from weights_cache.atomic_files import replacing
from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption
from zoo.cli.terminal import say_written, show
from zoo.images.reading import read_image
from zoo.pipeline.model import Model


def declare_plan(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``zoo plan``."""
    command.add_argument("name", metavar="NAME", help="see 'zoo models'; or the path of a model")
    command.add_argument(
        "image", metavar="IMAGE", nargs="?", help="a file or URL: also time each step on this image"
    )
    command.add_argument(
        "--repeat", type=_count, default=10, metavar="N", help="number of timed runs (default: 10)"
    )
    command.add_argument(
        "--chrome-trace", metavar="OUT.json", help="with an image: write the times for Perfetto"
    )
    command.add_argument("--json", action="store_true", help="exact JSON, all on one line")
    command.add_argument("--backend", metavar="B", help="backend to run on; see 'zoo doctor'")
    command.add_argument("--signature", metavar="NAME", help="signature of a SavedModel to load")
    command.set_defaults(run=_run_plan)


def _count(text: str) -> int:
    """Return an integer, 1 or more."""
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} must be an integer, 1 or more")
    return int(text)


def _run_plan(given: argparse.Namespace) -> int:
    if given.chrome_trace and not given.image:
        raise ZooError("--chrome-trace writes times: give an image to run the model on")
    with zoo.load(given.name, backend=given.backend, signature=given.signature) as model:
        plan = model.plan()
        profile = _profile(model, given) if given.image else None
    if given.json:
        _print_document(given.name, plan, profile)
    else:
        show(plan if profile is None else profile)
    if given.chrome_trace and profile is not None:
        _save(profile.to_chrome_trace(), given.chrome_trace)
    return 0


def _save(trace: str, path: str) -> None:
    try:
        with replacing(Path(os.path.realpath(path))) as stream:
            stream.write(trace.encode())
    except OSError as error:
        pass_interruption(error)
        raise ZooError(f"cannot write {path!r}: {error.strerror}; give another file") from error
    say_written(path)


def _profile(model: Any, given: argparse.Namespace) -> Any:
    if not isinstance(model, Model):
        raise ZooError(
            f"{given.name!r} takes no images: leave IMAGE out, or time it in Python with "
            "zoo.load(...).profile(array)"
        )
    return model.profile(read_image(given.image), given.repeat)


def _print_document(name: str, plan: Any, profile: Any) -> None:
    document = {
        "model": name,
        "backend": plan.backend,
        "tier": plan.tier,
        "inputs": {name: spec._asdict() for name, spec in plan.inputs.items()},
        "outputs": {name: spec._asdict() for name, spec in plan.outputs.items()},
        "steps": step_rows(plan) if profile is None else profile.steps,
        "weight_bytes": plan.weight_bytes,
        "arena_bytes": plan.arena_bytes,
        "buffers": [buffer._asdict() for buffer in plan.placed],
    }
    if profile is not None:
        document |= {"total_ms": profile.total_ms, "runs": profile.runs}
    print(json.dumps(document))

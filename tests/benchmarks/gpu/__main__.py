"""Our shader backend beside PyTorch on one GPU, all in one run.

Run: ``python -m tests.benchmarks.gpu [--json FILE]`` on a machine with a GPU, PyTorch, and the
weights of the zoo (``ZOO_WEIGHTS_MIRROR``); ``--quick`` shows on any machine that it works.

- networks: GPU time of runs in a row, and end to end from a NumPy array to NumPy arrays. Ratios are
  the medians of those to PyTorch's CUDA graph in fp32 (NCHW) within a round: above 1 is faster.
  ``apart`` is how far outputs are from those of our cpu backend, as a part of their range.
- launches: the floor of a launch, measured by empty dispatches; networks say how many they have.
- matmul: GPU time, and the speed as a part of cuBLAS's in fp32.
- costs: microseconds of Python for an eager op and for a step of a plan.
- first: seconds to the first answer of PoseNet in a fresh process, by what caches hold.
- memory: bytes after many inferences.

Every side has a turn in every round, after 0.3 s of load so that the GPU's clock is up. Prints
short tables, and writes all as JSON: to ``--json``, else to ``gpu.json`` in the folder ``OUT``.
"""

import argparse
import json
import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import core
from core.graph_model.graph_model import GraphModel
from core.plan.plan import Plan
from tests.benchmarks.gpu import costs, fresh, launches, matrices, ours, torch_sides
from tests.benchmarks.gpu.measuring import QUICK, Effort, Side, apart, measured, rows
from tests.benchmarks.gpu.networks import SUBJECTS, Subject
from tests.benchmarks.gpu.torch_reader import read_program

#: Of the range of outputs, in fp32: sums of other orders. More is marked in the table.
MOST_APART = 1e-4

LARGE_BATCH_CALLS = 60

LONGEST_FAILURE = 1500  # characters of a traceback that are printed; the JSON has all

COLUMNS = ("gpu_ms", "gpu_ratio", "e2e_ms", "e2e_ratio", "apart")


def networks(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Every network, by every side."""
    for name, make in SUBJECTS.items():
        if not _is_wanted(name, given):
            continue
        try:
            found = network(make(), given)
        except Exception:  # one that fails takes nothing from the others
            found = {"failed": traceback.format_exc()}
        _show_network(name, found)
        yield {name: found}


def _effort(given: argparse.Namespace) -> Effort:
    return QUICK if given.quick else Effort(rounds=given.rounds)


def _is_wanted(name: str, given: argparse.Namespace) -> bool:
    if given.only:
        return any(part in name for part in given.only)
    return not (given.quick and name.endswith("b32"))  # minutes, without a GPU


def network(subject: Subject, given: argparse.Namespace) -> dict[str, Any]:
    """The rows of one network."""
    plan = GraphModel(subject.graph, "cpu").plan(subject.inputs)
    expected = [value.numpy() for value in plan.run(_fed(plan, subject)).values()]
    our_plan = ours.OurPlan(subject, given.backend)
    sides: dict[str, Side] = {"core plan": our_plan}
    sides["core predict"] = ours.OurModel(our_plan, subject)
    others, failures = _torch_sides(plan, subject.pictures, given.compile)
    sides |= others
    effort = _effort(given)
    if len(subject.pictures) > 1:
        effort = effort._replace(calls=min(effort.calls, LARGE_BATCH_CALLS))
    differences = {name: _apart(side, expected) for name, side in sides.items()}
    table = rows(measured(sides, effort), _reference(others))
    for name, difference in differences.items():
        table[name]["apart"] = difference
    steps, dispatches = len(our_plan.plan.steps), our_plan.dispatches
    issued = round(1e6 * our_plan.issued_seconds(effort.calls) / steps, 2)
    counts = {"steps": steps, "dispatches": dispatches}
    return {**counts, "issued_us_a_step": issued, "rows": table, "failures": failures}


def _fed(plan: Plan, subject: Subject) -> dict[str, np.ndarray]:
    return dict(zip(plan.inputs, subject.inputs.values(), strict=True))


def _torch_sides(
    plan: Plan, pictures: np.ndarray, compile: str
) -> tuple[dict[str, Side], dict[str, str]]:
    """What PyTorch can do here, and why it cannot do the rest."""
    module, sides, failures = read_program(plan.program), {}, {}
    for name, way in torch_sides.ways(compile).items():
        try:
            sides[name] = torch_sides.TorchSide(module, pictures, way)
            sides[name].run()
        except Exception as error:  # compilers fail in many ways
            sides.pop(name, None)
            failures[name] = f"{type(error).__name__}: {error}"[:400]
    return sides, failures


def _reference(sides: Mapping[str, Side]) -> str:
    """The CUDA graph, or what there is without CUDA."""
    return torch_sides.REFERENCE if torch_sides.REFERENCE in sides else next(iter(sides))


def _apart(side: Side, expected: list[np.ndarray]) -> float | None:
    """How far a side is off; of a model by name, whose outputs have another order: None."""
    if isinstance(side, ours.OurModel):
        return None
    side.begin()
    found = side.run()
    if isinstance(side, torch_sides.TorchSide):
        found = [f.transpose(0, 2, 3, 1) if f.ndim == 4 else f for f in found]
    return apart(found, expected)


def matmul(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Products of two sizes."""
    sizes = (64, 96) if given.quick else (1024, 4096)
    for size in sizes:
        table = matrices.compared(size, given.backend, _effort(given))
        for name, row in table.items():
            shown = f"{row['ms']:>9.4f} ms {row['gflops']:>8} GFLOP/s {row['of_cublas']:>7.1%}"
            print(f"matmul {size:<6} {name:<22} {shown}   apart {row['apart']:.1e}", flush=True)
        yield {str(size): table}


def empty_launches(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """With barriers, as steps that read what the last one wrote need them, and without."""
    rounds = 2 if given.quick else 20
    for count in (10, 20) if given.quick else (100, 1000):
        for has_barriers in (True, False):
            found = launches.floor(count, has_barriers, rounds)
            name = f"{count} empty, {'with' if has_barriers else 'no'} barriers"
            print(f"{name:<26}", *(f"{key} {value}" for key, value in found.items()), flush=True)
            yield {name: found}


def python_costs(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Of eager ops and of recorded steps."""
    rounds, count = (2, 50) if given.quick else (30, 1000)
    rows = {
        "core eager op": lambda: costs.eager_op(given.backend, count, rounds),
        "torch eager op": lambda: costs.torch_eager_op(count, rounds),
        "recorded step": lambda: costs.recorded_step(given.backend, rounds),
    }
    for name, row in rows.items():
        found = row()
        print(f"{name:<22}", *(f"{key} {value}" for key, value in found.items()), flush=True)
        yield {name: found}


def first(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """First answers of fresh processes."""
    found = fresh.first_inferences(given.backend, 1 if given.quick else 5)
    for state, row in found.items():
        print(f"first, {state:<10}", *(f"{k} {v:.3f}" for k, v in row.items()), flush=True)
    yield found


def memory(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Whether it stays flat."""
    found = fresh.memory_apart(given.backend, 20 if given.quick else 10_000)
    for row in found:
        print("memory", *(f"{key} {value}" for key, value in row.items()), flush=True)
    yield {"after": found}


def _show_network(name: str, found: Mapping[str, Any]) -> None:
    if "failed" in found:
        print(f"{name} failed:\n{found['failed'][-LONGEST_FAILURE:]}", flush=True)
        return
    counts = f"{found['steps']} steps, {found['dispatches']} dispatches"
    print(f"{name}: {counts}, each step issued in {found['issued_us_a_step']} us")
    print(f"{'':<34}", *(f"{column:>10}" for column in COLUMNS))
    for side, row in found["rows"].items():
        print(f"{side:<34}", *(f"{_cell(side, key, row.get(key)):>10}" for key in COLUMNS))
    for side, why in found["failures"].items():
        print(f"{side:<34} failed: {why}")
    print(flush=True)


def _cell(side: str, key: str, value: float | None) -> str:
    if value is None:
        return "-"
    if key != "apart":
        return f"{value:.3f}"
    is_rounded = any(word in side for word in ("TF32", "fp16"))
    return f"{value:.0e}" + ("!" if value > MOST_APART and not is_rounded else "")


def machine() -> dict[str, Any]:
    """What it runs on."""
    import torch

    name = torch.cuda.get_device_name() if torch_sides.has_cuda() else "no CUDA"
    return {"gpu": name, "torch": torch.__version__, "numpy": np.__version__}


RUNS: dict[str, Callable[[argparse.Namespace], Iterator[dict[str, Any]]]] = {
    "networks": networks,
    "launches": empty_launches,
    "matmul": matmul,
    "costs": python_costs,
    "first": first,
    "memory": memory,
}


def main(given: argparse.Namespace) -> None:
    """Run the parts, and write all that there is after each network and each part."""
    if given.in_this_thread:
        core.start_shader(in_this_thread=True)
    ours.check_backend(given.backend)
    folder = os.environ.get("OUT")
    path = given.json or (Path(folder, "gpu.json") if folder else None)
    found: dict[str, Any] = {"machine": machine(), "effort": _effort(given)._asdict()}
    print(found["machine"], flush=True)
    for part in given.parts:
        started = perf_counter()
        found[part] = {}
        for result in _results(part, given):
            found[part] |= result
            if path:
                path.write_text(json.dumps(found, indent=1))
        print(f"({part}: {perf_counter() - started:.0f} s)\n", flush=True)


def _results(part: str, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What a part finds, piece by piece, or how it failed: the others go on."""
    try:
        yield from RUNS[part](given)
    except Exception:
        print(f"{part} failed:\n{traceback.format_exc()[-LONGEST_FAILURE:]}", flush=True)
        yield {"failed": traceback.format_exc()}


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="our shader backend beside PyTorch")
    parser.add_argument("parts", nargs="*", default=list(RUNS), help=f"of {', '.join(RUNS)}")
    parser.add_argument("--only", action="append", help="networks with this in their name")
    parser.add_argument("--compile", choices=torch_sides.WAYS, default="fp32")
    parser.add_argument("--rounds", type=int, default=Effort().rounds)
    parser.add_argument("--quick", action="store_true", help="hardly any repeats")
    parser.add_argument("--backend", default="shader")
    parser.add_argument("--in-this-thread", action="store_true", help="as core.start_shader has it")
    parser.add_argument("--json", type=Path, help="where to write everything")
    given = parser.parse_args()
    unknown = [part for part in given.parts if part not in RUNS]
    if unknown:
        parser.error(f"no part {', '.join(unknown)}: use {', '.join(RUNS)}")
    return given


if __name__ == "__main__":
    main(parsed())

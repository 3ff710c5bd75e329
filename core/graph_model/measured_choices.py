"""The backends that were measured to be the faster ones, kept on disk for later processes.

A choice holds for a network, the shapes of its inputs, the outputs that were asked for, and for
all that decides the times: device, driver, versions, CPU, threads and tier. After a change of any
of them it is measured anew. What cannot be read or written is measured in each process.
"""

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

import core.backends.renderers as renderers

# "from core import" would import all ops.
import core.process.code_cache as code_cache
from core.backends.automatic import CHOICE_FILES
from core.backends.cpu.codegen.machine_code.cpu_features import compiler_version, host_cpu
from core.backends.cpu.threads import thread_count
from core.backends.cpu.tiers import get_tier
from core.backends.shader.runtime.starting import settings_text
from core.graph.nodes import Graph
from core.process.digests import DIGEST_BYTES, blake2b
from core.process.source_stamp import source_stamp

#: Part of the key, to be changed with the format.
_FORMAT = "choice 1"

#: Number of inputs on which the backends must differ: on a black image, say, rounding decides which
#: of many equal values is the largest.
MOST_DIFFERING = 3

#: Characters of a reason that are kept.
_LONGEST_REASON = 300

#: Bytes of an array's begin, middle and end that count; of smaller arrays all do.
_PART = 1 << 16


class Choice(NamedTuple):
    """The backend for inputs of some shapes, and why.

    Attributes:
        backend: ``"cpu"`` or ``"shader"``.
        cpu_ms: median milliseconds of a run on cpu; 0 if it was not timed.
        shader_ms: likewise on shader.
        reason: why cpu was taken, if it was not for the time.
        is_lasting: whether the choice is worth keeping on disk.
        differing: number of inputs for which shader gave other values.
    """

    backend: str
    cpu_ms: float = 0.0
    shader_ms: float = 0.0
    reason: str = ""
    is_lasting: bool = True
    differing: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the next input may decide otherwise."""
        return 0 < self.differing < MOST_DIFFERING

    def text(self, what: str) -> str:
        """Return the choice in a line.

        >>> Choice("shader", 9.8, 4.1).text("[1, 257, 257, 3]")
        'shader for [1, 257, 257, 3], 4.1 ms beside 9.8 ms on cpu'
        """
        if self.reason:
            so_far = "; the next input decides" if self.is_open else ""
            return f"{self.backend} for {what}, as {self.reason}{so_far}"
        times = {"cpu": self.cpu_ms, "shader": self.shader_ms}
        mine = times.pop(self.backend)
        ((other, others),) = times.items()
        return f"{self.backend} for {what}, {mine:.3g} ms beside {others:.3g} ms on {other}"


class Call(NamedTuple):
    """The subject of a choice: name, shape and dtype of the inputs, and names of the outputs."""

    inputs: tuple[tuple[str, tuple[int, ...], str], ...]
    outputs: tuple[str, ...]

    @property
    def size(self) -> int:
        """Return the number of values of all inputs."""
        return sum(int(np.prod(shape)) for _, shape, _ in self.inputs)

    def text(self, all_outputs: Sequence[str]) -> str:
        """Return the shapes, and the outputs unless they are those of the network."""
        shapes = [f"{name} {list(shape)}" for name, shape, _ in self.inputs]
        inputs = ", ".join(shapes) if len(shapes) != 1 else str([*self.inputs[0][1]])
        is_all = [*self.outputs] == [*all_outputs]
        return inputs if is_all else f"{inputs} to {', '.join(self.outputs)}"


def call_of(inputs: Mapping[str, Any], outputs: Sequence[str]) -> Call:
    """Return what a choice is for, from the inputs by name."""
    specs = [(name, *_spec_of(value)) for name, value in inputs.items()]
    return Call(tuple(specs), tuple(outputs))


def _spec_of(value: Any) -> tuple[tuple[int, ...], str]:
    """Return shape and dtype of an input; none of what is no array, about which the run raises."""
    try:
        array = value if hasattr(value, "dtype") else np.asarray(value)
        return tuple(array.shape), _name_of(array.dtype)
    except (ValueError, TypeError, AttributeError):
        return (), ""


@cache
def _name_of(dtype: Any) -> str:
    return str(dtype)  # which takes NumPy a while


def file_key(network: str, call: Call) -> str:
    """Return the key under which a choice is kept.

    Args:
        network: digest of the graph.
        call: the call.
    """
    cpu = host_cpu()
    moderngl = find_spec("moderngl")
    status = os.stat(moderngl.origin) if moderngl is not None and moderngl.origin else None
    facts = (
        *(
            renderers.renderer_here(),
            settings_text(),
            status and (status.st_size, status.st_mtime_ns),
        ),
        *(source_stamp("core"), np.__version__, compiler_version(), get_tier()),
        *(cpu.name, sorted(cpu.features), thread_count()),
    )
    return CHOICE_FILES + code_cache.key_of(_FORMAT, *map(repr, facts), network, repr(call))


def keep_choice(key: str, choice: Choice) -> None:
    """Keep a choice on disk, if the code cache is usable."""
    document = [choice.backend, choice.cpu_ms, choice.shader_ms, choice.reason[:_LONGEST_REASON]]
    code_cache.keep(key, json.dumps(document).encode())


def load_choice(key: str) -> Choice | None:
    """Return the choice of a key; None without a valid one."""
    try:
        backend, cpu_ms, shader_ms, reason = json.loads(code_cache.load(key) or b"")
        choice = Choice(str(backend), float(cpu_ms), float(shader_ms), str(reason))
    except (ValueError, TypeError):
        return None
    is_valid = choice.backend in ("cpu", "shader") and isfinite(choice.cpu_ms + choice.shader_ms)
    return choice if is_valid else None


def network_digest(graph: Graph) -> str:
    """Return a hash of a graph and of its weights, of which those of large arrays count in part."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    ends = graph.inputs, graph.outputs, graph.aliases, graph.quantizations
    digest.update(repr((graph.nodes, graph.functions, ends)).encode())
    for name, array in graph.weights.items():
        digest.update(repr((name, array.shape, array.dtype)).encode())
        digest.update(_sample(array))
    return digest.hexdigest()


def _sample(array: np.ndarray) -> bytes:
    """Return the bytes of an array, of a large one its begin, middle and end."""
    if array.dtype.hasobject:
        return repr(array.tolist()).encode()
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if data.size <= 3 * _PART:
        return data.tobytes()
    middle = data.size // 2
    return b"".join(
        d.tobytes() for d in (data[:_PART], data[middle : middle + _PART], data[-_PART:])
    )

"""Common parts of all programs: lengths, values, functions, and steps of epilogues."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from math import prod
from typing import NamedTuple

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import GLSL_TYPES, MemoryLayout
from core.backends.shader.codegen.kernel_language import Dispatch, EpilogueStep, literal
from core.backends.shader.codegen.library import functions_for
from core.backends.shader.codegen.tiles.held import EXTENSION
from core.engine.specs import Shape

_NUMBERS = """#define NAN intBitsToFloat(0x7fc00000)
#define INF intBitsToFloat(0x7f800000)
#if __VERSION__ >= 400 || defined(GL_ARB_gpu_shader5)
#define EXACT precise
#else
#define EXACT
#endif"""

#: OpenGL 3.3 has no ``precise``, but nearly all of its drivers have the extension that brings it.
_DRAWN = ("#version 330", "#extension GL_ARB_gpu_shader5 : enable")

#: Groups of a compute shader along each axis; (0, 0, 0) of what is drawn.
Groups = tuple[int, int, int]


class ShaderText(NamedTuple):
    """The source of a program, and its bindings.

    Attributes:
        text: GLSL of the compute or fragment shader.
        inputs: names in the order of their bindings, which begin at 0; the result comes last.
        ints: content of the uniform array ``ints``.
        floats: content of the uniform array ``floats``.
        groups: groups of a compute shader; else (0, 0, 0).
    """

    text: str
    inputs: tuple[str, ...]
    ints: tuple[int, ...]
    floats: tuple[float, ...]
    groups: Groups

    @property
    def is_drawn(self) -> bool:
        """Return whether the program is a fragment shader."""
        return self.groups == (0, 0, 0)


class Writer(ABC):
    """Writer of the program of a dispatch; see `program_source.write`."""

    def __init__(
        self,
        made: Dispatch,
        layouts: Mapping[str, MemoryLayout],
        to: MemoryLayout,
        baked: bool,
    ):
        self.made, self.layouts, self.to = made, layouts, to
        self.baked = baked
        self.in_textures = to.kind == "texture"
        self.ints: list[int] = []
        self.floats: list[float] = []
        self.out: Shape = made.to.shape
        self.shapes: dict[str, Shape] = {n: s.shape for n, s in made.inputs.items()}
        self.inputs = [*made.inputs]
        steps = enumerate(made.epilogue)
        self.inputs += [epilogue_name(i, n) for i, step in steps for n in step.inputs]

    @abstractmethod
    def body(self) -> tuple[str, Groups]:
        """Return declarations, main and the number of groups; a subclass may change ``inputs``."""

    @property
    @abstractmethod
    def local_size(self) -> int:
        """Return the threads of a group of a compute shader."""

    def program(self) -> ShaderText:
        """Return the complete program."""
        body, groups = self.body()
        head = [*_DRAWN]
        if not self.in_textures:
            head = ["#version 430", f"layout(local_size_x = {self.local_size}) in;"]
            if "f16vec4" in body:
                head.insert(1, f"#extension {EXTENSION} : require")
        # Functions come first: what a kernel calls its numbers may be a name in them, too.
        texts = [*head, _NUMBERS, functions_for(body), *self._uniforms(body), body]
        text = "\n".join(t for t in texts if t) + "\n"
        return ShaderText(text, (*self.inputs,), (*self.ints,), (*self.floats,), groups)

    def steps(self) -> list[str]:
        """Return a function for each step of the epilogue."""
        found = []
        for i, step in enumerate(self.made.epilogue):
            found.append(step_function(f"finish_{i}", step))
        return found

    def _uniforms(self, body: str) -> list[str]:
        """Return lengths and values that the text uses, as constants or parts of two uniforms."""
        lengths = self._lengths()
        used = dict.fromkeys(re.findall(r"\b\w+\b", body))
        lines = []
        for name in used:
            if name in lengths:
                lines.append(self._number(name, lengths[name]))
            elif name in self.made.values:
                lines.append(self._number(name, self.made.values[name]))
        if self.ints:
            lines.insert(0, f"uniform int ints[{len(self.ints)}];")
        if self.floats:
            lines.insert(0, f"uniform float floats[{len(self.floats)}];")
        return lines

    def _number(self, name: str, value: float) -> str:
        if self.baked:
            return f"#define {name} {literal(value)}"
        if isinstance(value, (float, np.floating)):
            self.floats.append(value)
            return f"#define {name} floats[{len(self.floats) - 1}]"
        self.ints.append(int(value))
        return f"#define {name} ints[{len(self.ints) - 1}]"

    def _lengths(self) -> dict[str, int]:
        """Return ``x_0``, ``x_size`` and similar lengths by name."""
        if self.made.kind not in ("map", "each"):
            return {}
        found: dict[str, int] = {}
        for name, shape in {**self.shapes, "out": self.out}.items():
            found.update({f"{name}_{axis}": n for axis, n in enumerate(shape)})
            found[f"{name}_size"] = prod(shape)
        return found


def epilogue_name(step: int, name: str) -> str:
    """Return the name of an epilogue step's input among the inputs of the dispatch."""
    return f"e{step}_{name}"


def middle_name(step: int, name: str) -> str:
    """Return the name of an input of a step in the middle of a tile."""
    return f"m{step}_{name}"


def step_function(name: str, step: EpilogueStep) -> str:
    """Return GLSL of a step as a function of ``here`` and its inputs, of their dtypes."""
    given = [f"{GLSL_TYPES[source.dtype]} {n}" for n, source in step.inputs.items()]
    operands = ", ".join(["float here", *given])
    return f"float {name}({operands}) {{ {returning(step.text)} }}"


def returning(text: str) -> str:
    """Return the body of a function; an expression becomes a return statement."""
    return text if re.search(r"\breturn\b", text) else f"return {text};"

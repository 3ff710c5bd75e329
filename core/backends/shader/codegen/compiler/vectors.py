"""Programs whose generators read and make four values at once: tiles and drawings."""

import re
from collections.abc import Sequence
from math import prod

from core.backends.shader.codegen.compiler.broadcasting import broadcast_index, collapsed
from core.backends.shader.codegen.compiler.memory_layouts import (
    VECTORS,
    reader,
    stored_form,
    target_names,
    writer,
)
from core.backends.shader.codegen.compiler.writing import (
    Groups,
    Writer,
    epilogue_name,
    middle_name,
    step_function,
)
from core.backends.shader.codegen.tiles.held import FUNCTIONS
from core.engine.specs import Shape
from core.errors import CoreError


class VectorWriter(Writer):
    """Writer of dispatches of kind ``"tile"`` and ``"draw"``."""

    def numbered_readers(self, bindings: list[str]) -> list[str]:
        """Return ``x_4(i)``, ``x_raw(i)`` and ``x_1(i)`` of each input, if the text uses them.

        Args:
            bindings: names of bound inputs, extended by those of these readers.
        """
        parts: list[str] = []
        for name in self.made.inputs:
            for pattern, fours in (("4|raw", True), ("1", False)):
                if re.search(rf"\b{name}_({pattern})\b", self.made.text):
                    shown = name if fours else f"{name}_single"
                    parts.append(reader(shown, self.layouts[name], len(bindings), fours))
                    read = f"{shown}_{'fours' if fours else 'at'}"
                    parts.append(f"#define {name}_{4 if fours else 1}(i) {read}(i)")
                    bindings.append(name)
            if re.search(rf"\b{name}_raw\b", self.made.text):
                is_stored = self.layouts[name].half
                raw = f"{name}_data[i]" if is_stored else f"pack_fours({name}_fours(i))"
                parts.append(f"#define {name}_raw(i) {raw}")
        return parts

    def epilogue_lines(
        self, bindings: list[str], by_fours: bool, singly: bool
    ) -> tuple[list[str], list[str], list[str]]:
        """Return the epilogue as statements.

        Args:
            bindings: names of bound inputs, extended by those of the epilogue.
            by_fours: whether to write statements on four values.
            singly: whether to write statements on one value.

        Returns:
            Declarations; statements on vec4 ``v`` with index ``o``; statements on float ``v``.
        """
        parts = [*self.steps()]
        lines_4: list[str] = []
        lines_1: list[str] = []
        out = self.made.shown
        for i, step in enumerate(self.made.epilogue):
            fours: list[tuple[str, str]] = []
            ones: list[str] = []
            for n, source in step.inputs.items():
                name = epilogue_name(i, n)
                by_4 = fours_index(out, source.shape) if by_fours else None
                kind = VECTORS[source.dtype]
                if by_4 is not None:
                    parts.append(reader(name, self.layouts[name], len(bindings), fours=True))
                    bindings.append(name)
                    fours.append((kind, f"{name}_fours({by_4})"))
                if singly or (by_fours and by_4 is None):
                    shown = f"{name}_single"
                    parts.append(reader(shown, self.layouts[name], len(bindings)))
                    bindings.append(name)
                    ones.append(f"{shown}_at({broadcast_index(out, source.shape, 'o')})")
                    if by_4 is None:
                        numbers = [f"(4 * o + {k})" for k in range(4)]
                        given = [broadcast_index(out, source.shape, k) for k in numbers]
                        each = ", ".join(f"{shown}_at({g})" for g in given)
                        fours.append((kind, f"{kind}({each})"))
            lines_1.append(f"v = finish_{i}({', '.join(['v', *ones])});")
            lines_4 += by_components(f"finish_{i}", fours)
        return parts, lines_4, lines_1


def by_components(function: str, operands: Sequence[tuple[str, str]]) -> list[str]:
    """Return statements that apply a function of numbers to the components of vectors.

    Args:
        function: name of the function; its first argument is a component of ``v``.
        operands: GLSL type and value of each further vector.
    """
    names = [f"{function}_{k}" for k in range(len(operands))]
    lines = [f"{kind} {n} = {text};" for n, (kind, text) in zip(names, operands, strict=True)]
    calls = [f"{function}({', '.join(f'{n}.{c}' for n in ['v', *names])})" for c in "xyzw"]
    return [*lines, f"v = vec4({', '.join(calls)});"]


def fours_index(out: Shape, shape: Shape) -> str | None:
    """Return GLSL of an operand's vec4 index for the result's vec4 index ``o``.

    Returns:
        The expression; None if the four values are not adjacent.
    """
    lengths, (own,) = collapsed(out, [shape])
    if own == lengths and lengths:
        return "o"
    if lengths and own[-1] % 4 == 0 and own[-1] == lengths[-1]:
        return broadcast_index((*lengths[:-1], lengths[-1] // 4), (*own[:-1], own[-1] // 4), "o")
    return None


class TileWriter(VectorWriter):
    """Writer of dispatches of kind ``"tile"``."""

    @property
    def local_size(self) -> int:
        """Return the local size that the generator chose."""
        assert self.made.tile is not None
        return self.made.tile.local_size

    def body(self) -> tuple[str, Groups]:
        """Write readers of inputs and writers of the result, by the names that generators use."""
        tile = self.made.tile
        assert tile is not None
        bindings: list[str] = []
        text = tile.text
        readers = self.numbered_readers(bindings)
        whole = "\n".join([*readers, text])
        parts = [function for name, function in FUNCTIONS.items() if f"{name}(" in whole]
        parts += readers
        parts += self._middle(bindings)
        parts += self._epilogue(bindings, "store_4" in text, "store_1" in text)
        self.inputs = bindings
        return "\n".join([*parts, text]), tile.groups

    def _middle(self, bindings: list[str]) -> list[str]:
        """Return ``middle_4(c, v)`` of a tile: steps on vec4 number c of the channels."""
        if "middle_4" not in self.made.text:
            return []
        parts, lines = [], []
        for i, step in enumerate(self.made.middle):
            parts.append(step_function(f"middle_{i}", step))
            reads: list[tuple[str, str]] = []
            for n, source in step.inputs.items():
                name, single = middle_name(i, n), prod(source.shape) == 1
                parts.append(reader(name, self.layouts[name], len(bindings), fours=not single))
                bindings.append(name)
                kind = VECTORS[source.dtype]
                reads.append((kind, f"{kind}({name}_at(0))" if single else f"{name}_fours(c)"))
            lines += by_components(f"middle_{i}", reads)
        lines.append("return v;")
        return [*parts, f"vec4 middle_4(int c, vec4 v) {{ {' '.join(lines)} }}"]

    def _epilogue(self, bindings: list[str], by_fours: bool, singly: bool) -> list[str]:
        parts, lines_4, lines_1 = self.epilogue_lines(bindings, by_fours, singly)
        parts.append(writer(self.to, len(bindings), by_fours))
        if by_fours:
            form = stored_form(["v.x", "v.y", "v.z", "v.w"], self.to)
            lines_4.append(f"out_data[o] = {form};")
            parts.append(f"void store_4(int o, vec4 v) {{ {' '.join(lines_4)} }}")
        if singly:
            lines_1.append(f"out_data[o] = {stored_form(['v'], self.to)};")
            parts.append(f"void store_1(int o, float v) {{ {' '.join(lines_1)} }}")
        return parts


class DrawingWriter(VectorWriter):
    """Writer of dispatches of kind ``"draw"``."""

    local_size = 0

    def body(self) -> tuple[str, Groups]:
        """Write the generator's ``draw``, the epilogue on each texel, and main."""
        self._check_size()
        bindings: list[str] = []
        parts = self.numbered_readers(bindings)
        epilogue, lines, _ = self.epilogue_lines(bindings, by_fours=True, singly=False)
        self.inputs = bindings
        chunk, targets = self.to.chunk, target_names(self.to)
        vector = "ivec4" if self.made.dtype == "int32" else "vec4"
        parts += [
            *epilogue,
            f"{vector} finished(int o, {vector} v) {{ {' '.join([*lines, 'return v;'])} }}",
            writer(self.to, 0),
            f"{vector} made[{len(targets)}];",
            self.made.text,
            "void main() {",
            f"int o = int(gl_FragCoord.y) * {self.to.width} + int(gl_FragCoord.x);",
            f"if (o >= {chunk}) return;",
            "draw(o);",
            *(f"{name} = finished(o + {i * chunk}, made[{i}]);" for i, name in enumerate(targets)),
            "}",
        ]
        return "\n".join(parts), (0, 0, 0)

    def _check_size(self) -> None:
        if self.made.to.size % 4 or self.made.dtype not in ("float32", "int32"):
            raise CoreError(
                "a drawing makes float32 or int32 values, a multiple of four of them; here are "
                f"{self.made.to.size} of {self.made.dtype}: use map"
            )

"""Common parts of programs whose generators read and make four values at once."""

import re
from collections.abc import Sequence

from core.backends.shader.codegen.compiler.broadcasting import broadcast_index, collapsed
from core.backends.shader.codegen.compiler.memory_layouts import reader
from core.backends.shader.codegen.compiler.writing import Writer, epilogue_name
from core.specs import Shape


class VectorWriter(Writer):
    """Writer of dispatches of kind ``"tile"`` and ``"draw"``."""

    def numbered_readers(self, bindings: list[str]) -> list[str]:
        """Return ``x_4(i)`` and ``x_1(i)`` of each input, if the text uses them.

        Args:
            bindings: names of bound inputs, extended by those of these readers.
        """
        parts: list[str] = []
        for name in self.made.inputs:
            for count, fours in ((4, True), (1, False)):
                if re.search(rf"\b{name}_{count}\b", self.made.text):
                    shown = name if fours else f"{name}_single"
                    parts.append(reader(shown, self.layouts[name], len(bindings), fours))
                    read = f"{shown}_{'fours' if fours else 'at'}"
                    parts.append(f"#define {name}_{count}(i) {read}(i)")
                    bindings.append(name)
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
            fours: list[str] = []
            ones: list[str] = []
            for n, source in step.inputs.items():
                name = epilogue_name(i, n)
                by_4 = fours_index(out, source.shape) if by_fours else None
                if by_4 is not None:
                    parts.append(reader(name, self.layouts[name], len(bindings), fours=True))
                    bindings.append(name)
                    fours.append(f"{name}_fours({by_4})")
                if singly or (by_fours and by_4 is None):
                    shown = f"{name}_single"
                    parts.append(reader(shown, self.layouts[name], len(bindings)))
                    bindings.append(name)
                    ones.append(f"{shown}_at({broadcast_index(out, source.shape, 'o')})")
                    if by_4 is None:
                        numbers = [f"(4 * o + {k})" for k in range(4)]
                        given = [broadcast_index(out, source.shape, k) for k in numbers]
                        fours.append(f"vec4({', '.join(f'{shown}_at({g})' for g in given)})")
            lines_1.append(f"v = finish_{i}({', '.join(['v', *ones])});")
            lines_4 += by_components(f"finish_{i}", fours)
        return parts, lines_4, lines_1


def by_components(function: str, operands: Sequence[str]) -> list[str]:
    """Return statements that apply a function of floats to the components of vec4s."""
    names = [f"{function}_{k}" for k in range(len(operands))]
    lines = [f"vec4 {n} = {operand};" for n, operand in zip(names, operands, strict=True)]
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

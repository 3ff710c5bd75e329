"""What programs have in common whose generators read and make four values at once."""

import re
from collections.abc import Sequence

from core.backends.shader.codegen.compiler.broadcasting import broadcast_index, collapsed
from core.backends.shader.codegen.compiler.memory_layouts import reader
from core.backends.shader.codegen.compiler.writing import Writer, epilogue_name
from core.specs import Shape


class VectorWriter(Writer):
    """Of passes of kind ``"tile"`` and ``"draw"``."""

    def numbered_readers(self, bindings: list[str]) -> list[str]:
        """``x_4(i)`` and ``x_1(i)`` of each input, where the text has them.

        Args:
            bindings: names of what is bound; those of these readers are added.
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
        """The epilogue as statements.

        Args:
            bindings: names of what is bound; those of the epilogue are added.
            by_fours: whether statements on four values are wanted.
            singly: whether those on one value are.

        Returns:
            Declarations; statements on vec4 ``v`` of number ``o``; those on float ``v`` of its.
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
    """Statements that put vec4 ``v`` and other vec4s through a function of floats."""
    names = [f"{function}_{k}" for k in range(len(operands))]
    lines = [f"vec4 {n} = {operand};" for n, operand in zip(names, operands, strict=True)]
    calls = [f"{function}({', '.join(f'{n}.{c}' for n in ['v', *names])})" for c in "xyzw"]
    return [*lines, f"v = vec4({', '.join(calls)});"]


def fours_index(out: Shape, shape: Shape) -> str | None:
    """GLSL of which four values of an operand belong to the result's four of number ``o``.

    None where they do not lie together.
    """
    lengths, (own,) = collapsed(out, [shape])
    if own == lengths and lengths:
        return "o"
    if lengths and own[-1] % 4 == 0 and own[-1] == lengths[-1]:
        return broadcast_index((*lengths[:-1], lengths[-1] // 4), (*own[:-1], own[-1] // 4), "o")
    return None

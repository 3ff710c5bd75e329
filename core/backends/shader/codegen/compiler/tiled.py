"""Programs of tiles: compute shaders with a main function of the generator."""

from math import prod

from core.backends.shader.codegen.compiler.memory_layouts import reader, stored_form, writer
from core.backends.shader.codegen.compiler.vectors import VectorWriter, by_components
from core.backends.shader.codegen.compiler.writing import Groups, middle_name, step_function


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
        parts = self.numbered_readers(bindings)
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
            reads: list[str] = []
            for n, source in step.inputs.items():
                name, single = middle_name(i, n), prod(source.shape) == 1
                parts.append(reader(name, self.layouts[name], len(bindings), fours=not single))
                bindings.append(name)
                reads.append(f"vec4({name}_at(0))" if single else f"{name}_fours(c)")
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

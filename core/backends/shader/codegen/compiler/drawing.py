"""Programs of drawings: fragment shaders that make whole texels of one or several targets."""

from core.backends.shader.codegen.compiler.memory_layouts import target_names, writer
from core.backends.shader.codegen.compiler.vectors import VectorWriter
from core.backends.shader.codegen.compiler.writing import Groups
from core.errors import CoreError


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

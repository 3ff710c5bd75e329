"""Programs whose invocations compute separate values, from any values of the inputs."""

from collections.abc import Mapping
from math import prod

from core.backends.shader.codegen.compiler.broadcasting import (
    broadcast_index,
    collapsed,
    flat_index,
)
from core.backends.shader.codegen.compiler.memory_layouts import (
    GLSL_TYPES,
    VECTORS,
    MemoryLayout,
    reader,
    stored_form,
    values_at_once,
    writer,
)
from core.backends.shader.codegen.compiler.writing import Groups, Writer, epilogue_name, returning
from core.backends.shader.codegen.kernel_language import Dispatch
from core.backends.shader.codegen.size_arithmetic import ceil_div

#: Threads of a group.
LOCAL_SIZE = 128

#: Groups along x; more of them go along y. OpenGL promises 65535 for each.
GROUPS_X = 32768


class SingleWriter(Writer):
    """Writer of dispatches of kind ``"map"`` and ``"each"``."""

    local_size = LOCAL_SIZE

    def __init__(
        self,
        made: Dispatch,
        layouts: Mapping[str, MemoryLayout],
        to: MemoryLayout,
        baked: bool,
    ):
        super().__init__(made, layouts, to, baked)
        if made.kind == "each":
            self.out, shapes = collapsed(self.out, [*self.shapes.values()])
            self.shapes = dict(zip(self.shapes, shapes, strict=True))
        self.fours = self._goes_by_fours()

    def _goes_by_fours(self) -> bool:
        """Return whether an invocation computes four values from aligned vectors of the inputs."""
        sources = self.made.inputs.values()
        is_flat = all(shape in (self.out, (1,) * len(self.out)) for shape in self.shapes.values())
        return (
            self.made.kind == "each"
            and is_flat
            and not self.made.epilogue
            and "complex64" not in {self.to.dtype, *(s.dtype for s in sources)}
        )

    def body(self) -> tuple[str, Groups]:
        """Write readers, the function of a value, and a main that calls it."""
        together = values_at_once(self.to, self.fours)
        parts = [
            *(self._reader(i, name) for i, name in enumerate(self.inputs)),
            writer(self.to, len(self.inputs), self.fours),
            *self.steps(),
        ]
        if self.fours:
            parts += [self._value_of_operands(), self._main(*self._by_fours())]
        else:
            parts += [*self._value(), self._main(*self._one_by_one(together))]
        size = prod(self.out)
        invocations = ceil_div(size, together)
        return "\n".join(parts), (0, 0, 0) if self.in_textures else _groups(invocations)

    def _reader(self, binding: int, name: str) -> str:
        fours = self.fours and self.shapes.get(name) == self.out and prod(self.out) > 1
        text = reader(name, self.layouts[name], binding, fours)
        if self.made.kind == "map" and name in self.shapes:
            text += "\n" + self._getter(name)
        return text

    def _getter(self, name: str) -> str:
        shape = self.shapes[name]
        names = [f"i{axis}" for axis in range(len(shape))]
        number = flat_index(shape, names, [f"{name}_{axis}" for axis in range(len(shape))])
        arguments = ", ".join(f"int {n}" for n in names)
        kind = GLSL_TYPES[self.layouts[name].dtype]
        return f"{kind} get_{name}({arguments}) {{ return {name}_at({number}); }}"

    def _value(self) -> list[str]:
        """Return the function of the dispatch's text, and one that computes a value by index."""
        kind = GLSL_TYPES[self.to.dtype]
        if self.made.kind == "each":
            operands = [f"{n}_at({self._position(n)})" for n in self.shapes]
            head, call = self._value_of_operands(), f"value({', '.join(operands)})"
        else:
            axes = [f"o{axis}" for axis in range(len(self.out))]
            arguments = ", ".join(["int o", *(f"int {a}" for a in axes)])
            head = f"{kind} value({arguments}) {{ {returning(self.made.text)} }}"
            call = f"value({', '.join(['o', *axes])})"
        return [head, f"{kind} result(int o) {{ {self._coordinates()}{self._finished(call)} }}"]

    def _value_of_operands(self) -> str:
        kind = GLSL_TYPES[self.to.dtype]
        operands = [f"{GLSL_TYPES[s.dtype]} {n}" for n, s in self.made.inputs.items()]
        return f"{kind} value({', '.join(operands)}) {{ {returning(self.made.text)} }}"

    def _position(self, name: str) -> str:
        """Return GLSL of the operand's index that belongs to the result's."""
        shape = self.shapes[name]
        if shape == self.out:
            return "o"
        axes = range(len(shape))
        return flat_index(shape, [f"o{a}" for a in axes], [f"{name}_{a}" for a in axes])

    def _coordinates(self) -> str:
        """Return GLSL of ``o0``, ``o1``, ... of an index; axes of length 1 need no division."""
        long = [axis for axis, n in enumerate(self.out) if n != 1]
        lines, rest = [], "o"
        for axis in reversed(range(len(self.out))):
            if axis not in long:
                lines.append(f"int o{axis} = 0;")
            elif axis == long[0]:
                lines.append(f"int o{axis} = {rest};")
            else:
                lines.append(
                    f"int o{axis} = {rest} % out_{axis}; int r{axis} = {rest} / out_{axis};"
                )
                rest = f"r{axis}"
        return " ".join([*lines, ""])

    def _one_by_one(self, together: int) -> tuple[str, str]:
        """Return the limit of indices, and GLSL that computes the values of an invocation.

        Padding after the last value repeats the last value.
        """
        if together == 1:
            return "out_size", "out_data[o] = " + stored_form(["result(o)"], self.to) + ";"
        last = "out_size - 1"
        numbers = [f"min({together} * o + {i}, {last})" for i in range(together)]
        form = stored_form([f"result({n})" for n in numbers], self.to)
        target = "out_texel" if self.in_textures else "out_data[o]"
        return f"(out_size + {together - 1}) / {together}", f"{target} = {form};"

    def _by_fours(self) -> tuple[str, str]:
        scalar = (1,) * len(self.out)
        lines, values = [], []
        single = prod(self.out) == 1
        for name, source in self.made.inputs.items():
            if self.shapes[name] == scalar or single:
                lines.append(f"{GLSL_TYPES[source.dtype]} {name} = {name}_at(0);")
            else:
                lines.append(f"{VECTORS[source.dtype]} {name} = {name}_fours(o);")
        for part in "xyzw":
            given = [
                n if self.shapes[n] == scalar or single else f"{n}.{part}" for n in self.shapes
            ]
            values.append(f"value({', '.join(given)})")
        target = "out_texel" if self.in_textures else "out_data[o]"
        lines.append(f"{target} = {stored_form(values, self.to)};")
        return "(out_size + 3) / 4", " ".join(lines)

    def _main(self, limit: str, text: str) -> str:
        if self.in_textures:
            number = f"int(gl_FragCoord.y) * {self.to.width} + int(gl_FragCoord.x)"
            return f"void main() {{ int o = {number}; {text} }}"
        number = f"int(gl_GlobalInvocationID.y) * {GROUPS_X * LOCAL_SIZE}"
        number += " + int(gl_GlobalInvocationID.x)"
        return f"void main() {{ int o = {number}; if (o >= {limit}) return; {text} }}"

    def _finished(self, call: str) -> str:
        if not self.made.epilogue:
            return f"return {call};"
        lines = [f"float here = {call};"]
        for i, step in enumerate(self.made.epilogue):
            operands = [
                f"{epilogue_name(i, n)}_at({broadcast_index(self.made.shown, s.shape, 'o')})"
                for n, s in step.inputs.items()
            ]
            lines.append(f"here = finish_{i}({', '.join(['here', *operands])});")
        return " ".join([*lines, "return here;"])


def _groups(invocations: int) -> Groups:
    groups = max(1, ceil_div(invocations, LOCAL_SIZE))
    return min(groups, GROUPS_X), ceil_div(groups, GROUPS_X), 1

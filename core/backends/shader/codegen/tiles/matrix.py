"""Products of matrices: tiles in shared memory, a block of the result in each thread's registers.

A group of threads makes a tile of the result. Turn by turn it copies a strip of both factors into
shared memory, while the loads of the next strip are under way in registers, and adds up their
product. A thread holds ``thread_rows`` rows by ``thread_vectors`` vec4s, so that each vec4 read
from shared memory is used many times. If the result is small, the group's threads also share the
inner axis (``splits``), and add their sums at the end.

Convolutions are such products whose left factor is gathered (`convolution`, `transposed`). A factor
is a `Side`, which describes how slots of a strip are read, so that this file contains no pixels.
"""

from typing import NamedTuple

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.choices import choose
from core.backends.shader.codegen.tiles.held import FLOATS, Held
from core.backends.shader.codegen.tiles.sides import OperandLayout, Side, matrix_side
from core.backends.shader.codegen.tiles.tile_source import Choice, Product, Tile, TileLimits, spread
from core.backends.shader.codegen.tiles.vector import MOST_ROWS, vector_tile

_XYZW = "xyzw"


class _Strip(NamedTuple):
    """One factor's part of shared memory, and the slots of a thread in it."""

    side: Side
    name: str  # prefix of its registers
    lines: int  # rows or columns of the tile
    choice: Choice
    offset: int  # in vectors of four
    interleaved: bool  # columns 0, 4, 8, ... first, so that neighbouring threads read neighbours
    held: Held

    @property
    def stride(self) -> int:
        """Return the vec4s from line to line: odd, so that lines use different memory banks."""
        return self.choice.strip // 4 + 1 if self.side.along_inner else self.lines // 4

    @property
    def vectors(self) -> int:
        return self.stride * (self.lines if self.side.along_inner else self.choice.strip)

    def slots(self) -> list[tuple[str, str]]:
        """Return suffix and guard of each slot; only the last may be missing in some threads."""
        count, size = self.lines * self.choice.strip // 4, self.choice.threads
        whole = [(f"_{q}", "") for q in range(count // size)]
        rest = [(f"_{len(whole)}", f"if (t < {count % size}) ")] if count % size else []
        return whole + rest

    def declare(self, first_line: str) -> str:
        """Declare the positions of slots in the tile, in the factor and in shared memory."""
        text, per_line = "", self.choice.strip // 4
        for q, (s, _) in enumerate(self.slots()):
            e = f"(t + {q * self.choice.threads})" if q else "t"
            if self.side.along_inner:
                line, k = f"({e} / {per_line})", f"({e} % {per_line} * 4)"
                row = f"({line} % 4 * {self.lines // 4} + {line} / 4)" if self.interleaved else line
                to = f"{row} * {self.stride} + {k} / 4"
            else:
                line, k = f"({e} % {self.lines // 4} * 4)", f"({e} / {self.lines // 4})"
                to = e
            text += (
                f"int {self.name}to{s} = {self.offset} + {to}; {self.held.four} {self.name}v{s};\n"
            )
            text += self.side.start(s, f"({first_line} + {line})", k) + "\n"
        return text

    def load(self) -> str:
        return "".join(
            f"{g}{self.name}v{s} = {self.side.kept(s, self.held)};\n" for s, g in self.slots()
        )

    def save(self, stage: str) -> str:
        return "".join(
            f"{g}tile[{self.name}to{s}{stage}] = {self.name}v{s};\n" for s, g in self.slots()
        )

    def advance(self) -> str:
        return "".join(self.side.step(s, self.choice.strip) for s, _ in self.slots()) + "\n"


def product_text(choice: Choice, layout: OperandLayout, prologue: str, held: Held = FLOATS) -> str:
    """Return GLSL of a tiled product; the prologue sets ``first_row`` and ``first_column``."""
    c, held = choice, held.summed(layout.turns(choice.strip))
    left = _Strip(layout.left, "l", c.rows, c, 0, False, held)
    right = _Strip(layout.right, "r", c.columns, c, left.vectors, True, held)
    strip = left.vectors + right.vectors
    across, down = c.columns // 4 // c.thread_vectors, c.rows // c.thread_rows
    flip = f" + stage * {strip}" if c.stages == 2 else ""
    cells = _cells(c)
    text = held.declaration(c.stages * strip, c.sum_vectors())
    text += layout.left.functions + layout.right.functions
    text += "void main() {\nint t = int(gl_LocalInvocationIndex);\n" + prologue
    text += f"int part = t / {across * down}, u = t % {across * down};\n"
    text += f"int tx = u % {across}, ty = u / {across};\n"
    text += "".join(f"vec4 c{i}_{r} = vec4(0.0);\n" for i, r in cells)
    text += left.declare("first_row") + right.declare("first_column")
    text += f"int turns = {layout.turns(c.strip)};\n" + left.load() + right.load()
    text += "for (int turn = 0; turn < turns; turn++) {\n"
    text += "int stage = turn & 1;\n" if c.stages == 2 else "if (turn > 0) barrier();\n"
    text += left.save(flip) + right.save(flip) + "barrier();\n"
    text += "if (turn + 1 < turns) {\n" + left.advance() + right.advance()
    text += left.load() + right.load() + "}\n" + _multiply(c, left, right, flip, held) + "}\n"
    if c.splits == 1:
        return text + _store(c, layout, across, down) + "}\n"
    return text + _store_sums(c, layout, across, down, held) + "}\n"


def resident_text(
    choice: Choice,
    layout: OperandLayout,
    prologue: str,
    inner: int,
    name: str,
    held: Held = FLOATS,
) -> str:
    """Return GLSL of a product whose group keeps its left rows in shared memory.

    The right factor, the dense matrix ``name`` of ``inner`` rows, is read from memory into
    registers, without barriers and strips. This is fast for few rows, as few threads read each
    vec4.

    Args:
        choice: the tile, with ``splits`` threads that share the inner axis.
        layout: the factors; of the right one only the number of columns counts, in whole vec4s.
        prologue: GLSL that sets ``first_row`` and ``first_column``, as `tile_grid` does.
        inner: length of the inner axis, a multiple of 4.
        name: name of the right factor, [inner, columns].
        held: form of the numbers; products are of 32 bits in any case, as memory limits them.
    """
    held = held.multiplied_as_floats
    c, vectors, columns = choice, inner // 4, layout.columns // 4
    across, down = c.columns // 4 // c.thread_vectors, c.rows // c.thread_rows
    stride, spans = vectors | 1, range(c.thread_vectors)
    cells = [(i, r) for i in range(c.thread_rows) for r in spans]
    text = held.declaration(c.rows * stride, c.sum_vectors()) + layout.left.functions
    text += "void main() {\nint t = int(gl_LocalInvocationIndex);\n" + prologue
    text += f"int part = t / {across * down}, u = t % {across * down};\n"
    text += f"int tx = u % {across}, ty = u / {across};\n"
    for r in spans:
        column = f"min(first_column / 4 + tx + {r * across}, {columns - 1})"
        text += f"int pb{r} = part * {4 * columns} + {column};\n"
    text += "".join(
        f"{held.four} n{r}_{j} = {held.read(name)}(pb{r} + {j * columns});\n"
        for r in spans
        for j in range(4)
    )
    text += layout.fill(c) if layout.fill else _fill(c, layout.left, vectors, held)
    text += "".join(f"vec4 c{i}_{r} = vec4(0.0);\n" for i, r in cells)
    text += f"barrier();\nfor (int k = part; k < {vectors}; k += {c.splits}) {{\n"
    text += "".join(
        f"vec4 b{r}_{j} = {held.factors(f'n{r}_{j}')};\n" for r in spans for j in range(4)
    )
    text += f"if (k + {c.splits} < {vectors}) {{\n"
    text += "".join(f"pb{r} += {c.splits * 4 * columns};\n" for r in spans)
    text += "".join(
        f"n{r}_{j} = {held.read(name)}(pb{r} + {j * columns});\n" for r in spans for j in range(4)
    )
    text += "}\n"
    for i in range(c.thread_rows):
        text += f"vec4 a{i} = {held.factors(f'tile[(ty + {i * down}) * {stride} + k]')};\n"
    for j in range(4):
        text += "".join(
            f"c{i}_{r} = fma(vec4(a{i}.{_XYZW[j]}), b{r}_{j}, c{i}_{r});\n" for i, r in cells
        )
    text += "}\n"
    if c.splits == 1:
        return text + _store(c, layout, across, down) + "}\n"
    return text + _store_sums(c, layout, across, down, held) + "}\n"


def _fill(c: Choice, left: Side, vectors: int, held: Held) -> str:
    """Return GLSL that copies the tile's rows of the left factor."""
    return (
        f"for (int e = t; e < {c.rows * vectors}; e += {c.threads}) {{\n"
        + left.start("", f"(first_row + e / {vectors})", f"(e % {vectors} * 4)")
        + f"\ntile[e / {vectors} * {vectors | 1} + e % {vectors}] = {left.kept('', held)};\n}}\n"
    )


def _multiply(c: Choice, left: _Strip, right: _Strip, flip: str, held: Held) -> str:
    """Return GLSL of the product of two strips, for four positions of the inner axis at a time."""
    across, down = c.columns // 4 // c.thread_vectors, c.rows // c.thread_rows
    kind, cells = held.factor, [f"{i}_{r}" for i, r in _cells(c)]
    text = f"int pa = {_part(c, left)}{flip} + ty{_line_step(left)};\n"
    text += f"int pb = {right.offset} + {_part(c, right)}{flip} + tx{_line_step(right)};\n"
    if held.is_multiplied:
        text += "".join(f"{kind} h{cell} = {kind}(0.0);\n" for cell in cells)
    text += f"for (int k = 0; k < {c.inner // 4}; k++) {{\n"
    if left.side.along_inner:
        for i in range(c.thread_rows):
            text += f"{kind} a{i} = {held.factors(f'tile[pa + {i * down * left.stride} + k]')};\n"
    if right.side.along_inner:
        for r in range(c.thread_vectors):
            for j in range(4):
                at = f"tile[pb + {(j * c.columns // 4 + r * across) * right.stride} + k]"
                text += f"{kind} b{r}_{j} = {held.factors(at)};\n"
    for j in range(4):
        text += "{\n" + _factors_at(c, left, right, held, j) + _products_at(c, left, held, j)
        text += "}\n"
    text += "}\n"
    if held.is_multiplied:
        text += "".join(f"c{cell} += vec4(h{cell});\n" for cell in cells)
    return text


def _cells(c: Choice) -> list[tuple[int, int]]:
    """Return the rows and vectors that a thread makes."""
    return [(i, r) for i in range(c.thread_rows) for r in range(c.thread_vectors)]


def _factors_at(c: Choice, left: _Strip, right: _Strip, held: Held, j: int) -> str:
    """Return GLSL of the factors at position j of four, if they do not lie along the inner axis."""
    across, down = c.columns // 4 // c.thread_vectors, c.rows // c.thread_rows
    kind, text = held.factor, ""
    if not left.side.along_inner:
        for g in range(c.thread_rows // 4):
            at = f"tile[pa + (k * 4 + {j}) * {left.stride} + {g * down}]"
            text += f"{kind} a{g} = {held.factors(at)};\n"
    for r in range(c.thread_vectors):
        if right.side.along_inner:
            parts = ", ".join(f"b{r}_{i}.{_XYZW[j]}" for i in range(4))
            text += f"{kind} b{r} = {kind}({parts});\n"
        else:
            at = f"tile[pb + (k * 4 + {j}) * {right.stride} + {r * across}]"
            text += f"{kind} b{r} = {held.factors(at)};\n"
    return text


def _products_at(c: Choice, left: _Strip, held: Held, j: int) -> str:
    """Return GLSL that adds the products of these factors."""
    to, text = "h" if held.is_multiplied else "c", ""
    for i, r in _cells(c):
        a = f"a{i}.{_XYZW[j]}" if left.side.along_inner else f"a{i // 4}.{_XYZW[i % 4]}"
        text += f"{to}{i}_{r} = fma({held.factor}({a}), b{r}, {to}{i}_{r});\n"
    return text


def _part(c: Choice, strip: _Strip) -> str:
    """Return GLSL of the start of a split's part of a strip."""
    if c.splits == 1:
        return "0"
    return f"part * {c.inner // 4 if strip.side.along_inner else c.inner * strip.stride}"


def _line_step(strip: _Strip) -> str:
    return f" * {strip.stride}" if strip.side.along_inner else ""


def _tile_row(layout: OperandLayout, i: int, down: int) -> str:
    """Return GLSL of the row within the tile of a thread's row i."""
    if layout.left.along_inner:
        return f"ty + {i * down}"
    return f"(ty + {i // 4 * down}) * 4 + {i % 4}"


def _store(c: Choice, layout: OperandLayout, across: int, down: int) -> str:
    text = ""
    for i in range(c.thread_rows):
        text += f"{{ int row = first_row + {_tile_row(layout, i, down)};\n"
        text += f"if (row < {layout.rows}) {{ int to = {layout.store_row('row')};\n"
        for r in range(c.thread_vectors):
            text += f"{{ int column = first_column + (tx + {r * across}) * 4;\n"
            text += _store_vector(layout.columns, c.columns, f"c{i}_{r}") + "}\n"
        text += "} }\n"
    return text


def _store_vector(columns: int, tile_columns: int, value: str) -> str:
    """Store a vec4 at ``to + column``; as floats if rows do not start on vec4s."""
    if columns % 4:
        return "".join(
            f"if (column + {j} < {columns}) store_1(to + column + {j}, {value}.{_XYZW[j]});\n"
            for j in range(4)
        )
    guard = f"if (column < {columns}) " if columns % tile_columns else ""
    return f"{guard}store_4((to + column) / 4, {value});\n"


def _store_sums(c: Choice, layout: OperandLayout, across: int, down: int, held: Held) -> str:
    """Add the sums of the inner axis's splits through shared memory, and store the result.

    If shared memory cannot hold all of them, the last ones are first added to the first ones.
    """
    size, per_row = c.rows * c.columns // 4, c.columns // 4
    cells = {
        f"c{i}_{r}": f"({_tile_row(layout, i, down)}) * {per_row} + tx + {r * across}"
        for i in range(c.thread_rows)
        for r in range(c.thread_vectors)
    }
    text, parts, room = "", c.splits, c.held_sums
    while parts > room:
        moved = min(room, parts // 2)
        parts -= moved
        text += f"barrier();\nif (part >= {parts} && part < {parts + moved}) {{\n"
        text += "".join(
            held.put_sum(f"(part - {parts}) * {size} + {at}", v) + "\n" for v, at in cells.items()
        )
        text += f"}}\nbarrier();\nif (part < {moved}) {{\n"
        text += "".join(f"{v} += {held.sum(f'part * {size} + {at}')};\n" for v, at in cells.items())
        text += "}\n"
    # Below, a thread overwrites just those sums that it has added to its own.
    text += f"if (part < {parts}) {{\n" if parts < c.splits else "barrier();\n{\n"
    text += "".join(held.put_sum(f"part * {size} + {at}", v) + "\n" for v, at in cells.items())
    more = "".join(f" + {held.sum(f'e + {s * size}')}" for s in range(1, parts))
    return text + (
        f"}}\nbarrier();\nfor (int e = t; e < {size}; e += {c.threads}) {{\n"
        f"int row = first_row + e / {per_row}, column = first_column + e % {per_row} * 4;\n"
        f"if (row < {layout.rows}) {{ int to = {layout.store_row('row')};\n"
        f"vec4 v = {held.sum('e')}{more};\n{_store_vector(layout.columns, c.columns, 'v')}}} }}\n"
    )


def tile_grid(
    choice: Choice, rows: int, columns: int, batch: int
) -> tuple[tuple[int, int, int], str]:
    """Return the groups of a product, and GLSL that sets ``z``, ``first_row``, ``first_column``.

    Args:
        choice: the tile; one past the end of the rows or columns is only partly filled.
        rows: rows of one result.
        columns: columns of one result.
        batch: number of results; ``z`` counts them.
    """
    across, down = ceil_div(columns, choice.columns), ceil_div(rows, choice.rows)
    groups, text = spread(across * down * batch)
    text += f"int first_column = group % {across} * {choice.columns};\n"
    text += f"int first_row = group / {across} % {down} * {choice.rows};\n"
    return groups, text + f"int z = group / {across * down};\n"


def product_tile(
    p: Product, choice: Choice, names: tuple[str, str] = ("a", "b"), held: Held = FLOATS
) -> Tile:
    """Return the tiled product with given sizes."""
    guard = bool(p.inner % choice.strip)
    base_a = "0" if p.batch == 1 or p.shared_a else f"z * {p.rows * p.inner}"
    base_b = "0" if p.batch == 1 or p.shared_b else f"z * {p.inner * p.columns}"
    left = matrix_side(names[0], base_a, p.rows, p.inner, not p.transpose_a, guard, held)
    right = matrix_side(names[1], base_b, p.columns, p.inner, p.transpose_b, guard, held)
    where = "" if p.batch == 1 else f"z * {p.rows * p.columns} + "
    layout = OperandLayout(
        left,
        right,
        str(p.rows),
        p.columns,
        lambda strip: str(ceil_div(p.inner, strip)),
        lambda row: f"{where}{row} * {p.columns}",
    )
    groups, prologue = tile_grid(choice, p.rows, p.columns, p.batch)
    text = dense_text(choice, layout, prologue, p.inner, names[1], held)
    return Tile(text, choice.threads, groups)


def dense_text(
    choice: Choice,
    layout: OperandLayout,
    prologue: str,
    inner: int,
    right: str,
    held: Held = FLOATS,
) -> str:
    """Return GLSL of a product whose right factor is a dense matrix.

    Args:
        choice: the tile, whose rows are resident or not.
        layout: the factors.
        prologue: GLSL that sets ``first_row`` and ``first_column``, as `tile_grid` does.
        inner: length of the inner axis.
        right: name of the right factor, [inner, columns].
        held: form of the numbers in the tile.
    """
    if choice.resident:
        return resident_text(choice, layout, prologue, inner, right, held)
    return product_text(choice, layout, prologue, held)


def matmul_tile(
    p: Product,
    limits: TileLimits,
    choice: Choice | None = None,
    names: tuple[str, str] = ("a", "b"),
) -> Tile:
    """Return the product ``a`` @ ``b``: for few rows, or with a given or the best known tile."""
    if choice is None and p.rows <= MOST_ROWS:
        return vector_tile(p, limits, names)
    return product_tile(p, choice or choose(p, limits), names, limits.held)

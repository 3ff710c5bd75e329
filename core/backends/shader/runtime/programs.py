"""Programs of the driver, made once for each source: kept in memory, and on disk."""

from array import array
from collections.abc import Callable, Iterable
from functools import partial
from sys import getrefcount
from typing import TYPE_CHECKING, Any

from core.backends.shader.codegen.compiler.writing import Groups, ShaderText
from core.backends.shader.runtime.async_compile import AsyncCompiler
from core.backends.shader.runtime.program_binaries import Binaries
from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.shader.runtime.gl_thread import GLThread

#: Programs that are kept in memory beside those of plans; more than any training has.
MOST_PROGRAMS = 4096

#: OpenGL's name for what is drawn.
_TRIANGLES = 4

#: One triangle that covers everything, out of no data.
_VERTICES = (
    "#version 330\nvoid main() { vec2 p = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2); "
    "gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0); }\n"
)


class ShaderError(CoreError):
    """A shader does not compile: the driver's words, and under them the source.

    Attributes:
        source: GLSL, as the driver got it.
    """

    def __init__(self, message: str, source: str = ""):
        super().__init__(message)
        self.args = (*self.args, source)
        self.source = source

    def __str__(self) -> str:
        lines = [f"{i:4d}  {line}" for i, line in enumerate(self.source.splitlines(), 1)]
        return "\n".join([self.args[0], *lines])


class Compiled:
    """A program of the driver, and the uniforms that it has now.

    Attributes:
        program: moderngl's.
        vertices: what is drawn with it; None for compute.
        given: whose numbers the uniforms have.

    Args:
        program: see above.
        gl_thread: of the context.
        vertices: see above.
    """

    __slots__ = ("_alone", "_floats", "_gl", "_ints", "_places", "given", "program", "vertices")

    def __init__(self, program: Any, gl_thread: "GLThread", vertices: Any = None):
        self.program, self.vertices = program, vertices
        self.given: ShaderText | None = None
        self._gl = gl_thread.gl
        self._ints: tuple[int, ...] = ()
        self._floats = b""
        self._places: dict[bytes, int] = {}
        self._alone = self._references()

    @property
    def is_bound(self) -> bool:
        """Whether somebody keeps a method of moderngl's object, as plans do."""
        return self._references() > self._alone

    def start(self, groups: Groups) -> Callable[[], None]:
        """What runs it on whatever is bound then; who keeps that keeps the program."""
        if self.vertices is not None:
            return partial(self.vertices.mglo.render, _TRIANGLES, 3, 0, -1)
        return partial(self.program.mglo.run, *groups)

    def _references(self) -> int:
        return getrefcount((self.vertices or self.program).mglo)

    def give(self, program: ShaderText) -> None:
        """Set the uniforms to the numbers of a program whose source this is."""
        self.set(program.ints, program.floats)
        self.given = program

    def set(self, ints: tuple[int, ...], floats: tuple[float, ...]) -> None:
        """Give the uniforms their values, where they have others.

        moderngl does not know those of a program that was loaded, and refuses arrays whose end
        the driver left out as nobody reads it.
        """
        if ints != self._ints:
            self._write(b"ints", len(ints), array("i", ints).tobytes(), self._gl.uniform_ints)
            self._ints = ints
        stored = array("f", floats).tobytes()  # as numbers 0 and -0 would be the same
        if stored != self._floats:
            self._write(b"floats", len(floats), stored, self._gl.uniform_floats)
            self._floats = stored

    def _write(self, name: bytes, count: int, stored: bytes, write: Any) -> None:
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = self._gl.uniform_location(self.program.glo, name)
        self._gl.use_program(self.program.glo)
        write(place, count, stored)

    def release(self) -> None:
        """Let go of it."""
        if self.vertices is not None:
            self.vertices.release()
        self.program.release()


class Programs:
    """Makes programs of sources. All of it runs in the GL thread.

    Attributes:
        new: sources and programs that are not kept on disk yet.

    Args:
        gl_thread: of the context.
    """

    def __init__(self, gl_thread: "GLThread"):
        self._gl_thread = gl_thread
        self._binaries, self._ahead = Binaries(gl_thread), AsyncCompiler(gl_thread)
        self.new: list[tuple[str, Any]] = []
        self._made: dict[str, Compiled] = {}
        self._most = MOST_PROGRAMS  # or more, where plans have so many

    def __len__(self) -> int:
        return len(self._made)

    def __contains__(self, program: ShaderText) -> bool:
        return program.text in self._made

    def begin(self, programs: Iterable[ShaderText]) -> None:
        """Have what will be asked for compiled meanwhile, where the driver can do that."""
        if not self._ahead.is_possible:
            return
        for program in programs:
            text = program.text
            if program in self or text in self._ahead or program.is_drawn:
                continue
            made = self._binaries.load(text)
            if made is None:
                self._ahead.start(text)
            else:
                self._made[text] = Compiled(made, self._gl_thread)

    def of(self, program: ShaderText) -> Compiled:
        """The driver's program of a source; made when it is first asked for.

        Raises:
            ShaderError: it does not compile; the message has the driver's and the source.
        """
        found = self._made.get(program.text)
        if found is None:
            self._forget_some()
            found = self._made[program.text] = self._new(program)
        return found

    def _new(self, program: ShaderText) -> Compiled:
        if program.is_drawn:
            return self._drawing(program)
        made = self._binaries.load(program.text)
        if made is None:
            made = self._ahead.take(program.text)
            made = made or self._compile(program.text, compute=True)  # which tells what is wrong
            self.new.append((program.text, made))
        return Compiled(made, self._gl_thread)

    def keep_new(self) -> None:
        """Keep on disk what was compiled since; after it ran.

        NVIDIA's driver finishes a program at its first dispatch: what is kept before takes 45 ms
        then again, measured on an H100.
        """
        new, self.new = self.new, []
        for text, made in new:
            self._binaries.keep(text, made)

    def _drawing(self, program: ShaderText) -> Compiled:
        made = self._compile(program.text, compute=False)
        for unit in range(len(program.inputs)):
            if f"data_{unit}" in made:  # not what the driver left out as nobody reads it
                made[f"data_{unit}"].value = unit
        vertices = self._gl_thread.context.vertex_array(made, [])
        return Compiled(made, self._gl_thread, vertices)

    def _compile(self, text: str, compute: bool) -> Any:
        import moderngl

        context = self._gl_thread.context
        try:
            if compute:
                return context.compute_shader(text)
            return context.program(vertex_shader=_VERTICES, fragment_shader=text)
        except moderngl.Error as error:
            raise ShaderError(
                f"the driver does not compile this shader: {_reason(error)}", text
            ) from error

    def _forget_some(self) -> None:
        """Where there are many, the oldest go that no plan has; who asks again gets another."""
        if len(self._made) < self._most:
            return
        for text in [text for text, made in self._made.items() if not made.is_bound]:
            self._made.pop(text).release()
            if len(self._made) <= MOST_PROGRAMS * 3 // 4:
                break
        self._most = max(MOST_PROGRAMS, len(self._made) + MOST_PROGRAMS // 4)

    def release(self) -> None:
        """Let go of all programs, those that plans have as well."""
        self.new.clear()
        self._ahead.release()
        self._gl_thread.gl.use_program(0)  # one that is in use would stay
        for made in self._made.values():
            made.release()
        self._made.clear()


def _reason(error: Exception) -> str:
    """The driver's words without moderngl's frame of them."""
    lines = [line.strip() for line in str(error).splitlines()]
    return "; ".join(line for line in lines if line and set(line) - {"="})

"""Programs of the driver, made once per source and cached in memory and on disk."""

from array import array
from collections.abc import Callable, Iterable
from functools import partial
from sys import getrefcount
from typing import TYPE_CHECKING, Any

from core.backends.shader.codegen.compiler.writing import Groups, ShaderText
from core.backends.shader.runtime.early_programs import AsyncCompiler, Binaries
from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.shader.runtime.gl_thread import GLThread

#: The most cached programs besides those of plans; more than training needs.
MOST_PROGRAMS = 4096

#: OpenGL's code of triangles.
_TRIANGLES = 4

#: A vertex shader with one triangle that covers the target, without data.
_VERTICES = (
    "#version 330\nvoid main() { vec2 p = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2); "
    "gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0); }\n"
)


class ShaderError(CoreError):
    """A shader does not compile; the message has the driver's text and the source.

    Attributes:
        source: the GLSL source.
    """

    def __init__(self, message: str, source: str = ""):
        super().__init__(message)
        self.args = (*self.args, source)
        self.source = source

    def __str__(self) -> str:
        lines = [f"{i:4d}  {line}" for i, line in enumerate(self.source.splitlines(), 1)]
        return "\n".join([self.args[0], *lines])


class Compiled:
    """A program of the driver, with its current uniforms.

    Attributes:
        program: program of moderngl.
        vertices: vertex array to draw; None for compute.
        given: program whose numbers are the current uniforms.

    Args:
        program: see above.
        gl_thread: thread of the context.
        vertices: see above.
    """

    __slots__ = ("_alone", "_floats", "_gl", "_ints", "_locations", "given", "program", "vertices")

    def __init__(self, program: Any, gl_thread: "GLThread", vertices: Any = None):
        self.program, self.vertices = program, vertices
        self.given: ShaderText | None = None
        self._gl = gl_thread.gl
        self._ints: tuple[int, ...] = ()
        self._floats = b""
        self._locations: dict[bytes, int] = {}
        self._alone = self._references()

    @property
    def is_bound(self) -> bool:
        """Whether a method of moderngl's object is referenced, as by plans."""
        return self._references() > self._alone

    def start(self, groups: Groups) -> Callable[[], None]:
        """Return a function that runs the program on the bound objects, and keeps it alive."""
        if self.vertices is not None:
            return partial(self.vertices.mglo.render, _TRIANGLES, 3, 0, -1)
        return partial(self.program.mglo.run, *groups)

    def _references(self) -> int:
        return getrefcount((self.vertices or self.program).mglo)

    def set_numbers(self, program: ShaderText) -> None:
        """Set the uniforms to the numbers of a program with this source."""
        self.set(program.ints, program.floats)
        self.given = program

    def set(self, ints: tuple[int, ...], floats: tuple[float, ...]) -> None:
        """Set the uniforms whose values differ.

        moderngl does not know the uniforms of a loaded program, and refuses arrays whose unused
        end the driver removed.
        """
        if ints != self._ints:
            self._write(b"ints", len(ints), array("i", ints).tobytes(), self._gl.uniform_ints)
            self._ints = ints
        stored = array("f", floats).tobytes()  # as numbers 0 and -0 would be equal
        if stored != self._floats:
            self._write(b"floats", len(floats), stored, self._gl.uniform_floats)
            self._floats = stored

    def _write(self, name: bytes, count: int, stored: bytes, write: Any) -> None:
        location = self._locations.get(name)
        if location is None:
            location = self._locations[name] = self._gl.uniform_location(self.program.glo, name)
        self._gl.use_program(self.program.glo)
        write(location, count, stored)

    def release(self) -> None:
        """Release the program."""
        if self.vertices is not None:
            self.vertices.release()
        self.program.release()


class Programs:
    """The cache of programs by source, in the GL thread only.

    Attributes:
        new: sources and programs that are not stored on disk yet.

    Args:
        gl_thread: thread of the context.
    """

    def __init__(self, gl_thread: "GLThread"):
        self._gl_thread = gl_thread
        self._binaries, self._compiler = Binaries(gl_thread), AsyncCompiler(gl_thread)
        self.new: list[tuple[str, Any]] = []
        self._made: dict[str, Compiled] = {}
        self._most = MOST_PROGRAMS  # or more, if plans need more

    def __len__(self) -> int:
        return len(self._made)

    def __contains__(self, program: ShaderText) -> bool:
        return program.text in self._made

    def begin(self, programs: Iterable[ShaderText]) -> None:
        """Start compiling programs in the background, if the driver supports it."""
        if not self._compiler.is_possible:
            return
        for program in programs:
            text = program.text
            if program in self or text in self._compiler or program.is_drawn:
                continue
            made = self._binaries.load(text)
            if made is None:
                self._compiler.start(text)
            else:
                self._made[text] = Compiled(made, self._gl_thread)

    def of(self, program: ShaderText) -> Compiled:
        """Return the driver's program of a source, compiled at its first use.

        Raises:
            ShaderError: the source does not compile; the message has the driver's text.
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
            made = self._compiler.take(program.text)
            made = made or self._compile(program.text, compute=True)  # raises with the reason
            self.new.append((program.text, made))
        return Compiled(made, self._gl_thread)

    def keep_new(self) -> None:
        """Store new programs on disk, after their first run.

        NVIDIA's driver finishes a program at its first dispatch: a program stored before that takes
        another 45 ms after loading, measured on an H100.
        """
        new, self.new = self.new, []
        for text, made in new:
            self._binaries.keep(text, made)

    def _drawing(self, program: ShaderText) -> Compiled:
        made = self._compile(program.text, compute=False)
        for unit in range(len(program.inputs)):
            if f"data_{unit}" in made:  # unless the driver removed it as unused
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
        """Drop the oldest programs without a plan if there are too many; they can be made again."""
        if len(self._made) < self._most:
            return
        for text in [text for text, made in self._made.items() if not made.is_bound]:
            self._made.pop(text).release()
            if len(self._made) <= MOST_PROGRAMS * 3 // 4:
                break
        self._most = max(MOST_PROGRAMS, len(self._made) + MOST_PROGRAMS // 4)

    def release(self) -> None:
        """Release all programs, including those of plans."""
        self.new.clear()
        self._compiler.release()
        self._gl_thread.gl.use_program(0)  # a program in use would not be deleted
        for made in self._made.values():
            made.release()
        self._made.clear()


def _reason(error: Exception) -> str:
    """Return the driver's text without moderngl's frame."""
    lines = [line.strip() for line in str(error).splitlines()]
    return "; ".join(line for line in lines if line and set(line) - {"="})

"""A context and all that lives in it, from the start of the backend to its stop."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.shader.owner import Owner
from core.backends.shader.programs import Programs
from core.backends.shader.recipes import Recipe, Storing
from core.backends.shader.storage import Block, Storage
from core.backends.shader.textures import frame_of
from core.backends.shader.tiles.source import Limits
from core.errors import CoreError

if TYPE_CHECKING:
    import moderngl

    from core.backends.shader.plans.lowering import Constants
    from core.backends.shader.plans.staging import Slot

#: Recipes that are kept; more than a training has, even one with ever new shapes for a while.
MOST_RECIPES = 4096

#: Of shader storage.
BARRIER = 0x2000


class Session:
    """The GL thread, its memory and its programs.

    Args:
        owner: of the context.
        path: ``"compute"`` or ``"fragment"``; by default the first where the device has it.
        half: whether floats are stored in 16 bits.
        limit: bytes on the device before values move to the host.
    """

    def __init__(
        self,
        owner: Owner,
        path: str | None = None,
        half: bool = False,
        limit: int | None = None,
    ):
        self.owner = owner
        self.device = owner.device
        if path == "compute" and not self.device.has_compute:
            raise CoreError(
                f"{self.device.name} has OpenGL {self.device.version}, compute shaders need 430: "
                "use path='fragment', which is the choice where none is made"
            )
        self.path = path or ("compute" if self.device.has_compute else "fragment")
        self.storing = Storing(self.path == "fragment", half)
        self.limits = Limits(
            self.device.shared_bytes, self.device.max_threads, self.device.multiprocessors
        )
        self.storage = Storage(owner, limit)
        self.programs = Programs(owner)
        self.recipes: dict[Any, Recipe] = {}
        self.constants: Constants | None = None  # of plans
        self.execute: Callable[[Recipe, list[Block]], None] = (
            self._draw if self.storing.in_textures else self._dispatch
        )
        self.has_staging = not self.storing.in_textures and None not in (
            owner.gl.named_buffer_storage,
            owner.gl.copy_named_buffer,
        )
        self.in_use: list[Slot] = []  # what the device may still copy from
        if self.storing.in_textures:
            owner.call(self._prepare_drawing)

    def keep(self, key: Any, recipe: Recipe) -> Recipe:
        """Have the driver compile a recipe's programs, and remember it.

        Raises:
            ShaderError: one does not compile.
        """
        if len(self.recipes) >= MOST_RECIPES:
            self.recipes.clear()
        self.owner.call(lambda: [self.programs.of(step.program) for step in recipe.steps])
        self.recipes[key] = recipe
        return recipe

    def run(self, recipe: Recipe, inputs: list[Block], results: list[Block]) -> None:
        """Queue a recipe. What goes wrong is told by whoever reads its results."""
        between = [Block(layout, size) for layout, size in recipe.between]
        blocks = [*inputs, *recipe.tables, *results, *between]
        self.owner.put(_Command(self, recipe, blocks, results))

    def read(self, block: Block) -> np.ndarray:
        """The values of a block, after all that was queued before.

        Waiting by ``glFinish`` lets other threads of Python run, which reading does not.
        """
        return self.owner.call(lambda: self._read(block))

    def _read(self, block: Block) -> np.ndarray:
        if block.thing is not None:
            self.owner.gl.finish()
            while self.in_use:
                self.in_use.pop().give_back()
        return self.storage.read(block)

    def _dispatch(self, recipe: Recipe, blocks: list[Block]) -> None:
        of, barrier = self.storage.of, self.owner.context.memory_barrier
        for program, reads, writes in recipe.steps:
            compiled = self.programs.of(program)
            compiled.set(program.ints, program.floats)
            for binding, number in enumerate(reads):
                of(blocks[number]).bind_to_storage_buffer(binding)
            of(blocks[writes]).bind_to_storage_buffer(len(reads))
            compiled.program.run(*program.groups)
            barrier(BARRIER)

    def _draw(self, recipe: Recipe, blocks: list[Block]) -> None:
        of = self.storage.of
        for program, reads, writes in recipe.steps:
            compiled = self.programs.of(program)
            compiled.set(program.ints, program.floats)
            for unit, number in enumerate(reads):
                of(blocks[number]).use(unit)
            frame_of(self.owner, of(blocks[writes])).use()
            compiled.vertices.render(vertices=3)

    def _prepare_drawing(self) -> None:
        """Nothing between a shader's result and the texture."""
        context: moderngl.Context = self.owner.context
        context.disable(context.BLEND | context.DEPTH_TEST | context.CULL_FACE)

    def stop(self) -> None:
        """Let go of everything, the context included."""
        self.owner.call(self._let_go)
        self.owner.release()

    def _let_go(self) -> None:
        self.storage.release()
        self.programs.release()


class _Command:
    """A recipe in the queue."""

    __slots__ = ("_blocks", "_recipe", "_results", "_session")

    def __init__(self, session: Session, recipe: Recipe, blocks: list[Block], results: list[Block]):
        self._session, self._recipe, self._blocks = session, recipe, blocks
        self._results = results

    def __call__(self) -> None:
        try:
            self._session.storage.begin()
            self._session.execute(self._recipe, self._blocks)
        except Exception as error:  # told by whoever reads the results
            for block in self._results:
                block.error = error

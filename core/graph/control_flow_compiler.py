"""Compiler of graphs with loops: assigns nodes to frames, and makes a list of instructions."""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING

from core.errors import CoreError
from core.graph.attribute_kinds import CheckedAttributes
from core.graph.control_flow import BACK, MOST_NESTED, Action, Program, Turn
from core.graph.nodes import node_of
from core.graph.subgraph import last_uses, running_order

if TYPE_CHECKING:
    from core.graph.bound_nodes import BoundNode

#: Before the name of a value: that of the iteration before. No node has such a name.
_BEFORE = "^^"

Code = list[Action | Turn]


class Frame:
    """The inside of a loop, in the frame around it; nodes outside of loops form a frame, too.

    ``items`` are its nodes, and its inner loops by their first Enter node.
    """

    def __init__(self, name: str = "", first: str = "", parent: "Frame | None" = None):
        self.name, self.first, self.parent = name, first, parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.enters: list[str] = []
        self.items: dict[str, None] = {}
        self.needs: dict[str, dict[str, None]] = defaultdict(dict)  # of each item the others
        if self.depth > MOST_NESTED:
            raise CoreError(f"the loop {name!r} is nested more than {MOST_NESTED} deep")

    def path(self) -> list["Frame"]:
        """Return the frames from the outermost to this one."""
        frames, frame = [self], self.parent
        while frame:
            frames.append(frame)
            frame = frame.parent
        return frames[::-1]

    def item_path(self, name: str) -> list[str]:
        """Return for each frame of the path the item that contains a node of this frame."""
        return [*(frame.first for frame in self.path()[1:]), name]


def compiled(steps: Sequence["BoundNode"], wanted: Sequence[str], given: Container[str]) -> Program:
    """Return the program that runs steps, each after the steps that it needs.

    Args:
        steps: steps to the fetches, including the back edges of loops. They include constants only
            if these have control inputs.
        wanted: references of the fetches.
        given: references that have a value, also if their node runs for other outputs.

    Raises:
        CoreError: loops cross, or a fetch has a value in each iteration.
    """
    return _Layout(steps, wanted, given).program()


class _Layout:
    """Facts of the nodes by name, while they are assigned to frames."""

    def __init__(self, steps: Sequence["BoundNode"], wanted: Sequence[str], given: Container[str]):
        self.steps = {step.node.name: step for step in steps}
        self.wanted, self.given = wanted, given
        self.constants = {name for name, step in self.steps.items() if step.node.type == "Const"}
        self.inputs = {name: self._inputs(step) for name, step in self.steps.items()}
        self.gates = {name: self._gates(step) for name, step in self.steps.items()}
        self.root = Frame()
        #: The frame of each node.
        self.runs_in: dict[str, Frame] = {}
        self.gives_to: dict[str, Frame] = {}

    def program(self) -> Program:
        """Return the instructions of all frames in one list."""
        loops = self._assign_frames()
        self._check_wanted()
        self._collect_needs()
        self.outputs = self._used_outputs()
        code: dict[str, Code] = {}
        for frame in sorted(loops, key=lambda loop: -loop.depth):  # inner ones first
            code[frame.first] = self._loop_code(frame, code)
        return self._body(self.root, code, self.wanted)

    def _inputs(self, step: "BoundNode") -> tuple[str, ...]:
        """Return references to values; those to the previous iteration have separate names."""
        if step.node.type != "Merge":
            return step.inputs
        return tuple(_BEFORE + r if self._goes_back(node_of(r)) else r for r in step.inputs)

    def _goes_back(self, name: str) -> bool:
        return name in self.steps and self.steps[name].node.type == BACK

    def _gates(self, step: "BoundNode") -> tuple[str, ...]:
        """Return control inputs: nodes that ran, and constants that were read before."""
        if step.node.type == "Merge":
            return ()  # one input is enough
        ran = [_mark(node_of(reference)) for reference in step.after if reference not in self.given]
        nodes = [node_of(reference) for reference in step.node.inputs]
        read = [name for name in nodes if name in self.constants and name not in step.inputs]
        return (*(mark for mark in ran if node_of(mark) in self.steps), *read)

    def _sources(self, name: str) -> list[str]:
        """Return the running nodes that a node needs in its own iteration."""
        needed = (*self.inputs[name], *self.gates[name])
        nodes = [node_of(r) for r in needed if not (r.startswith(_BEFORE) or r in self.given)]
        return [node for node in nodes if node in self.steps]

    def _assign_frames(self) -> list[Frame]:
        """Find the frame of every node; returns the loops."""
        loops: dict[tuple[Frame, str], Frame] = {}
        for name, step in self.steps.items():
            here = self._deepest(name)
            kind, seen = step.node.type, here
            if kind == "Enter":
                key = here, _frame_name(step)
                if key not in loops:
                    loops[key] = Frame(key[1], name, here)
                here = seen = loops[key]
                here.enters.append(name)
            elif kind in ("Exit", BACK):
                if not here.parent:
                    raise CoreError(f"the node {name!r} ({kind}) is in no loop")
                seen = here.parent if kind == "Exit" else here
            self.runs_in[name], self.gives_to[name] = here, seen
        return list(loops.values())

    def _deepest(self, name: str) -> Frame:
        """Return the innermost frame among those of a node's inputs."""
        frames = [self.gives_to[source] for source in self._sources(name)]
        here = max(frames, key=lambda frame: frame.depth, default=self.root)
        around = here.path()
        for frame in frames:
            if around[frame.depth] is not frame:
                raise CoreError(
                    f"the node {name!r} mixes values of the loops {frame.name!r} and {here.name!r}"
                )
        return here

    def _check_wanted(self) -> None:
        for name in [node_of(r) for r in self.wanted if r not in self.given]:
            frame = self.gives_to.get(name, self.root)
            if frame.parent:
                raise CoreError(
                    f"the node {name!r} has a value in each iteration of the loop "
                    f"{frame.name!r}: ask for what leaves the loop, such as an Exit node"
                )

    def _collect_needs(self) -> None:
        """Collect the items of every frame, and the needs of each item."""
        for name, frame in self.runs_in.items():
            path, items = frame.path(), frame.item_path(name)
            for around, item in zip(path, items, strict=True):
                around.items[item] = None
            for source in self._sources(name):
                behind = self.runs_in[source]
                both = zip(path, behind.path(), items, behind.item_path(source), strict=False)
                for one, other, item, needed in both:
                    if one is other and item != needed:
                        one.needs[item][needed] = None

    def _used_outputs(self) -> dict[str, list[tuple[str, int]]]:
        """Return the used outputs by node, None by mark."""
        used: dict[str, list[tuple[str, int]]] = defaultdict(list)
        lists = [*self.inputs.values(), *self.gates.values(), self.wanted]
        plain = [r.removeprefix(_BEFORE) for references in lists for r in references]
        for reference in dict.fromkeys(r for r in plain if r not in self.given):
            name, _, index = reference.partition(":")
            if index and not index.isdecimal():
                raise CoreError(f"the node {name!r} has no output {index!r}")
            used[name] += [] if name.startswith("^") else [(reference, int(index or 0))]
        return used

    def _loop_code(self, loop: Frame, inner: Mapping[str, Code]) -> Code:
        """Return the instructions of a loop: entries, the body, and the turn."""
        taken = {reference for name in loop.items for reference in self.inputs.get(name, ())}
        back = [name for name in loop.items if self._goes_back(name)]
        carried = [(name, _BEFORE + name) for name in back if _BEFORE + name in taken]
        held = [
            reference
            for name in filter(self._is_held, loop.enters)
            for reference in (_mark(name), *(r for r, _ in self.outputs[name]))
        ]
        body = self._body(loop, inner, [name for name, _ in carried])
        return [*map(self._action, loop.enters), *body, Turn(len(body) + 1, carried, held)]

    def _body(self, frame: Frame, inner: Mapping[str, Code], wanted: Sequence[str]) -> Code:
        """Return a frame's instructions, which free values after their last use."""
        body: Code = []
        needs: list[Sequence[str]] = []
        frees: list[int] = []  # which instruction, by need
        for item in self._ordered(frame):
            code = inner.get(item) or [self._action(item)]
            enters = len(self.runs_in[item].enters) if item in inner else 0
            frees += [*range(len(body), len(body) + enters), len(body) + len(code) - 1]
            needs += [*map(_needs, code[:enters]), [r for i in code[enters:] for r in _needs(i)]]
            body += code
        for at, done in zip(frees, last_uses(needs, wanted), strict=True):
            own = [reference for reference in done if self._is_freed_by(frame, reference)]
            body[at] = body[at]._replace(freed=own)
        return body

    def _ordered(self, frame: Frame) -> list[str]:
        """Return the items of a frame, each after those that it needs; entries have already run."""
        entered = set(frame.enters)
        items = [item for item in frame.items if item not in entered]
        return running_order(lambda item: list(frame.needs[item]), entered, items)

    def _action(self, name: str) -> Action:
        mark = _mark(name) if _mark(name) in self.outputs else ""
        inputs, gates = self.inputs[name], self.gates[name]
        return Action(self.steps[name], inputs, gates, self.outputs[name], mark)

    def _is_held(self, name: str) -> bool:
        """Return whether the results of a node are available in all iterations of a loop."""
        node = self.steps[name].node
        return node.type == "Enter" and bool(CheckedAttributes(node.attributes).get("is_constant"))

    def _is_freed_by(self, frame: Frame, reference: str) -> bool:
        name = node_of(reference)
        if name not in self.steps or reference in self.given:
            return not frame.parent
        return self.gives_to[name] is frame and not self._is_held(name)


def _mark(name: str) -> str:
    """Return the name of the mark that a node ran."""
    return f"^{name}"


def _needs(item: Action | Turn) -> Sequence[str]:
    return (*item.inputs, *item.gates) if isinstance(item, Action) else ()


def _frame_name(step: "BoundNode") -> str:
    name = step.node.attributes.get("frame_name")
    if not isinstance(name, str):
        raise CoreError(f"the node {step.node.name!r} (Enter) lacks the attribute 'frame_name'")
    return name

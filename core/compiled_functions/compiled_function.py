"""The decorator `core.compile`: functions of tensors that run as plans."""

from collections.abc import Callable
from functools import partial, update_wrapper
from time import perf_counter
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, overload

from core.backends.cpu.tiers import lasting_work
from core.compiled_functions.compiled_call import CompiledCall, Refusal, call_or_refusal
from core.compiled_functions.structure import Structure, flatten, format_structure
from core.engine.observers import active_observers
from core.engine.settings import active_backend, flags
from core.engine.trace_hook import active_trace
from core.errors import CoreError
from core.graph.feeds import Feed
from core.plan.cache import LruCache
from core.plan.plan import Plan

P = ParamSpec("P")
R = TypeVar("R")

#: Signatures that a function keeps plans for.
MOST_PLANS = 32


class _Key(NamedTuple):
    """The key of a plan: a backend, and the arguments without values."""

    backend: str
    structure: Structure


class CompiledFunction(Generic[P, R]):
    """A function that `core.compile` made: called like the function itself.

    Args:
        function: what is compiled.
        compiles_first: whether the kernels of its plans are compiled before the first run; else
            by the rules of models, see `core.set_tier`.
    """

    def __init__(self, function: Callable[P, R], *, compiles_first: bool = False):
        if not callable(function):
            raise CoreError(f"core.compile takes a function of tensors, got {function!r:.80}")
        update_wrapper(self, function)
        self._function = function
        self._new_call = lasting_work(call_or_refusal) if compiles_first else call_or_refusal
        self._calls: LruCache[_Key, CompiledCall | Refusal] = LruCache(MOST_PLANS)

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> R:
        """Return what the function returns; variables change as it changes them."""
        if self._runs_ops():
            return self._function(*arguments, **options)
        feeds: list[Feed] = []
        call = self._call_for(flatten((arguments, options), feeds))
        if isinstance(call, CompiledCall):
            return call.run(feeds)
        return self._function(*arguments, **options)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Return the method of an object, where the function is declared in a class."""
        return self if instance is None else _BoundFunction(self, instance)

    def plan(self, *arguments: P.args, **options: P.kwargs) -> Plan:
        """Return the plan for arguments of these shapes, which lists its steps; nothing runs.

        Raises:
            CoreError: the function runs op by op for them; the message says why.

        >>> import core
        >>> double = core.compile(lambda x: x * 2.0 + 1.0)
        >>> [step.op for step in double.plan(core.ones((2, 3))).steps]
        ['mul']
        """
        structure = flatten((arguments, options), [])
        call = self._call_for(structure)
        if isinstance(call, Refusal):
            raise CoreError(f"{self._name} runs op by op: it {call.reason} at {call.line}")
        return call.plan

    def warmup(self, *arguments: P.args, **options: P.kwargs) -> float:
        """Trace and compile for arguments of these shapes, without a run.

        Returns:
            How many milliseconds it took.

        Raises:
            CoreError: the function runs op by op for them; the message says why.

        >>> import core
        >>> double = core.compile(lambda x: x * 2.0)
        >>> double.warmup(core.ones((2, 3))) > 0
        True
        """
        started = perf_counter()
        self.plan(*arguments, **options).warmup()
        return 1e3 * (perf_counter() - started)

    def report(self) -> str:
        """Return a text with a line for each signature so far: how it runs, or why op by op.

        >>> import core
        >>> @core.compile
        ... def clip(x):
        ...     return x if x.sum().item() < 1.0 else x / x.sum()
        >>> clip(core.tensor([1.0, 1.0])).numpy()
        array([0.5, 0.5], dtype=float32)
        >>> print(clip.report().partition(" at ")[0])
        clip(float32 (2,)): op by op, as it reads the values of 'sum'
        """
        lines = [
            f"{self._name}{_signature(key.structure)}: {_report_line(call)}"
            for key, call in self._calls.items()
        ]
        return "\n".join(lines) or f"{self._name}: not called yet"

    def __repr__(self) -> str:
        return f"core.compile({self._name})"

    @property
    def _name(self) -> str:
        return getattr(self._function, "__name__", repr(self._function))

    def _runs_ops(self) -> bool:
        """Return whether the function runs op by op now: traced, watched or in debug mode."""
        return (
            flags.debug
            or active_trace() is not None
            or any(each.needs_ops for each in active_observers())
            or not active_backend().has_plans
        )

    def _call_for(self, structure: Structure) -> CompiledCall | Refusal:
        backend = active_backend()
        key = _Key(backend.name, structure)
        found = self._calls.get(key, partial(self._new_call, self._function, structure, backend))
        if isinstance(found, Refusal) and not found.is_lasting:
            self._calls.drop(key)
        return found


class _BoundFunction:
    """The method of an object that a `CompiledFunction` is."""

    def __init__(self, function: CompiledFunction[..., Any], instance: Any):
        self._function, self._instance = function, instance

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._function(self._instance, *arguments, **options)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._function, name)
        return partial(found, self._instance) if name in ("plan", "warmup") else found


@overload
def compile(function: Callable[P, R]) -> CompiledFunction[P, R]: ...


@overload
def compile() -> Callable[[Callable[P, R]], CompiledFunction[P, R]]: ...


def compile(function: Any = None) -> Any:
    """Compile a function of tensors and variables: it runs as one program for each signature.

    At the first call for some shapes the function runs once without data, and its ops are recorded:
    gradients, steps of optimizers and random numbers included. Then the program runs, by the
    kernels that are generated for its shapes where llvmlite is installed and there is much to
    compute; to compile these takes some tenths of a second to some seconds, once for a computer.
    Its variables are read and changed at each call. Random numbers and the constants of an
    optimizer's step are new at each call.

    Args:
        function: takes tensors, arrays, and lists, tuples and dicts of them, and returns such.
            Other arguments (numbers, texts, objects), and all that is read besides variables, are
            part of the program: another number means another program.

    Returns:
        A function of the same arguments. `CompiledFunction.report` says how it runs,
        `CompiledFunction.plan` lists the program. Where Python needs values, such as in
        ``if loss.item() < 1``, the function runs op by op, and the report says on which line. Code
        besides ops, such as ``print``, runs only while the function is traced. Where a tape or
        `core.profile` watches, and in debug mode, the function runs op by op.

    Raises:
        CoreError: an argument can be no part of a signature.

    >>> import core
    >>> w = core.variable([0.0, 0.0])
    >>> optimizer = core.train.adam(0.1)
    >>> @core.compile
    ... def step(x, y):
    ...     return optimizer.minimize(lambda: core.mean(core.square(x * w - y)), return_cost=True)
    >>> x, y = core.tensor([1.0, 2.0]), core.tensor([3.0, 4.0])
    >>> losses = [step(x, y).item() for _ in range(50)]
    >>> losses[-1] < 0.1 * losses[0]
    True
    """
    if function is None:
        return compile
    return CompiledFunction(function, compiles_first=True)


def _signature(structure: Structure) -> str:
    arguments, options = structure.members
    named = [
        f"{name}={format_structure(member)}"
        for name, member in zip(options.keys, options.members, strict=True)
    ]
    return f"({', '.join([*map(format_structure, arguments.members), *named])})"


def _report_line(call: CompiledCall | Refusal) -> str:
    if isinstance(call, Refusal):
        return f"op by op, as it {call.reason} at {call.line}"
    return f"a plan of {len(call.plan.steps)} steps, {call.plan.tier} kernels"

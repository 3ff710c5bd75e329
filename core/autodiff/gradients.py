"""Gradients for users: of inputs, of variables, and functions with user-defined gradients."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import wraps
from typing import Any, NamedTuple

from core import ops
from core.autodiff.tape import Tape, filled, gradient_dtype
from core.engine.dispatch import tensor
from core.engine.dtypes import DIFFERENTIABLE
from core.engine.observers import observing, unobserved
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError


def value_and_grads(function: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, list[Tensor]]]:
    """A function that returns ``function``'s value and its gradient for each input.

    Args:
        function: takes tensors and returns a tensor.

    Returns:
        A function of the same inputs, and of ``dy``: the gradient to start from, of the value's
        shape (ones by default, which gives the gradient of the value's sum). Each gradient has
        the shape of its input. They can be differentiated again.

    Raises:
        CoreError: the value does not depend on an input through ops that have a gradient.

    >>> import core
    >>> value, (da, db) = core.value_and_grads(lambda a, b: a * b)(2.0, 3.0)
    >>> value.item(), da.item(), db.item()
    (6.0, 3.0, 2.0)
    """
    _check_callable(function)

    def with_gradients(*inputs: Any, dy: Any = None) -> tuple[Tensor, list[Tensor]]:
        # Fresh aliases: the tape then watches these, and not other uses of the same tensors.
        xs = [ops.identity(x) for x in inputs]
        if any(x.dtype == "string" for x in xs):
            raise CoreError("strings have no gradient: close over them instead of giving them")
        tape = Tape(xs)
        with observing(tape):
            y = _returned(function(*xs))
        found = _walked(tape, y, dy)
        return y, [_of_input(found, x, i) for i, x in enumerate(xs)]

    return with_gradients


def grads(function: Callable[..., Tensor]) -> Callable[..., list[Tensor]]:
    """A function that returns the gradient for each input; see `value_and_grads`.

    Args:
        function: takes tensors and returns a tensor.

    Raises:
        CoreError: no gradient reaches an input.

    >>> import core
    >>> [g.item() for g in core.grads(lambda a, b: a * b)(2.0, 3.0)]
    [3.0, 2.0]
    """
    both = value_and_grads(function)
    return lambda *inputs, dy=None: both(*inputs, dy=dy)[1]


def value_and_grad(function: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    """A function that returns the value and the gradient for its only input.

    Args:
        function: takes one tensor and returns a tensor.

    Raises:
        CoreError: there are several inputs, or no gradient reaches the input; see `grad`.

    >>> import core
    >>> value, gradient = core.value_and_grad(core.square)(3.0)
    >>> value.item(), gradient.item()
    (9.0, 6.0)
    """
    both = value_and_grads(function)

    def with_gradient(*inputs: Any, dy: Any = None) -> tuple[Tensor, Tensor]:
        if len(inputs) != 1:
            raise CoreError(
                f"core.grad and core.value_and_grad are for functions of one input, got "
                f"{len(inputs)}: use core.grads or core.value_and_grads"
            )
        value, (gradient,) = both(*inputs, dy=dy)
        return value, gradient

    return with_gradient


def grad(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function that returns the gradient for its only input; applied twice, the second one.

    Args:
        function: takes one tensor and returns a tensor.

    Returns:
        A function of the same input, and of ``dy``; see `value_and_grads`.

    Raises:
        CoreError: there are several inputs, or no gradient reaches the input. A derivative that is
            zero everywhere, such as the second one of a linear function, counts as missing: add
            ``0.0 * x`` to the result.

    >>> import core
    >>> core.grad(core.grad(lambda x: x * x * x))(2.0).item()
    12.0
    """
    both = value_and_grad(function)
    return lambda *inputs, dy=None: both(*inputs, dy=dy)[1]


def _check_callable(function: Any) -> None:
    if not callable(function):
        raise CoreError(
            f"give a function to differentiate, as lambda x: x * x; got {function!r:.80}"
        )


def _returned(y: Any) -> Tensor:
    """The result of a function, if it is a tensor; a variable is read while its tape records."""
    if not isinstance(y, Tensor):
        raise CoreError(f"the function must return one tensor, not {type(y).__name__}")
    return tensor(y)


def _walked(tape: Tape, y: Tensor, dy: Any = None) -> dict[int, Tensor]:
    """The gradients that a tape finds for a function's value."""
    if dy is not None:
        dy = tensor(dy)
        if dy.dtype == "complex64" and y.dtype != "complex64":
            raise CoreError(f"dy is complex, the value is {y.dtype}: give core.real(dy)")
    g = filled(y.spec, 1.0) if dy is None else ops.cast(dy, dtype=gradient_dtype(y.spec))
    if g.shape != y.shape:
        raise CoreError(f"dy has shape {g.shape}, the value has {y.shape}")
    return tape.walk(y, g)


def _of_input(found: dict[int, Tensor], x: Tensor, index: int) -> Tensor:
    if x.id not in found:
        raise CoreError(
            f"no gradient reaches input {index}: the result must be computed from it by ops that "
            f"have a gradient, inside of the function given. A derivative that is zero everywhere, "
            f"such as the second one of a linear function, counts as none, too: add 0.0 * x"
        )
    return found[x.id]


class Gradients(dict[str, Tensor | None]):
    """Gradients by the names of their variables, which optimizers find in ``variables``."""

    def __init__(self) -> None:
        super().__init__()
        self.variables: dict[str, Variable] = {}

    def put(self, variable: Variable, gradient: Tensor | None) -> None:
        """Add a gradient; None where no gradient reaches the variable."""
        if self.variables.setdefault(variable.name, variable) is not variable:
            raise CoreError(f"two variables are named {variable.name!r}: give them other names")
        self[variable.name] = gradient


class VariableGrads(NamedTuple):
    """The value and the gradients that `core.variable_grads` returns."""

    value: Tensor
    grads: Gradients


class _VariableTape(Tape):
    """Watches variables as they are read: all trainable ones, or given variables."""

    __slots__ = ("_wanted", "read_first")

    def __init__(self, wanted: list[Variable] | None):
        super().__init__()
        self._wanted = None if wanted is None else {id(v) for v in wanted}
        self.read_first: dict[int, tuple[Variable, Tensor]] = {}  # by the id of the object

    def read(self, variable: Variable, value: Tensor) -> None:
        """Watch a reading; the gradients of later readings are added to that of the first one.

        A variable that is assigned to has a value before and one after, both of which count.
        """
        key = id(variable)
        if not _trains(variable) or (self._wanted is not None and key not in self._wanted):
            return
        _, first = self.read_first.setdefault(key, (variable, value))
        if first is value:
            self.reached.add(value.id)
        else:
            self.record_custom("read", [first], [value], _passed_on)


def _trains(variable: Variable) -> bool:
    """Whether a variable gets gradients; integers could not be updated by them."""
    return variable.trainable and variable.dtype in DIFFERENTIABLE


def _passed_on(dy: Tensor) -> Tensor:
    return dy


def variable_grads(
    function: Callable[[], Tensor], variables: Iterable[Variable] | None = None
) -> VariableGrads:
    """The value of a function, usually a loss, and its gradient for the variables that it reads.

    Args:
        function: takes nothing and returns one number as a tensor.
        variables: for which to find gradients; by default all that the function reads. Variables
            with ``trainable=False`` and variables of integers, bools or strings do not train.

    Returns:
        A named tuple ``(value, grads)``: grads has the gradients by the names of the variables,
        each of its variable's shape. Given variables that do not train or
        that no gradient reaches have None.

    Raises:
        CoreError: the value is not one number, or none of the variables leads to it.

    >>> import core
    >>> w, b = core.variable([1.0, 2.0], name="w"), core.variable(0.5, name="b")
    >>> value, grads = core.variable_grads(lambda: core.sum(w * 3.0) + b)
    >>> value.item(), grads["w"].numpy(), grads["b"].item()
    (9.5, array([3., 3.], dtype=float32), 1.0)
    """
    _check_callable(function)
    wanted = None if variables is None else _checked_variables(variables)
    tape = _VariableTape(wanted)
    with observing(tape):
        y = _returned(function())
    if y.shape:
        raise CoreError(f"the loss must be one number, got shape {y.shape}: take its mean or sum")
    found = _walked(tape, y)
    flows = {key: found[x.id] for key, (_, x) in tape.read_first.items() if x.id in found}
    if not flows:
        raise CoreError(
            "no gradient reaches a variable: the loss must be computed from trainable variables "
            "by ops that have a gradient, inside of the function given"
        )
    gradients = Gradients()
    for variable in wanted or [tape.read_first[key][0] for key in flows]:
        gradients.put(variable, flows.get(id(variable)))
    return VariableGrads(y, gradients)


def _checked_variables(given: Iterable[Variable]) -> list[Variable]:
    one = isinstance(given, Tensor) or not isinstance(given, Iterable)
    several: list[Any] = [given] if one else list(given)
    for value in several:
        if not isinstance(value, Variable):
            raise CoreError(f"expected variables, got {value!r:.80}: make one with core.variable")
    if not any(map(_trains, several)):
        raise CoreError(f"none of the {len(several)} variables is trainable and holds floats")
    return several


def custom_grad(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function with a user-defined gradient instead of that of its ops.

    Args:
        function: takes tensors and returns ``(value, gradient)``: a tensor, or a tuple of them, and
            a function from the gradient of the value (one argument for each value) to that of each
            input: a tensor of the input's shape, or a tuple of them, None where nothing flows.
            The gradient may use values of ``function`` by closure, and can be differentiated
            if it is made of ops.

    Returns:
        A function of the same tensors that returns the value; keyword arguments are passed on to
        ``function`` as they are, and not differentiated. Gradients flow into its inputs
        only, not into variables that it reads.

    Raises:
        CoreError: ``function`` returns something else, or gradients of other shapes.

    >>> import core
    >>> @core.custom_grad
    ... def clipped(x):
    ...     return x * x, lambda dy: core.clip_by_value(dy * 2.0 * x, -1.0, 1.0)
    >>> core.grad(clipped)([0.25, 3.0]).numpy()
    array([0.5, 1. ], dtype=float32)
    """
    _check_callable(function)
    name = getattr(function, "__name__", "the function")

    @wraps(function)
    def with_custom_gradient(*inputs: Any, **options: Any) -> Any:
        xs = [tensor(x) for x in inputs]
        with unobserved(Tape) as tapes, ExitStack() as outer:
            # The innermost tape never records the ops of the gradient. For the others, the values
            # that the gradient takes from the function must lead back to the inputs.
            for tape in tapes[:-1]:
                outer.enter_context(observing(tape))
            returned = function(*xs, **options)
        with unobserved(Tape):
            ys, gradient, several = _value_and_gradient(name, returned)
        for tape in tapes:
            tape.record_custom(name, xs, ys, gradient)
        return tuple(ys) if several else ys[0]

    return with_custom_gradient


def _value_and_gradient(name: str, returned: Any) -> tuple[list[Tensor], Callable[..., Any], bool]:
    """The values as fresh aliases, since a function may return its input, and the gradient."""
    if not isinstance(returned, tuple) or len(returned) != 2 or not callable(returned[1]):
        raise CoreError(
            f"{name} must return a value and a function for its gradient, as in "
            f"`return x * x, lambda dy: dy * 2.0 * x`; got {returned!r:.80}"
        )
    values, gradient = returned
    several = isinstance(values, (tuple, list))
    ys = [ops.identity(v) for v in (values if several else [values])]
    return ys, gradient, several


def stop_gradient(x: Any) -> Tensor:
    """Pass values on, but no gradient.

    Args:
        x: any tensor.

    >>> import core
    >>> core.grad(lambda x: x * core.stop_gradient(x))(3.0).item()
    3.0
    """
    with unobserved(Tape):
        return ops.identity(x)

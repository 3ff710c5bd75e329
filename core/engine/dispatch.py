"""Runs ops: convert the inputs, find and run the kernel, wrap the results, notify the tape."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from math import prod
from typing import Any

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.backend import Backend, Clock, Handle
from core.engine.dtypes import DType, dtype_of, promote, to_numpy
from core.engine.host_fallback import needs_host, run_on_host, stays
from core.engine.limits import value_ceiling
from core.engine.nan_check import check_finite
from core.engine.observers import Observer, active_observers
from core.engine.operation import Op, set_dispatch
from core.engine.registry import KERNEL_NAMES, READY, find_kernel
from core.engine.run_guard import check_promised, count_results
from core.engine.settings import active_backend, flags
from core.engine.specs import Spec
from core.engine.tensors import DataContainer, Tensor, wrap
from core.errors import MISUSE, CoreError, KernelNotFound

#: The spec of one float, and a number below the largest of float32.
_NUMBER, _LARGEST = Spec(()), 3e38

#: A Tensor, None for an absent input, or a list of Tensors, as the op's kinds say.
Input = Any


def tensor(
    value: TensorLike,
    shape: Sequence[int] | DType | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """Make a tensor of a number, nested lists, or an array; a Tensor is passed through.

    Args:
        value: numbers of any shape. float64 becomes float32; integers become int32.
        shape: of the tensor, for values in one flat list; by default that of the values. A dtype
            may be given instead.
        dtype: ``"float32"``, ``"int32"``, ``"bool"``, ``"complex64"`` or ``"string"``;
            by default that of the values.

    Returns:
        A tensor on the active backend. An array is copied: a tensor never changes.

    Raises:
        CoreError: the values are ragged, do not fill the shape, have a dtype that no tensor has,
            or do not fit into int32.

    >>> import core
    >>> core.tensor([[1, 2, 3]]).shape
    (1, 3)
    >>> core.tensor([1, 2, 3, 4], (2, 2)).tolist(), core.tensor([1, 2], "float32").tolist()
    ([[1, 2], [3, 4]], [1.0, 2.0])
    """
    if shape is not None:
        if not isinstance(shape, str):
            return _shaped(tensor(value, dtype=dtype), shape)
        if dtype is not None:
            raise CoreError(f"tensor got two dtypes, {shape!r} and {dtype!r}: give a shape or one")
        dtype = shape
    if isinstance(value, Tensor):
        value = value._operand()
        return value if dtype is None else ops.cast(value, dtype=dtype)
    if type(value) is float and dtype is None and -_LARGEST < value < _LARGEST:
        array, spec = np.array(value, np.float32), _NUMBER  # the usual case, in a third of the time
    else:
        if _holds_a_tensor(value):
            raise CoreError("a list of tensors must be joined by core.stack or core.concat")
        array = to_numpy(value, dtype)
        spec = Spec(array.shape, dtype_of(array))
    backend = active_backend()
    made = wrap(backend, backend.upload(array), spec)
    for observer in active_observers():
        observer.made(made)
    if flags.debug:
        check_finite("tensor", [], [made])
    return made


def _shaped(flat: Tensor, shape: Sequence[int]) -> Tensor:
    """Values in another shape, if it holds as many; nested ones must agree with it."""
    wanted = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    inner = flat.shape[:-1]
    if prod(wanted) != flat.size or min(wanted, default=0) < 0 or wanted[: len(inner)] != inner:
        raise CoreError(
            f"tensor got values of shape {flat.shape}, which do not fill the shape {wanted}: give "
            f"as many values as it takes, in one flat list"
        )
    return ops.reshape(flat, shape=wanted)


def _holds_a_tensor(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(
        isinstance(v, Tensor) or _holds_a_tensor(v) for v in value
    )


def run(op: Op, arguments: tuple, attributes: dict[str, Any]) -> Any:
    """Run one op on the active backend, and call the observers.

    For a small op this function takes most of the time: usual arguments have a short path.
    """
    backend, observers = active_backend(), active_observers()
    specs: list[Any] = []
    handles: list[Any] = []
    inputs: Any = _take_quickly(op, arguments, backend, specs, handles)
    are_usual = inputs is not None
    if not are_usual:
        inputs = _take_in(op, arguments)
        specs = [_each(lambda t: t.spec, i) for i in inputs]
        handles = [_each(partial(handle_on, backend), i) for i in inputs]
    try:
        result = op.rule(*specs, **attributes)
    except MISUSE as error:
        invalid = "got an invalid argument"
        raise _failure(op, inputs, attributes, error, invalid) from error
    outputs: Any
    seconds = 0.0
    if op.traits.view and result.dtype == inputs[0].spec.dtype:
        outputs = _alias(op, inputs[0], result)
    else:
        most = value_ceiling()
        if most is not None:
            check_promised(op.name, specs, attributes, result, most)
        try:
            key = op.name, backend.name
            if observers or (
                backend.host_ops and not (are_usual and stays(backend, key, specs, result))
            ):
                raw, seconds = _timed(observers, backend, op, handles, specs, attributes, result)
            else:
                kernel = READY.get(key) or find_kernel(*key)
                raw = backend.run(op, kernel, handles, attributes, result)
        except MISUSE as error:
            raise _failure(op, inputs, attributes, error) from error
        if type(result) is Spec:
            outputs = Tensor(result, DataContainer(backend, raw, result), raw)
        else:
            outputs = _wrapped(backend, raw, result)
        if most is not None and backend.holds_data:
            count_results(op.name, outputs, most)
    if observers or flags.debug:
        _show(observers, op, inputs, attributes, outputs, seconds)
    return outputs


def _timed(
    observers: Sequence[Observer],
    backend: Backend,
    op: "Op",
    handles: list[Any],
    specs: list[Any],
    attributes: dict[str, Any],
    result: Any,
) -> tuple[Any, float]:
    """Run a kernel that may be the host's, or whose time is needed; also return its seconds."""
    is_on_host = backend.host_ops and needs_host(backend, op, specs, result)
    home = "cpu" if is_on_host else backend.name
    kernel = READY.get((op.name, home)) or find_kernel(op.name, home)
    clock = Clock() if any(each.needs_times for each in observers) else None
    if is_on_host:
        raw = run_on_host(backend, op, kernel, handles, specs, attributes, result)
    else:
        raw = backend.run(op, kernel, handles, attributes, result, clock)
    return raw, clock.read() if clock else 0.0


def _show(
    observers: Sequence[Observer],
    op: Op,
    inputs: Any,
    attributes: dict[str, Any],
    outputs: Any,
    seconds: float,
) -> None:
    """Call the observers after an op."""
    for observer in observers:
        observer.record(op, inputs, attributes, outputs, seconds)
    if flags.debug:
        check_finite(op.name, _flat(inputs), _flat([outputs]))


def _take_quickly(
    op: Op, arguments: tuple, backend: Backend, specs: list[Any], handles: list[Any]
) -> list[Input] | None:
    """The usual arguments as tensors, or None; also lists their specs and handles.

    Usual are tensors, variables and floats, all of one dtype that the op works on, and nothing for
    inputs that may be absent.
    """
    if op.list_inputs or not op.least <= len(arguments) <= op.count:
        return None
    common = None
    inputs: list[Any] = []
    if len(arguments) < op.count:
        arguments += (None,) * (op.count - len(arguments))
    for value in arguments:
        if type(value) is not Tensor:
            if value is None and len(inputs) >= op.least:
                inputs.append(None)
                specs.append(None)
                handles.append(None)
                continue
            if type(value) is not float and not isinstance(value, Tensor):
                return None
            value = tensor(value)
        spec, container = value.spec, value.container
        if common is None:
            common = spec.dtype
            if common not in op.ready_dtypes:
                return None
        elif spec.dtype != common:
            return None
        inputs.append(value)
        specs.append(spec)
        handles.append(value.handle if container.backend is backend else handle_on(backend, value))
    return inputs


def _take_in(op: Op, arguments: tuple) -> Sequence[Input]:
    """The arguments as tensors of the dtypes that the op works with."""
    if op.list_inputs or op.optional_inputs:
        inputs = _take_in_kinds(op, arguments)
    elif len(arguments) != op.count:
        raise CoreError(f"{op.name} takes {_names(op)}, got {len(arguments)} tensors")
    else:
        inputs = _take_in_plain(op, arguments)
    if op.promote:
        inputs = _as_common_dtype(op, inputs)
    return [
        i if kind is None else _each(partial(_as_required, op, name, kind), i)
        for name, i, kind in zip(op.inputs, inputs, op.kinds, strict=True)
    ]


def _take_in_plain(op: Op, arguments: tuple) -> list[Input]:
    """Tensors of all arguments; a Python integer among float tensors becomes a float at once."""
    dtypes = [a.spec.dtype for a in arguments if type(a) is Tensor]
    if "float32" in dtypes and len(op.promote) == op.count:
        arguments = tuple(float(a) if type(a) is int else a for a in arguments)
    return [a if type(a) is Tensor else tensor(a) for a in arguments]


def _take_in_kinds(op: Op, arguments: tuple) -> list[Input]:
    missing = op.inputs[len(arguments) :]
    if len(arguments) > len(op.inputs) or any(n not in op.optional_inputs for n in missing):
        raise CoreError(f"{op.name} takes {_names(op)}, got {len(arguments)} inputs")
    inputs: list[Input] = []
    for name, value in zip(op.inputs, arguments + (None,) * len(missing), strict=True):
        if name in op.list_inputs:
            if not isinstance(value, (list, tuple)) or not value:
                raise CoreError(f"{op.name} needs a list of tensors as {name!r}, got {value!r:.80}")
            inputs.append([tensor(v) for v in value])
        elif value is None and name in op.optional_inputs:
            inputs.append(None)
        else:
            inputs.append(tensor(value))
    return inputs


def _names(op: Op) -> str:
    return f"({', '.join(op.inputs)})"


def _each(function: Callable[[Tensor], Any], value: Input) -> Any:
    """Apply a function to a tensor, to each of a list, or to nothing."""
    if isinstance(value, list):
        return [function(v) for v in value]
    return None if value is None else function(value)


def _flat(inputs: Sequence[Input]) -> list[Tensor]:
    tensors: list[Tensor] = []
    for value in inputs:
        if value is not None:
            tensors += value if isinstance(value, list) else [value]
    return tensors


def _as_common_dtype(op: Op, inputs: list[Input]) -> list[Input]:
    """The inputs that an op promotes, brought to one dtype."""
    mixed = [n in op.promote for n in op.inputs]
    dtypes = {t.spec.dtype for t in _flat([i for i, m in zip(inputs, mixed, strict=True) if m])}
    if len(dtypes) == 1:
        return inputs
    common = reduce(promote, dtypes)
    return [
        _each(lambda t: _as_dtype(t, common), i) if m else i
        for i, m in zip(inputs, mixed, strict=True)
    ]


def _as_dtype(value: Tensor, dtype: Any) -> Tensor:
    return value if value.spec.dtype == dtype else ops.cast(value, dtype=dtype)


def _as_required(op: Op, name: str, kind: Mapping[str, str], value: Tensor) -> Tensor:
    """A tensor of a dtype that an op can work on."""
    dtype = value.spec.dtype
    if dtype in kind:
        return _as_dtype(value, kind[dtype])
    if dtype == "float32" and value.size == 0 and "int32" in kind:
        return _as_dtype(value, "int32")  # an empty list has no dtype of its own
    raise CoreError(f"{op.name} needs {' or '.join(kind)} as {name!r}, got {dtype}")


def _alias(op: Op, source: Tensor, spec: Spec) -> Tensor:
    try:
        handle = source.container.backend.view(source.handle, spec)
    except MISUSE as error:
        raise _failure(op, [source], {"shape": spec.shape}, error) from error
    return Tensor(spec, source.container, handle)


def _wrapped(backend: Backend, raw: Any, result: tuple[Spec, ...] | None) -> Any:
    """A kernel's several results as a list, or its one result whose shape depends on data."""
    if isinstance(raw, tuple):
        specs = result or [backend.spec_of(r) for r in raw]
        return [wrap(backend, r, s) for r, s in zip(raw, specs, strict=True)]
    return wrap(backend, raw, backend.spec_of(raw))


def _failure(
    op: Op,
    inputs: Sequence[Input],
    attributes: Mapping[str, Any],
    error: Exception,
    what: str = "failed",
) -> CoreError:
    """Return an error that gives the reason, then the arguments of the op by name."""
    tensors = [
        f"{name}: {' and '.join(f'{t.dtype} {t.shape}' for t in _flat([value]))}"
        for name, value in zip(op.inputs, inputs, strict=True)
        if value is not None
    ]
    values = [f"{n}={attributes[n]!r:.80}" for n in op.attributes if n in attributes]
    reason = str(error) or type(error).__name__
    return CoreError(f"{op.name} {what}: {reason}; called with {', '.join(tensors + values)}")


def handle_on(backend: Backend, value: Tensor) -> Handle:
    """The tensor's data on a backend; brought over if another one holds it."""
    if value.container.backend is backend:
        return value.handle
    return backend.upload(value.numpy())


def run_kernel(
    name: str, inputs: Mapping[str, Any], attributes: Mapping[str, Any] | None = None
) -> list[Tensor]:
    """Run one kernel by its TensorFlow.js name, like ``engine().runKernel`` of TensorFlow.js.

    Args:
        name: such as ``"Conv2D"`` or ``"_FusedMatMul"``.
        inputs: TensorFlow.js's input names → Tensor, array or nested lists; for an input that is
            several tensors a list of them (``{"inputs": [...]}``). Leave out absent inputs.
            Arrays are never written to; strings are object arrays of bytes.
        attributes: TensorFlow.js's attribute names → values. Leave out undefined ones, or
            give None.

    Returns:
        The results in TensorFlow.js's order. ``Identity`` and ``Reshape`` share the data of
        their input.

    Raises:
        KernelNotFound: no kernel of that name.
        CoreError: an input or attribute is unknown, missing or does not fit.

    >>> import core
    >>> [y.numpy() for y in core.run_kernel("Sum", {"x": [[1.0, 2.0]]}, {"axis": 1})]
    [array([3.], dtype=float32)]
    """
    op = KERNEL_NAMES.get(name)
    if op is None:
        raise KernelNotFound(f"TensorFlow.js has no kernel {name!r}, or no op here runs it")
    python_names = {js_name: python_name for python_name, js_name in op.js_names.items()}
    named = {}
    for given in (inputs, attributes or {}):
        if not isinstance(given, Mapping):
            raise CoreError(f"kernel {name} takes names with values, not {given!r:.80}")
        for js_name, value in given.items():
            if js_name not in python_names or python_names[js_name] in named:
                raise CoreError(f"kernel {name} takes {list(python_names)} once, got {js_name!r}")
            if value is not None:
                named[python_names[js_name]] = value
    missing = set(op.inputs) - op.optional_inputs - set(named)
    if missing:
        needed = [op.js_names[n] for n in op.inputs if n in missing]
        raise CoreError(f"kernel {name} needs the inputs {needed}")
    outputs = op(**named)
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


set_dispatch(run)

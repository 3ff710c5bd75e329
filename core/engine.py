"""Runs ops: take the inputs in, find the kernel, run it, wrap the results, tell the tape."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from core.backends.base import Backend, Handle
from core.dtypes import dtype_of, promote, to_numpy
from core.errors import CoreError
from core.kernels import KERNELS, OPS, find_kernel
from core.settings import active_backend
from core.specs import Spec
from core.tape import active_tapes
from core.tensors import DataContainer, Tensor

if TYPE_CHECKING:
    from core.declare import Op

#: A tensor input, an absent one, or a list of them.
Input = Tensor | None | list[Tensor]


def tensor(value: Any, dtype: str | None = None) -> Tensor:
    """Make a tensor of a number, nested lists, or an array; a Tensor is passed through.

    Args:
        value: numbers of any shape. float64 becomes float32; whole numbers become int32.
        dtype: ``"float32"``, ``"int32"``, ``"bool"``, ``"complex64"`` or ``"string"``;
            by default that of the values.

    Returns:
        A tensor on the active backend. An array is copied: a tensor never changes.

    Raises:
        CoreError: the values are ragged, have no dtype of ours, or do not fit into int32.

    >>> import core
    >>> core.tensor([[1, 2, 3]]).shape
    (1, 3)
    """
    if isinstance(value, Tensor):
        return value if dtype is None else OPS["cast"](value, dtype=dtype)
    array = to_numpy(value, dtype)
    backend = active_backend()
    return wrap(backend, backend.upload(array), Spec(array.shape, dtype_of(array)))


def wrap(backend: Backend, handle: Handle, spec: Spec) -> Tensor:
    """A tensor that is the first owner of a backend's data."""
    return Tensor(spec, DataContainer(backend, handle, spec.bytes), handle)


def run(op: "Op", arguments: tuple, attributes: dict[str, Any]) -> Any:
    """Run one op on the active backend; the tensors it returns are recorded on active tapes."""
    inputs = _take_in(op, arguments)
    backend = active_backend()
    if op.plain:
        result = op.rule(*[t.spec for t in inputs], **attributes)  # type: ignore[union-attr]
    else:
        result = op.rule(*[_each(lambda t: t.spec, i) for i in inputs], **attributes)
    outputs: Any
    if op.alias and result.dtype == inputs[0].spec.dtype:  # type: ignore[union-attr]
        outputs = _alias(inputs[0], result)  # type: ignore[arg-type]
    else:
        outputs = _compute(op, backend, inputs, attributes, result)
    for tape in active_tapes():
        tape.record(op, inputs, attributes, outputs)
    return outputs


def _take_in(op: "Op", arguments: tuple) -> list[Input]:
    """The arguments as tensors of the dtypes that the op works with."""
    if op.plain:
        if len(arguments) != len(op.inputs):
            raise CoreError(f"{op.name} takes {_names(op)}, got {len(arguments)} tensors")
        inputs: list[Input] = [a if type(a) is Tensor else tensor(a) for a in arguments]
    else:
        inputs = _take_in_kinds(op, arguments)
    if op.promote:
        return _as_common_dtype(inputs)
    if op.input_dtype:
        return [_each(lambda t: _required_dtype(op, t), i) for i in inputs]
    return inputs


def _take_in_kinds(op: "Op", arguments: tuple) -> list[Input]:
    missing = op.inputs[len(arguments) :]
    if len(arguments) > len(op.inputs) or any(n not in op.optional_inputs for n in missing):
        raise CoreError(f"{op.name} takes {_names(op)}, got {len(arguments)} inputs")
    inputs: list[Input] = []
    for name, value in zip(op.inputs, arguments + (None,) * len(missing), strict=True):
        if name in op.list_inputs:
            if isinstance(value, Tensor) or not value:
                raise CoreError(f"{op.name} needs a list of tensors as {name!r}, got {value!r}")
            inputs.append([tensor(v) for v in value])
        elif value is None and name in op.optional_inputs:
            inputs.append(None)
        else:
            inputs.append(tensor(value))
    return inputs


def _names(op: "Op") -> str:
    return f"({', '.join(op.inputs)})"


def _each(function: Callable[[Tensor], Any], value: Input) -> Any:
    """Apply a function to a tensor, to each of a list, or to nothing."""
    if isinstance(value, list):
        return [function(v) for v in value]
    return None if value is None else function(value)


def _flat(inputs: list[Input]) -> list[Tensor]:
    tensors: list[Tensor] = []
    for value in inputs:
        if value is not None:
            tensors += value if isinstance(value, list) else [value]
    return tensors


def _as_common_dtype(inputs: list[Input]) -> list[Input]:
    dtypes = {t.spec.dtype for t in _flat(inputs)}
    if len(dtypes) == 1:
        return inputs
    common = dtypes.pop()
    for dtype in dtypes:
        common = promote(common, dtype)
    return [_each(lambda t: _as_dtype(t, common), i) for i in inputs]


def _as_dtype(value: Tensor, dtype: str | None) -> Tensor:
    return value if value.spec.dtype == dtype else OPS["cast"](value, dtype=dtype)


def _required_dtype(op: "Op", value: Tensor) -> Tensor:
    """Numbers become float32 for an op that works on it; nothing becomes bool unasked."""
    if op.input_dtype == "bool" and value.spec.dtype != "bool":
        raise CoreError(
            f"{op.name} needs bool tensors, got {value.spec.dtype}: compare, or cast to bool"
        )
    return _as_dtype(value, op.input_dtype)


def _alias(source: Tensor, spec: Spec) -> Tensor:
    handle = source.container.backend.view(source.handle, spec)
    return Tensor(spec, source.container, handle)


def _compute(
    op: "Op", backend: Backend, inputs: list[Input], attributes: Mapping[str, Any], result: Any
) -> Any:
    kernel = KERNELS.get((op.name, backend.name)) or find_kernel(op.name, backend.name)
    if op.plain:
        handles = [handle_on(backend, t) for t in inputs]  # type: ignore[arg-type]
    else:
        handles = [_each(lambda t: handle_on(backend, t), i) for i in inputs]
    raw = backend.run(kernel, handles, attributes)
    if type(result) is Spec:
        return wrap(backend, raw, result)
    if isinstance(raw, tuple):
        specs = result or [backend.spec_of(r) for r in raw]
        return [wrap(backend, r, s) for r, s in zip(raw, specs, strict=True)]
    return wrap(backend, raw, backend.spec_of(raw))


def handle_on(backend: Backend, value: Tensor) -> Handle:
    """The tensor's data on a backend; brought over if another one holds it."""
    if value.container.backend is backend:
        return value.handle
    return backend.upload(value.numpy())

"""Ops of a backend that run on the host: read the inputs back, run the cpu kernel, upload.

Each backend declares them as rows, `Backend.host_ops` and `Backend.host_dtypes`. Whether an op runs
on the host, on the backend or not at all is decided by this module, also for plans.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.engine.backend import Backend, Handle
from core.engine.backends import load_backend
from core.engine.registry import KERNELS
from core.engine.specs import Spec

if TYPE_CHECKING:
    from core.engine.operation import Op

Result = Spec | tuple[Spec, ...] | None


def host_reason(backend: Backend, op: "Op") -> str | None:
    """Return the reason why an op always runs on the host; None: the backend has a kernel."""
    if (op.name, backend.name) in KERNELS:
        return None
    return backend.host_ops.get(op.name)


def needs_host(backend: Backend, op: "Op", specs: Sequence[Any], result: Result) -> bool:
    """Whether an op on inputs of these specs runs on the host.

    The spec of an absent input is None, that of several tensors a list. A result None depends on
    the data.
    """
    if host_reason(backend, op) is not None:
        return True
    if result is None and not backend.has_data_dependent_kernels:
        return True
    results = (result,) if isinstance(result, Spec) else result or ()
    given = [s for spec in specs for s in (spec if type(spec) is list else (spec,))]
    return any(s is not None and s.dtype in backend.host_dtypes for s in (*given, *results))


def stays(backend: Backend, key: tuple[str, str], specs: Sequence[Any], result: Result) -> bool:
    """Whether an op on tensors of one dtype surely runs on its backend: `needs_host` in short.

    Args:
        backend: the backend.
        key: names of the op and of the backend.
        specs: specs of the inputs, of which the first is a tensor.
        result: as for `needs_host`.
    """
    return (
        key in KERNELS
        and type(result) is Spec
        and result.dtype not in backend.host_dtypes
        and bool(specs)
        and specs[0].dtype not in backend.host_dtypes
    )


def run_on_host(
    backend: Backend,
    op: "Op",
    kernel: Callable[..., Any],
    handles: Sequence[Any],
    specs: Sequence[Any],
    attributes: Mapping[str, Any],
    result: Result,
) -> Handle | tuple[Handle, ...]:
    """Run the cpu kernel of an op on handles of a backend, which gets the results.

    The arguments are those of `Backend.run`, with the specs of the inputs.
    """
    arrays = [_mapped(backend.download, h, s) for h, s in zip(handles, specs, strict=True)]
    made = load_backend("cpu").run(op, kernel, arrays, attributes, result)
    return tuple(map(backend.upload, made)) if isinstance(made, tuple) else backend.upload(made)


def _mapped(function: Callable[[Any, Spec], Any], handle: Any, spec: Any) -> Any:
    """Apply a function to a handle and its spec, to each of a list, or to nothing."""
    if type(spec) is list:
        return [function(*each) for each in zip(handle, spec, strict=True)]
    return None if spec is None else function(handle, spec)

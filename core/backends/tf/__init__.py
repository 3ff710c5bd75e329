"""The tf backend: TensorFlow's ops one by one, and a ``tf.function`` for each plan.

A handle is a tensor of TensorFlow. A kernel takes such tensors and returns them; it is made of
functions of ``tensorflow.raw_ops``, so that it runs at once or in a function that is being traced.
TensorFlow is imported when the backend is first used.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backend_contract import Backend, Clock
from core.backends.tf.host_ops import HOST_OPS
from core.backends.tf.raw_ops import integers, raw
from core.backends.tf.starting import load_tensorflow
from core.dtypes import DTYPES
from core.errors import CoreError
from core.specs import Spec

if TYPE_CHECKING:
    from core.backend_contract import Executable
    from core.backends.tf.raw_ops import TfTensor
    from core.operation import Op
    from core.plan.program import Program


class TfBackend(Backend):
    """Backend that runs TensorFlow's kernels."""

    name = "tf"
    epsilon = 1e-7
    has_plans = True
    has_data_dependent_kernels = True
    host_ops = HOST_OPS

    def __init__(self) -> None:
        self._tf = load_tensorflow()
        self._op_error = self._tf.errors.OpError

    # --- values -----------------------------------------------------------------------------

    def upload(self, array: np.ndarray) -> "TfTensor":
        """Return a tensor of an array, which it may share."""
        array.flags.writeable = False
        return self._tf.constant(array, dtype=None if array.dtype != object else "string")

    def download(self, handle: "TfTensor", spec: Spec) -> np.ndarray:
        """Return the values; of numbers on the CPU a view of TensorFlow's own memory."""
        if spec.dtype == "string":
            array = np.array(handle.numpy(), object)
        else:
            array = np.asarray(memoryview(handle))
        array.flags.writeable = False
        return array

    def view(self, handle: "TfTensor", spec: Spec) -> "TfTensor":
        """Return the data in another shape."""
        return raw.Reshape(tensor=handle, shape=integers(*spec.shape))

    def spec_of(self, handle: "TfTensor") -> Spec:
        """Return the shape and dtype of a tensor."""
        return Spec(tuple(handle.shape), handle.dtype.name)

    # --- kernels ----------------------------------------------------------------------------

    def run(
        self,
        op: "Op",
        kernel: Callable[..., Any],
        handles: list[Any],
        attributes: Mapping[str, Any],
        result: Spec | tuple[Spec, ...] | None,
        clock: Clock | None = None,
    ) -> Any:
        """Call the kernel."""
        try:
            return kernel(*handles, **attributes)
        except self._op_error as error:
            raise CoreError(error.message) from error

    def guarded(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """Return a user's kernel, which may return arrays; of a wrong dtype it raises."""

        def checked(*handles: Any, **attributes: Any) -> Any:
            made = kernel(*handles, **attributes)
            return tuple(map(self._taken, made)) if isinstance(made, tuple) else self._taken(made)

        return checked

    def _taken(self, made: Any) -> "TfTensor":
        handle = self._tf.convert_to_tensor(made)
        if handle.dtype.name not in DTYPES:
            raise CoreError(
                f"the kernel gave {handle.dtype.name}, which no tensor has: use one of {[*DTYPES]}"
            )
        return handle

    def lower(self, program: "Program") -> "Executable":
        """Trace a program; see `core.backends.tf.plans`."""
        from core.backends.tf.plans.tf_executable import TfExecutable  # single ops need none of it

        return TfExecutable(program, self)


def make_backend() -> TfBackend:
    """Return the backend for `core.backend_registry.load_backend`."""
    return TfBackend()

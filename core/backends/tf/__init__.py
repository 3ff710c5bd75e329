"""The tf backend: TensorFlow's ops one by one, and a ``tf.function`` for each plan.

A handle is a tensor of TensorFlow. A kernel takes such tensors and returns them; it is made of
functions of ``tensorflow.raw_ops``, so that it runs at once or in a function that is being traced.
TensorFlow is imported when the backend is first used.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.tf import forks
from core.backends.tf.errors import converted
from core.backends.tf.held_arrays import LEAST_BYTES, HeldArrays
from core.backends.tf.host_ops import HOST_OPS
from core.backends.tf.plans.tf_executable import TfExecutable
from core.backends.tf.raw_ops import integers, raw
from core.backends.tf.starting import load_tensorflow
from core.backends.tf.user_kernels import UserKernel, checked
from core.engine.async_run import run_async
from core.engine.backend import Backend, Clock
from core.engine.host_fallback import host_reason
from core.engine.specs import Spec

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor
    from core.engine.executable import Executable
    from core.engine.operation import Op
    from core.engine.program import Program


class TfBackend(Backend):
    """Backend that runs TensorFlow's kernels.

    Attributes:
        held: tensors of weights, which plans share.
    """

    name = "tf"
    epsilon = 1e-7
    has_plans = True
    has_data_dependent_kernels = True
    host_ops = HOST_OPS

    def __init__(self) -> None:
        self._tf = load_tensorflow()
        self._op_error = self._tf.errors.OpError
        # Ops on a GPU are queued; there, arrays that show a tensor's values are copies.
        self._is_queued = bool(self._tf.config.list_logical_devices("GPU"))
        self.held = HeldArrays()
        forks.note_use()

    # --- values -----------------------------------------------------------------------------

    def upload(self, array: np.ndarray) -> "TfTensor":
        """Return a tensor of an array, whose values TensorFlow copies.

        It could share only memory that begins at a multiple of 64 bytes, which NumPy's rarely does.
        """
        if array.dtype.hasobject:
            return self._tf.constant(array, dtype="string")
        made = self._tf.constant(array)
        if array.nbytes >= LEAST_BYTES and not self._is_queued:
            self.held.note(made, np.asarray(memoryview(made)))
        return made

    def download(self, handle: "TfTensor", spec: Spec) -> np.ndarray:
        """Return the values; of numbers on the CPU a view of TensorFlow's own memory."""
        if spec.dtype == "string":
            array = np.array(handle.numpy(), object)
            array.flags.writeable = False
            return array
        return np.asarray(memoryview(handle))  # read-only

    def view(self, handle: "TfTensor", spec: Spec) -> "TfTensor":
        """Return the data in another shape."""
        return raw.Reshape(tensor=handle, shape=integers(*spec.shape))

    def spec_of(self, handle: "TfTensor") -> Spec:
        """Return the shape and dtype of a tensor."""
        return Spec(tuple(handle.shape), handle.dtype.name)

    async def finished(self) -> None:
        """Wait in another thread until the GPU is done; on the CPU ops are done at once."""
        if self._is_queued:
            await run_async(self.synchronise)

    def synchronise(self) -> None:
        """Wait until a GPU is done with all queued ops."""
        if self._is_queued:
            self._tf.test.experimental.sync_devices()

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
        """Call the kernel; with a clock, wait for the device."""
        if forks._is_child:
            forks.refuse_in_child()
        try:
            made = kernel(*handles, **attributes)
            if clock is not None:
                self.synchronise()
        except self._op_error as error:
            raise converted(error) from error
        return checked(made, result) if type(kernel) is UserKernel else made

    def guarded(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """Return a user's kernel, which may return arrays, and whose results are checked."""
        return UserKernel(kernel)

    def can_fuse(self, op: "Op", spec: Spec) -> bool:
        """Return whether the op is element-wise: TensorFlow fuses some, and runs the others."""
        is_here = host_reason(self, op) is None
        return is_here and op.traits.elementwise and spec.dtype == "float32"

    def lower(self, program: "Program") -> "Executable":
        """Trace a program; see `core.backends.tf.plans`."""
        return TfExecutable(program, self)


def make_backend() -> TfBackend:
    """Return the backend for `core.engine.backends.load_backend`."""
    return TfBackend()

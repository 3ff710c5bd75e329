"""User-defined kernels: results are checked, as TensorFlow has more dtypes than the engine."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.backends.tf.starting import load_tensorflow
from core.engine.dtypes import DTYPES
from core.engine.specs import Spec
from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


class UserKernel:
    """A user's kernel, which may return arrays or numbers as well as tensors of TensorFlow.

    Args:
        function: the kernel.
    """

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]):
        self._function = function

    def __call__(self, *handles: Any, **attributes: Any) -> Any:
        """Return the results as tensors."""
        made = self._function(*handles, **attributes)
        convert = load_tensorflow().convert_to_tensor
        return tuple(map(convert, made)) if isinstance(made, tuple) else convert(made)


def checked(made: Any, result: Spec | tuple[Spec, ...] | None) -> Any:
    """Return a kernel's results if their shapes and dtypes are those of the op's rule, else raise.

    Args:
        made: a tensor or a tuple of them.
        result: the specs by the rule; None if these depend on the data.
    """
    several = made if isinstance(made, tuple) else (made,)
    if result is None:
        specs: tuple[Spec | None, ...] = (None,) * len(several)
    else:
        specs = (result,) if isinstance(result, Spec) else result
    for each, spec in zip(several, specs, strict=True):
        _check(each, spec)
    return made


def _check(made: "TfTensor", spec: Spec | None) -> None:
    dtype, shape = made.dtype.name, tuple(made.shape)
    if spec is None:
        if dtype not in DTYPES:
            raise CoreError(
                f"the kernel gave {dtype} {shape}, which no tensor has: use one of {[*DTYPES]}"
            )
    elif (dtype, shape) != (spec.dtype, spec.shape):
        raise CoreError(
            f"the kernel gave {dtype} {shape}, the op's rule says "
            f"{spec.dtype} {spec.shape}: is this dtype supported?"
        )

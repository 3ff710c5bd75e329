"""Single ops by generated kernels, by the rules of plans: the same kernels as in these.

What runs an op for some shapes is decided at its first call: kernels where their code is cached on
disk, else NumPy, and a thread compiles the kernels after the second call, for later processes.
Small ops stay with NumPy: the backend does not ask for them.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.cpu.codegen.background import compile_later
from core.backends.cpu.codegen.machine_code.cpu_features import compiler_version
from core.backends.cpu.codegen.single_op import generated_op, single_op
from core.backends.cpu.single_runs import runs_by_numpy
from core.backends.cpu.tiers import GENERATED, NUMPY, get_tier
from core.engine.backends import REPLACED
from core.engine.op_cost import multiply_adds
from core.engine.specs import Spec
from core.process.locks import new_lock

if TYPE_CHECKING:
    from core.backends.cpu.codegen.single_op import SingleOp
    from core.engine.operation import Op

#: Ops that NumPy computes by BLAS, and multiply-adds from which kernels are faster.
_BY_BLAS, _LEAST_PRODUCTS = ("matmul", "fused_matmul"), 1 << 23

#: Largest number of remembered pairs of op and shapes.
_MOST = 256

#: Calls after which kernels are compiled for later processes.
_CALLS = 2


class EagerOp:
    """An op for some shapes: its kernels, or how often NumPy has computed it.

    Args:
        op: the op.
        specs: of its inputs; None for an absent one.
        attributes: of the op.
        result: of its result.
        is_fixed: whether its kernels are compiled at the first call.
    """

    def __init__(
        self,
        op: "Op",
        specs: Sequence[Spec | None],
        attributes: Mapping[str, Any],
        result: Spec,
        *,
        is_fixed: bool,
    ):
        self._given = op, specs, attributes, result
        self._is_fixed = is_fixed
        #: Whether kernels would be faster than NumPy, whose BLAS computes small matrices as fast.
        self.is_worth_it = op.name not in _BY_BLAS or (
            multiply_adds("matmul", specs, attributes, result) >= _LEAST_PRODUCTS
        )
        self.kernels: SingleOp | None = None
        self._calls, self._is_decided = 0, False
        self._deciding = new_lock()

    def run(self, handles: Sequence[Any]) -> np.ndarray | None:
        """Return the result for some inputs; None if NumPy is to compute it."""
        if not self._is_decided:
            with self._deciding:
                if not self._is_decided:
                    self.kernels = self._found()
                    self._is_decided = True
        if self.kernels is not None:
            return self.kernels.run(handles)
        if self._calls < _CALLS:
            self._calls += 1
            if self._calls == _CALLS:
                compile_later(self)
        return None

    def _found(self) -> "SingleOp | None":
        """Return the kernels if there are such, and they are compiled or to be compiled now."""
        generated = generated_op(*self._given)
        if generated is None:
            self._calls = _CALLS  # there is nothing to compile
            return None
        code = generated.compiled_code() if self._is_fixed else generated.cached_code()
        _, specs, _, result = self._given
        return None if code is None else single_op(generated, code, specs, result)

    def compile(self, check: Callable[[], None]) -> None:
        """Compile the kernels for later processes.

        Args:
            check: called before each kernel; it raises if compiling is to end.
        """
        generated = generated_op(*self._given)
        if generated is not None:
            generated.compile_for_later(check)


_known: OrderedDict[Hashable, EagerOp] = OrderedDict()
_changing = new_lock()


def run_generated(
    op: "Op", handles: Sequence[Any], attributes: Mapping[str, Any], result: Spec
) -> np.ndarray | None:
    """Return the result of an op by generated kernels; None if NumPy is to compute it.

    Args:
        op: the op.
        handles: the inputs, None for an absent one.
        attributes: of the op.
        result: the spec of the result.
    """
    if get_tier() == NUMPY or compiler_version() is None or (op.name, "cpu") in REPLACED:
        return None
    if runs_by_numpy() and get_tier() is None:
        return None
    one = _find(op, handles, attributes, result)
    return one.run(handles) if one is not None and one.is_worth_it else None


def _find(
    op: "Op", handles: Sequence[Any], attributes: Mapping[str, Any], result: Spec
) -> EagerOp | None:
    """Return the entry of an op for some shapes; None if an input is no float32 array."""
    specs: list[Spec | None] = []
    for handle in handles:
        if handle is not None and (type(handle) is not np.ndarray or handle.dtype != np.float32):
            return None
        specs.append(None if handle is None else Spec(handle.shape))
    is_fixed = get_tier() == GENERATED
    key = op.name, tuple(specs), tuple(attributes.items()), is_fixed
    with _changing:
        one = _known.get(key)
        if one is None:
            one = _known[key] = EagerOp(op, specs, attributes, result, is_fixed=is_fixed)
            if len(_known) > _MOST:
                _known.popitem(last=False)
        else:
            _known.move_to_end(key)
    return one

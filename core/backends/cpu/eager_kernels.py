"""Single ops by generated kernels, where these are ready: the same kernels as in plans.

The first call of an op for some shapes runs by NumPy. From the second one on a thread loads kernels
from the cache on disk, or compiles them, and later calls use them. Small ops stay with NumPy: the
backend does not ask for them.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.cpu.codegen.background import compile_later
from core.backends.cpu.codegen.machine_code.cpu_features import compiler_version
from core.backends.cpu.codegen.single_op import make_single_op
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

#: Calls after which kernels are compiled.
_CALLS = 2


class EagerOp:
    """An op for some shapes: how often it was called, and its kernels once they are ready.

    Args:
        op: the op.
        specs: of its inputs; None for an absent one.
        attributes: of the op.
        result: of its result.
    """

    def __init__(
        self,
        op: "Op",
        specs: Sequence[Spec | None],
        attributes: Mapping[str, Any],
        result: Spec,
    ):
        self._given = op, specs, attributes, result
        #: Whether kernels would be faster than NumPy, whose BLAS computes small matrices as fast.
        self.is_worth_it = op.name not in _BY_BLAS or (
            multiply_adds("matmul", specs, attributes, result) >= _LEAST_PRODUCTS
        )
        self.calls = 0
        self.ready: SingleOp | None = None

    def compile(self, check: Callable[[], None]) -> None:
        """Make the kernels ready; an op without kernels stays with NumPy.

        Args:
            check: called before each kernel; it raises if compiling is to end.
        """
        self.ready = make_single_op(*self._given, check)


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
    one = _find(op, handles, attributes, result)
    if one is None or not one.is_worth_it:
        return None
    one.calls += 1
    if one.ready is None and one.calls == (1 if get_tier() == GENERATED else _CALLS):
        _make_ready(one)
    return None if one.ready is None else one.ready.run(handles)


def _find(
    op: "Op", handles: Sequence[Any], attributes: Mapping[str, Any], result: Spec
) -> EagerOp | None:
    """Return the entry of an op for some shapes; None if an input is no float32 array."""
    specs: list[Spec | None] = []
    for handle in handles:
        if handle is not None and (type(handle) is not np.ndarray or handle.dtype != np.float32):
            return None
        specs.append(None if handle is None else Spec(handle.shape))
    key = op.name, tuple(specs), tuple(attributes.items())
    with _changing:
        one = _known.get(key)
        if one is None:
            one = _known[key] = EagerOp(op, specs, attributes, result)
            if len(_known) > _MOST:
                _known.popitem(last=False)
        else:
            _known.move_to_end(key)
    return one


def _make_ready(one: EagerOp) -> None:
    """Compile the kernels now where they are chosen for all calls, else in the background."""
    if get_tier() == GENERATED:
        one.compile(lambda: None)
        return
    compile_later(one)

"""Ways to declare ops: rows of tables, ops on batches or single items, and gradients of zeros."""

from collections.abc import Callable, Sequence
from functools import cache
from inspect import cleandoc
from typing import Any

from core.engine.dispatch import tensor
from core.engine.late_ops import ops
from core.engine.operation import UNSPELLED, Op, Rule
from core.engine.registry import register

#: Types of an input, by its kind in `core.engine.dtypes.KINDS`; None takes any.
TAKES = {
    "float32": "float32; int32 and bool are converted to it",
    "real": "float32 or int32; bool becomes int32",
    "number": "float32, int32 or complex64; bool becomes int32",
    "int32": "int32; bool is converted to it",
    "bool": "bool",
    "no string": "of any dtype but string",
    None: "of any dtype",
}


def declare_row(
    row: Any, rule: Rule, summary: str, inputs: Sequence[str], gradients: Sequence[Any], **rest: Any
) -> Op:
    """Declare the op of a table's row, with documentation of all that the row contains.

    Args:
        row: name, dtype and example (arguments of a call, which a test runs, and the printed
            result; no arguments for none), and perhaps ``method`` and ``spellings``.
        rule: its docstring has the result as the first paragraph, and may have a line for each
            attribute as a second one.
        summary: a sentence about the result.
        inputs: a line for each input.
        gradients: a rule for each input, or None.
        rest: other options of `core.engine.operation.Op`.
    """
    returned, attributes = _paragraphs(rule)
    lines = [summary, "", "Args:", *[f"    {line}" for line in (*inputs, *attributes)]]
    lines += ["", "Returns:", f"    {returned}"]
    call, shown = row.example
    if call:
        lines += ["", f">>> core.{row.name}({call}).numpy()", shown]
    names = rule.__code__.co_varnames[: rule.__code__.co_argcount]
    rest |= {"gradients": dict(zip(names, gradients, strict=True)), "input_dtype": row.dtype}
    rest["method"] = getattr(row, "method", True)
    rest["spellings"] = getattr(row, "spellings", UNSPELLED)
    return register(Op(rule, name=row.name, doc="\n".join(lines), **rest))


@cache
def _paragraphs(rule: Rule) -> tuple[str, list[str]]:
    returned, _, attributes = cleandoc(rule.__doc__ or "").partition("\n\n")
    return " ".join(returned.split()), attributes.splitlines()


def zero(g):
    """Return the gradient of an input of the result's shape, or of one that broadcasts to it."""
    return ops.zeros_like(g)


def zero_gradient(op: Op, *inputs: str) -> None:
    """Give some inputs of an op, of any shapes, gradients of zeros."""
    for name in inputs:
        op.set_gradient(name, _zeros, [f"{name}_spec"])


def _zeros(g, **spec):
    (input_spec,) = spec.values()
    return ops.fill(shape=input_spec.shape, value=0.0)


class BatchOp(Op):
    """An op whose first input has a batch as its first axis.

    A single item, of one axis less, becomes a batch of one for the op, and the result a single
    item again: shape rules, gradients and kernels get batches only.
    """

    rank = 4

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        """Run the op on a batch or a single item."""
        first = self.inputs[0]
        if not inputs and first in attributes:
            inputs = (attributes.pop(first),)
        if not inputs:
            return super().__call__(**attributes)
        x = tensor(inputs[0])
        if len(x.spec.shape) != self.rank - 1:
            return super().__call__(x, *inputs[1:], **attributes)
        batch = ops.reshape(x, shape=(1, *x.spec.shape))
        result = super().__call__(batch, *inputs[1:], **attributes)
        return ops.reshape(result, shape=result.shape[1:])


class VolumeOp(BatchOp):
    """Volumes of a batch: [batch, depth, height, width, channels]."""

    rank = 5


def image_op(**options: Any) -> Callable[[Rule], Op]:
    """Declare the decorated rule as an op on [batch, height, width, channels] or one image."""
    return lambda rule: register(BatchOp(rule, **options))


def volume_op(**options: Any) -> Callable[[Rule], Op]:
    """Declare the decorated rule as an op on a batch of volumes or on one."""
    return lambda rule: register(VolumeOp(rule, **options))

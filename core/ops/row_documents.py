"""Documentation of the ops that are rows of tables: what each row says, and an example of each."""

from collections.abc import Sequence
from functools import cache
from inspect import cleandoc

from core.operation import Rule

#: What an input may be, by its kind in `core.dispatch.KINDS`; None takes any.
TAKES = {
    "float32": "float32; int32 and bool are converted to it",
    "real": "float32 or int32; bool becomes int32",
    "number": "float32, int32 or complex64; bool becomes int32",
    "int32": "int32; bool is converted to it",
    "bool": "bool",
    "no string": "of any dtype but string",
    None: "of any dtype",
}


def document(name: str, summary: str, inputs: Sequence[str], rule: Rule) -> str:
    """The docstring of a row's op.

    Args:
        name: of the op; its example comes from `EXAMPLES`, if it has one there.
        summary: what it computes, a sentence.
        inputs: a line for each input.
        rule: its docstring says in the first paragraph what comes out, and in a second one, if
            there is one, what each attribute means.
    """
    returned, attributes = _paragraphs(rule)
    lines = [summary, "", "Args:", *[f"    {line}" for line in (*inputs, *attributes)]]
    lines += ["", "Returns:", f"    {returned}"]
    if name in EXAMPLES:
        call, shown = EXAMPLES[name]
        lines += ["", f">>> core.{name}({call}).numpy()", shown]
    return "\n".join(lines)


@cache
def _paragraphs(rule: Rule) -> tuple[str, list[str]]:
    returned, _, attributes = cleandoc(rule.__doc__ or "").partition("\n\n")
    return " ".join(returned.split()), attributes.splitlines()


#: The arguments of a call, and the result of it; a test runs them.
EXAMPLES = {
    "neg": ("[1.5, -2.0]", "array([-1.5,  2. ], dtype=float32)"),
    "abs": ("[-1.5, 2.0]", "array([1.5, 2. ], dtype=float32)"),
    "sign": ("[-3.0, 0.0, 5.0]", "array([-1.,  0.,  1.], dtype=float32)"),
    "square": ("[3, -4]", "array([ 9, 16], dtype=int32)"),
    "sqrt": ("[4.0, 9.0]", "array([2., 3.], dtype=float32)"),
    "rsqrt": ("[4.0, 16.0]", "array([0.5 , 0.25], dtype=float32)"),
    "reciprocal": ("[2.0, -4.0]", "array([ 0.5 , -0.25], dtype=float32)"),
    "exp": ("[0.0, 1.0]", "array([1.       , 2.7182817], dtype=float32)"),
    "expm1": ("[0.0, 1e-6]", "array([0.0000000e+00, 1.0000005e-06], dtype=float32)"),
    "log": ("[1.0, 10.0]", "array([0.       , 2.3025851], dtype=float32)"),
    "log1p": ("[0.0, 1e-6]", "array([0.000000e+00, 9.999995e-07], dtype=float32)"),
    "sin": ("[0.0, 1.5707964]", "array([0., 1.], dtype=float32)"),
    "cos": ("[0.0, 3.1415927]", "array([ 1., -1.], dtype=float32)"),
    "tan": ("[0.0, 1.0]", "array([0.       , 1.5574077], dtype=float32)"),
    "asin": ("[-1.0, 0.5]", "array([-1.5707964,  0.5235988], dtype=float32)"),
    "acos": ("[-1.0, 0.5]", "array([3.1415927, 1.0471976], dtype=float32)"),
    "atan": ("[-1.0, 0.5]", "array([-0.7853982,  0.4636476], dtype=float32)"),
    "sinh": ("[0.0, 1.0]", "array([0.       , 1.1752012], dtype=float32)"),
    "cosh": ("[0.0, 1.0]", "array([1.       , 1.5430807], dtype=float32)"),
    "tanh": ("[0.0, 20.0]", "array([0., 1.], dtype=float32)"),
    "asinh": ("[0.0, 1.0]", "array([0.       , 0.8813736], dtype=float32)"),
    "acosh": ("[1.0, 2.0]", "array([0.      , 1.316958], dtype=float32)"),
    "atanh": ("[0.0, 0.5]", "array([0.        , 0.54930615], dtype=float32)"),
    "erf": ("[0.0, 1.0]", "array([0.       , 0.8427008], dtype=float32)"),
    "sigmoid": ("[0.0, 2.0]", "array([0.5      , 0.8807971], dtype=float32)"),
    "softplus": ("[0.0, 100.0]", "array([  0.6931472, 100.       ], dtype=float32)"),
    "relu": ("[-1.5, 2.0]", "array([0., 2.], dtype=float32)"),
    "relu6": ("[-1.5, 2.0, 8.0]", "array([0., 2., 6.], dtype=float32)"),
    "elu": ("[-1.0, 2.0]", "array([-0.63212055,  2.        ], dtype=float32)"),
    "selu": ("[-1.0, 2.0]", "array([-1.1113307,  2.101402 ], dtype=float32)"),
    "leaky_relu": ("[-1.0, 2.0], alpha=0.5", "array([-0.5,  2. ], dtype=float32)"),
    "step": ("[-1.5, 0.0, 2.0]", "array([0., 0., 1.], dtype=float32)"),
    "clip_by_value": ("[-3, 1, 7], 0, 5", "array([0, 1, 5], dtype=int32)"),
    "floor": ("[1.5, -1.5]", "array([ 1., -2.], dtype=float32)"),
    "ceil": ("[1.5, -1.5]", "array([ 2., -1.], dtype=float32)"),
    "round": ("[1.5, 2.5, -0.4]", "array([ 2.,  2., -0.], dtype=float32)"),
    "is_nan": ('[1.0, float("nan")]', "array([False,  True])"),
    "is_inf": ('[1.0, float("-inf")]', "array([False,  True])"),
    "is_finite": ('[1.0, float("nan"), float("inf")]', "array([ True, False, False])"),
    "logical_not": ("[True, False]", "array([False,  True])"),
    "zeros_like": ("[[1, 2]]", "array([[0, 0]], dtype=int32)"),
    "ones_like": ("[[1.0, 2.0]]", "array([[1., 1.]], dtype=float32)"),
    "add": ("[1, 2], [10.0, 20.0]", "array([11., 22.], dtype=float32)"),
    "sub": ("[10, 20], 3", "array([ 7, 17], dtype=int32)"),
    "mul": ("[10, 20], 3", "array([30, 60], dtype=int32)"),
    "div": ("[7.0, 1.0], [2.0, 0.0]", "array([3.5, inf], dtype=float32)"),
    "floor_div": ("[7.0, -7.0], 2.0", "array([ 3, -4], dtype=int32)"),
    "mod": ("[7, -7], 3", "array([1, 2], dtype=int32)"),
    "pow": ("[2.0, 3.0], [3.0, -1.0]", "array([8.        , 0.33333334], dtype=float32)"),
    "maximum": ("[1, 5], [4, 2]", "array([4, 5], dtype=int32)"),
    "minimum": ("[1, 5], [4, 2]", "array([1, 2], dtype=int32)"),
    "squared_difference": ("[1.0, 5.0], 2.0", "array([1., 9.], dtype=float32)"),
    "atan2": ("[1.0, -1.0], [0.0, -1.0]", "array([ 1.5707964, -2.3561945], dtype=float32)"),
    "prelu": ("[[-1.0, -1.0, 2.0]], [0.5, 0.1, 0.1]", "array([[-0.5, -0.1,  2. ]], dtype=float32)"),
    "bitwise_and": ("[12, 10], 6", "array([4, 2], dtype=int32)"),
    "equal": ("[1, 2, 3], [1, 5, 3]", "array([ True, False,  True])"),
    "not_equal": ('["a", "b"], ["a", "c"]', "array([False,  True])"),
    "less": ("[1, 2, 3], 2", "array([ True, False, False])"),
    "less_equal": ("[1, 2, 3], 2", "array([ True,  True, False])"),
    "greater": ("[1, 2, 3], 2", "array([False, False,  True])"),
    "greater_equal": ("[1, 2, 3], 2", "array([False,  True,  True])"),
    "logical_and": ("[True, True, False], [True, False, False]", "array([ True, False, False])"),
    "logical_or": ("[True, True, False], [True, False, False]", "array([ True,  True, False])"),
    "logical_xor": ("[True, True, False], [True, False, False]", "array([False,  True, False])"),
    "sum": ("[[1, 2], [3, 4]], axis=1", "array([3, 7], dtype=int32)"),
    "prod": ("[[1, 2], [3, 4]], axis=1", "array([ 2, 12], dtype=int32)"),
    "mean": ("[[1, 2], [3, 4]], axis=0, keep_dims=True", "array([[2., 3.]], dtype=float32)"),
    "max": ("[[1, 2], [3, 4]], axis=1", "array([2, 4], dtype=int32)"),
    "min": ("[[1, 2], [3, 4]], axis=1", "array([1, 3], dtype=int32)"),
    "all": ("[[True, False], [True, True]], axis=1", "array([False,  True])"),
    "any": ("[[True, False], [False, False]], axis=1", "array([ True, False])"),
    "lower_bound": ("[1, 3, 3, 5], [3, 4, 9]", "array([1, 3, 4], dtype=int32)"),
    "upper_bound": ("[1, 3, 3, 5], [3, 4, 9]", "array([3, 3, 4], dtype=int32)"),
}

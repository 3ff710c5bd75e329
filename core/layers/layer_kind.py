"""The kinds of layers: rules that classes of built-in layers have, and functions between layers."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from core.layers.arguments import HasArguments
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall
from core.layers.layer_config import Options


def weighted(*always: str, **optional: str) -> "staticmethod[[Options], Sequence[str]]":
    """Return the method `BuiltIn.weight_names` of a class; flags select optional weights.

    >>> names = weighted("kernel", use_bias="bias").__func__
    >>> names(Options({"use_bias": False}, "layer 'dense'"))
    ('kernel',)
    """
    return staticmethod(
        lambda options: (
            *always,
            *(weight for flag, weight in optional.items() if options.flag(flag, True)),
        )
    )


class LayerKind(HasArguments):
    """A kind of layers: arguments, weights, masks, and how they compute.

    It serves tensors, graphs and shapes alike, and works from the config of a file, where there is
    no layer.
    """

    #: Whether it is there for classes that derive from it, and files do not name it.
    is_base: ClassVar[bool] = True

    #: Other names of the class.
    other_names: ClassVar[tuple[str, ...]] = ()

    #: Whether Keras has the class for programs; models of its applications have more classes.
    is_published: ClassVar[bool] = True

    #: Whether models of files may have such layers, and programs make none.
    only_in_files: ClassVar[bool] = False

    #: Whether it is a function between layers, such as ``x + y``.
    is_function: ClassVar[bool] = False

    #: Whether a result without a mask gets the mask of the first input.
    keeps_mask: ClassVar[bool] = True

    #: Whether the masks of several inputs become one; see `core.layers.built_in.merging`.
    merges_masks: ClassVar[bool] = False

    #: Whether the class in Keras 3 has an argument ``mask``.
    takes_mask: ClassVar[bool] = False

    #: Whether it takes the masks off its inputs when a model of Keras 3 runs; see `ModelRun`.
    removes_masks: ClassVar[bool] = False

    #: Initializers of weights that have no argument for them; by default zeros.
    starts: ClassVar[Mapping[str, str]] = {}

    #: Whether a layer that does not train runs as in inference, as batch norm does.
    freezes: ClassVar[bool] = False

    #: Function from options to the names of the weights in Keras's order.
    weight_names = weighted()

    @classmethod
    def is_public(cls) -> bool:
        """Return whether `core.layers` lists the class."""
        return cls.is_published and not cls.only_in_files

    @classmethod
    def children(cls, spec: LayerSpec) -> Sequence[LayerSpec]:
        """Return the layers inside of a layer."""
        return ()

    @classmethod
    def compute(cls, call: LayerCall, *args: Any, **kwargs: Any) -> Any:
        """Return the result for operands that are the inputs, or a list of results.

        Results may have masks: see `core.layers.layer_call.Masked`.
        """
        raise call.error("has no rule for its result")

    def __init_subclass__(cls, *, is_base: bool = False) -> None:
        super().__init_subclass__()
        cls.is_base = is_base


class FunctionKind(LayerKind, is_base=True):
    """A function between layers, such as ``x + y``; each function has a class of its own."""

    is_function = True
    keeps_mask = False

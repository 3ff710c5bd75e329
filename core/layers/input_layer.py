"""The inputs of functional models."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from core.errors import CoreError
from core.layers.keras_config import KerasCall, LayerSpec
from core.layers.layer import Layer
from core.layers.layer_call import Lengths, Value
from core.layers.symbolic import SymbolicTensor


class InputLayer(Layer):
    """An input of a model, which `Input` makes.

    Args:
        shape: shape of an input without the batch; None for lengths that may be any.
        batch_size: length of the batch, by default any.
        dtype: ``"float32"``, ``"int32"``, ``"bool"`` or ``"string"``.
        batch_shape: shape with the batch, in place of ``shape`` and ``batch_size``.
        name: name of the input.
    """

    def __init__(
        self,
        shape: Sequence[int | None] | None = None,
        batch_size: int | None = None,
        dtype: str | None = None,
        *,
        batch_shape: Sequence[int | None] | None = None,
        name: str | None = None,
    ):
        super().__init__(
            name=name, input_shape=shape, batch_size=batch_size, batch_input_shape=batch_shape
        )
        if self.declared_input_shape is None:
            raise CoreError("an input needs a shape without the batch, such as shape=(28, 28, 1)")
        self.batch_shape: Lengths = self.declared_input_shape
        kinds = {"float32": "float32", "bool": "bool", "string": "string", None: "float32"}
        other = "int32" if "int" in str(dtype) else None
        kind = kinds.get(dtype, other) if isinstance(dtype, Hashable) else None
        if kind is None:
            raise CoreError(
                f"dtype={dtype!r:.80} of an input must be 'float32', 'int32', 'bool' or 'string'"
            )
        self.dtype = kind
        self.built = True
        self.calls.append(KerasCall([], {}))
        self.call_inputs.append([])
        self.call_outputs.append(
            [SymbolicTensor(Value(None, self.batch_shape, self.dtype), self, 0, 0)]
        )

    def get_config(self) -> dict[str, Any]:
        """Return shape, dtype and name."""
        shape = list(self.batch_shape)
        return {"batch_shape": shape, "dtype": self.dtype, "name": self.name}

    def layer_spec(self) -> LayerSpec:
        """Return the description of the input for models."""
        return LayerSpec(
            "InputLayer", self.name, self.get_config(), "keras3", (KerasCall([], {}),), layer=self
        )

    @classmethod
    def from_spec(cls, spec: LayerSpec) -> "InputLayer":
        """Make the input of a file."""
        config: Mapping[str, Any] = spec.config
        shape = config.get("batch_shape") or config.get("batch_input_shape")
        dtype = config.get("dtype")
        if isinstance(dtype, Mapping):  # a policy of Keras
            inner = dtype.get("config")
            dtype = inner.get("name") if isinstance(inner, Mapping) else None
        return cls(batch_shape=shape, dtype=dtype, name=spec.name)


def Input(  # noqa: N802 - as Keras calls it
    shape: Sequence[int | None] | None = None,
    batch_size: int | None = None,
    dtype: str | None = None,
    *,
    batch_shape: Sequence[int | None] | None = None,
    name: str | None = None,
) -> SymbolicTensor:
    """Return an input of a functional model, on which layers are called.

    Args:
        shape: shape of an input without the batch; None for lengths that may be any.
        batch_size: length of the batch, by default any.
        dtype: ``"float32"``, by default, ``"int32"`` or ``"bool"``.
        batch_shape: shape with the batch, in place of ``shape`` and ``batch_size``.
        name: name of the input.

    Raises:
        CoreError: there is no shape, or the dtype is another one.

    >>> import core
    >>> x = core.layers.Input(shape=(4,))
    >>> y = core.layers.Dense(2)(x)
    >>> core.Model(x, y).count_params()
    10
    """
    made = InputLayer(shape, batch_size, dtype, batch_shape=batch_shape, name=name)
    return made.call_outputs[0][0]

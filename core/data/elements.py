"""Elements of datasets: arrays, tensors and scalars, alone or in tuples, lists and dicts."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.nodes import PartialSpec

#: Arrays in tuples, lists and dicts, to any depth.
Nested = np.ndarray | Tensor | tuple["Nested", ...] | list["Nested"] | dict[str, "Nested"]

#: Shapes and dtypes in the structure of an element.
NestedSpec = PartialSpec | tuple["NestedSpec", ...] | list["NestedSpec"] | dict[str, "NestedSpec"]


def is_structure(value: object) -> bool:
    """Whether a value holds arrays; lists of numbers are arrays.

    >>> is_structure((1, 2)), is_structure([1, 2]), is_structure([np.ones(3), np.ones(4)])
    (True, False, True)
    """
    if isinstance(value, list):
        return any(isinstance(v, (Tensor, tuple, dict)) or np.ndim(v) > 0 for v in value) and any(
            isinstance(v, (np.ndarray, Tensor, tuple, dict)) for v in value
        )
    return isinstance(value, (tuple, dict))


def map_leaves(function: Callable[..., Any], value: Any) -> Any:
    """Call a function for each array of an element; the result has the element's structure.

    >>> map_leaves(np.sum, {"a": np.ones(2), "b": (np.ones(3),)})
    {'a': np.float64(2.0), 'b': (np.float64(3.0),)}
    """
    if not is_structure(value):
        return function(value)
    if isinstance(value, dict):
        return {name: map_leaves(function, part) for name, part in value.items()}
    return _like(value, [map_leaves(function, part) for part in value])


def _like(value: Any, parts: list[Any]) -> Any:
    """Return parts as a list or tuple of the kind of another one."""
    if hasattr(value, "_fields"):  # a named tuple
        return type(value)(*parts)
    return parts if isinstance(value, list) else tuple(parts)


def named_leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of a structure with names for errors.

    >>> [name for name, _ in named_leaves({"a": np.ones(2), "b": [np.ones(1), np.ones(1)]}, "x")]
    ["x['a']", "x['b'][0]", "x['b'][1]"]
    """
    if not is_structure(value):
        yield name, value
        return
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in parts:
        yield from named_leaves(part, f"{name}[{key!r}]")


def as_arrays(value: Any) -> Any:
    """Return a structure with arrays for its leaves."""
    return map_leaves(_as_array, value)


def _as_array(leaf: Any) -> np.ndarray:
    return leaf.numpy() if isinstance(leaf, Tensor) else np.asarray(leaf)


def number_of_rows(value: Any, name: str) -> int:
    """Return how many samples there are along the first axis of all arrays.

    Raises:
        CoreError: there is no array, one has no axis, or their lengths differ.

    >>> number_of_rows((np.ones((4, 2)), np.ones(4)), "data")
    4
    """
    lengths = {}
    for where, leaf in named_leaves(value, name):
        if not np.shape(leaf):
            raise CoreError(f"{where} is a scalar: samples lie along the first axis of an array")
        lengths[where] = np.shape(leaf)[0]
    if not lengths:
        raise CoreError(f"{name} holds no array")
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{where} has {n}" for where, n in lengths.items())
        raise CoreError(f"arrays need equal numbers of samples along their first axis: {found}")
    return next(iter(lengths.values()))


def row(value: Any, index: int) -> Any:
    """Return one sample of a structure of arrays."""
    return map_leaves(lambda leaf: leaf[index], value)


def stacked(elements: Sequence[Any]) -> Any:
    """Return elements as one batch, stacked along a new first axis.

    Raises:
        CoreError: their structures or shapes differ.

    >>> stacked([(np.zeros(2), 1), (np.ones(2), 2)])
    (array([[0., 0.],
           [1., 1.]]), array([1, 2]))
    """
    first = elements[0]
    if not is_structure(first):
        return _stacked_leaves(elements)
    _check_structures(elements)
    if isinstance(first, dict):
        return {name: stacked([e[name] for e in elements]) for name in first}
    return _like(first, [stacked(parts) for parts in zip(*elements, strict=True)])


def _check_structures(elements: Sequence[Any]) -> None:
    first = elements[0]
    for number, element in enumerate(elements):
        is_same = type(element) is type(first) and len(element) == len(first)
        if isinstance(first, dict):
            is_same = is_same and element.keys() == first.keys()
        if not is_same:
            raise CoreError(
                f"elements of a batch need one structure: the first is {_outline(first)}, number "
                f"{number} is {_outline(element)}"
            )


def _stacked_leaves(leaves: Sequence[Any]) -> Any:
    if isinstance(leaves[0], Tensor):
        return ops.stack(list(leaves))
    shapes = [np.shape(leaf) for leaf in leaves]
    for number, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise CoreError(
                f"elements of a batch need one shape: the first is {shapes[0]}, number {number} "
                f"is {shape}; resize, crop or pad them in a map before batch"
            )
    return np.array(leaves)


def _outline(element: Any) -> str:
    if isinstance(element, dict):
        return f"a dict of {list(element)!r:.200}"
    if is_structure(element):
        return f"a {type(element).__name__} of {len(element)}"
    return f"an array of shape {np.shape(element)}"


def spec_of(element: Any) -> Any:
    """Return the shapes and dtypes of an element.

    >>> spec_of({"image": np.zeros((2, 2), np.uint8)})
    {'image': PartialSpec(shape=(2, 2), dtype='uint8')}
    """
    return map_leaves(_leaf_spec, element)


def _leaf_spec(leaf: Any) -> PartialSpec:
    if isinstance(leaf, Tensor):
        return PartialSpec(leaf.shape, leaf.dtype)
    return _array_spec(np.asarray(leaf))


def row_spec(array: np.ndarray) -> PartialSpec:
    """Return shape and dtype of the samples of an array.

    >>> row_spec(np.zeros((5, 2)))
    PartialSpec(shape=(2,), dtype='float64')
    """
    return _array_spec(array)._replace(shape=array.shape[1:])


def _array_spec(array: np.ndarray) -> PartialSpec:
    is_text = array.dtype.kind in "USO"
    return PartialSpec(array.shape, "string" if is_text else array.dtype.name)


def batch_spec(spec: Any, length: int | None) -> Any:
    """Return the spec of batches of elements; a length of None may be any."""
    if isinstance(spec, PartialSpec):
        shape = None if spec.shape is None else (length, *spec.shape)
        return PartialSpec(shape, spec.dtype)
    if isinstance(spec, dict):
        return {name: batch_spec(part, length) for name, part in spec.items()}
    return _like(spec, [batch_spec(part, length) for part in spec])

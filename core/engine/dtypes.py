"""The dtypes of tensors, conversion of Python and NumPy values, and promotion of dtypes.

A string tensor holds ``bytes``, so that kernels compare and hash one type: a
``str`` is encoded as UTF-8 by this module, and ``numpy()`` gives an object array of bytes.
"""

from typing import Any, Literal

import numpy as np

from core.errors import CoreError

#: The names of `DTYPES`, for annotations.
DType = Literal["float32", "int32", "bool", "complex64", "string"]

#: Name of each dtype and the NumPy type that holds it.
DTYPES: dict[str, Any] = {
    "float32": np.float32,
    "int32": np.int32,
    "bool": np.bool_,
    "complex64": np.complex64,
    "string": np.object_,
}

#: Dtypes whose values have gradients, and may be NaN or infinite.
DIFFERENTIABLE = frozenset({"float32", "complex64"})

_REAL = {"bool": "int32", "int32": "int32", "float32": "float32"}

#: Dtypes by kind of input: those that it may have, and the ones that others become.
KINDS: dict[str, dict[str, str]] = {
    "bool": {"bool": "bool"},
    "int32": {"bool": "int32", "int32": "int32"},
    "real": _REAL,
    "number": {**_REAL, "complex64": "complex64"},
    "float32": {"bool": "float32", "int32": "float32", "float32": "float32"},
    "complex64": {"complex64": "complex64"},
    "string": {"string": "string"},
    "no string": {d: d for d in DTYPES if d != "string"},
}

#: Bytes of one value; strings are counted as a pointer. Tensors have no bytes, plans may.
ITEM_SIZES = {
    "float32": 4,
    "int32": 4,
    "bool": 1,
    "complex64": 8,
    "string": 8,
    "uint8": 1,
    "int8": 1,
}

# A mixed pair takes the later of the two, as TensorFlow.js's upcastType does.
_PROMOTION_ORDER = {"bool": 0, "int32": 1, "float32": 2, "complex64": 3}
_DTYPE_OF_KIND = {"b": "bool", "i": "int32", "u": "int32", "f": "float32", "c": "complex64"}
_NAMES = {np.dtype(numpy_type): name for name, numpy_type in DTYPES.items()}


def promote(a: str, b: str) -> str:
    """The dtype that holds values of both.

    >>> promote("int32", "float32")
    'float32'
    """
    if a == b:
        return a
    try:
        return a if _PROMOTION_ORDER[a] > _PROMOTION_ORDER[b] else b
    except KeyError:
        raise CoreError(f"dtypes {a!r} and {b!r} do not mix: convert one with cast") from None


def dtype_of(array: np.ndarray) -> str:
    """The dtype name that an array would have as a tensor."""
    name = _NAMES.get(array.dtype) or _DTYPE_OF_KIND.get(array.dtype.kind)
    if name is None:
        if array.dtype.kind in "US":
            return "string"
        raise CoreError(f"no tensor dtype for NumPy's {array.dtype}: use one of {list(DTYPES)}")
    return name


def to_numpy(value: Any, dtype: str | None = None) -> np.ndarray:
    """A C-contiguous array of a tensor dtype; int64 that does not fit into int32 is an error.

    Always a copy when ``value`` is an array, so that a tensor never changes with its source.

    >>> to_numpy(["shark", "ray"])
    array([b'shark', b'ray'], dtype=object)
    """
    array = _as_array(value)
    name = dtype_of(array) if dtype is None else check_dtype(dtype)
    _check_fit(array, name)
    if name == "string":
        return _encoded(array)
    try:
        with np.errstate(over="ignore"):  # a float64 beyond the range of float32 becomes infinite
            return np.array(array, dtype=DTYPES[name], order="C", copy=True)
    except MemoryError:
        raise CoreError(
            f"a tensor of shape {array.shape} and dtype {name} needs "
            f"{array.size * ITEM_SIZES[name]:,} bytes, more than there is memory: give it in parts"
        ) from None


def _as_array(value: Any) -> np.ndarray:
    """An array of the values; strings as the objects that were given."""
    try:
        array = np.asarray(value)
        if (
            array.dtype == object
            and not array.ndim
            and array is not value
            and hasattr(value, "__dlpack__")
        ):
            array = np.from_dlpack(value)
        # NumPy's own string types turn numbers into text and cut off bytes of zero.
        return array if array.dtype.kind not in "SU" else np.asarray(value, dtype=object)
    except UnicodeDecodeError:  # str beside bytes
        return np.asarray(value, dtype=object)
    except ValueError as error:
        reason = _raggedness(value, "") or str(error)
        raise CoreError(f"cannot make a tensor: {reason}") from error
    except (TypeError, RuntimeError, BufferError) as error:  # raised by the class of the value
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise CoreError(f"cannot make a tensor of a {kind}: {error}") from error


def _raggedness(value: Any, index: str) -> str:
    """Describe where nested lists have no common length; empty if they have one."""
    if not isinstance(value, (list, tuple)):
        return ""
    sizes = [len(v) if isinstance(v, (list, tuple)) else None for v in value]
    for i, size in enumerate(sizes):
        if size != sizes[0]:
            first, other = (
                "a number" if n is None else f"{n} value{'' if n == 1 else 's'}"
                for n in (sizes[0], size)
            )
            return (
                f"the lists have different lengths, [{index}0] has {first} and [{index}{i}] has "
                f"{other}: pad them to one length"
            ).replace("has a number", "is a number")
    found = (_raggedness(v, f"{index}{i}, ") for i, v in enumerate(value))
    return next(filter(None, found), "")


def _encoded(array: np.ndarray) -> np.ndarray:
    """Strings encoded as bytes."""
    result = np.empty(array.size, dtype=object)
    try:
        result[:] = [s.encode() if isinstance(s, str) else bytes(s) for s in array.flat]
    except UnicodeEncodeError as error:
        raise CoreError(f"cannot make a tensor of a string that is not UTF-8: {error}") from error
    return result.reshape(array.shape)


def check_value(value: Any, dtype: str) -> None:
    """Raise for anything but one value that a dtype holds exactly enough.

    >>> check_value(1.5, "float32")
    """
    if dtype == "float32" and type(value) in (int, float):
        return  # the usual case, checked quickly
    array = to_numpy(value, dtype)
    if array.shape != ():
        raise CoreError(f"expected one {dtype} value, got an array of shape {array.shape}")
    if dtype == "int32" and array != value:
        raise CoreError(f"{value!r} is not an integer, as {dtype} needs")


def check_dtype(dtype: str) -> str:
    """The name of a dtype; raise an error that lists the valid ones for any other."""
    if dtype not in DTYPES:
        raise CoreError(f"unknown dtype {dtype!r}: use one of {list(DTYPES)}")
    return dtype


def _check_fit(array: np.ndarray, name: str) -> None:
    """Raise for values that a dtype cannot hold."""
    kind = "S" if array.dtype.kind in "OU" else array.dtype.kind
    if name == "string":
        _check_strings(array)
    elif kind == "S" or (kind == "c" and name != "complex64"):
        raise CoreError(f"cannot turn {array.dtype} values into {name}")
    elif name == "int32" and array.size and kind in "iuf":
        _check_int32(array)


def _check_int32(array: np.ndarray) -> None:
    low, high = array.min(), array.max()
    if not (low >= -(2**31) and high < 2**31):
        raise CoreError(
            f"values from {low} to {high} do not fit into int32: use float32 or smaller numbers"
        )


def _check_strings(array: np.ndarray) -> None:
    others = {type(v).__name__ for v in array.flat if not isinstance(v, (str, bytes))}
    if others:
        raise CoreError(f"cannot make a tensor of {min(others)}: give numbers or strings")

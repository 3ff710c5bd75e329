"""A case: one call of an op, drawn from a seeded generator, and the oracle of its result."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.engine.settings import active_backend

Draw = Callable[[np.random.Generator], Any]
WIDER = {np.dtype(np.float32): np.float64, np.dtype(np.complex64): np.complex128}


@dataclass(frozen=True)
class Case:
    """One call of an op.

    The oracle takes the inputs (float32 widened to float64) and the attributes, and returns an
    array, or a list or tuple of them for an op with several results, of the kind of dtype that the
    op promises: floats, whole numbers, bools, complex numbers or strings.
    """

    op: str
    inputs: tuple[Any, ...]  # each a Draw, None, or a list of Draws
    oracle: Callable[..., Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    label: str = ""
    gradient: bool = True  # False: the oracle cannot tell the slope; say why beside the case

    def __str__(self) -> str:
        """The name of its tests: op and label, an attribute's value after its name."""
        return re.sub(r"[{}':]", "", f"{self.op} {self.label}".strip())

    def draw(self, rng: np.random.Generator) -> list[Any]:
        return [_drawn(i, rng) for i in self.inputs]

    def expected(self, inputs: list[Any]) -> list[Any]:
        """What the oracle makes of drawn inputs."""
        given = [widened(i) for i in inputs if i is not None]
        with np.errstate(all="ignore"):
            return to_list(self.oracle(*given, **self.attributes))


def to_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def widened(x: Any) -> Any:
    """An input with float64 in place of float32 and complex128 of complex64, for oracles."""
    if isinstance(x, list):
        return [widened(v) for v in x]
    return x if x is None else x.astype(WIDER.get(x.dtype, x.dtype))


def tolerance() -> float:
    """How far results and slopes may be off on the backend that runs, by its precision."""
    return 100 * active_backend().epsilon


def _drawn(draw: Any, rng: np.random.Generator) -> Any:
    if isinstance(draw, list):
        return [d(rng) for d in draw]
    return None if draw is None else draw(rng)


def floats(*shape: int, domain: tuple[float, float] = (-3, 3)) -> Draw:
    """float32 values, none within 0.1 of a multiple of a half, where piecewise ops have kinks."""
    low, high = domain

    def draw(rng: np.random.Generator) -> np.ndarray:
        x = rng.uniform(low, high, shape)
        halves = np.floor(x * 2) / 2
        x = halves + 0.1 + (x - halves) * 0.6
        return np.asarray(np.clip(x, low, high), np.float32)

    return draw


def ints(*shape: int, low: int = -7, high: int = 8) -> Draw:
    return lambda rng: np.asarray(rng.integers(low, high, shape), np.int32)


def bools(*shape: int) -> Draw:
    return lambda rng: np.asarray(rng.integers(0, 2, shape), bool)


def complexes(*shape: int) -> Draw:
    """complex64 values whose real and imaginary parts lie in -3..3, away from 0."""
    part = floats(*shape)
    return lambda rng: np.asarray(part(rng) + 1j * part(rng), np.complex64)


def strings(*shape: int, words: tuple[str, ...] = ("", "a", "ab", "b", "été")) -> Draw:
    """Object arrays of bytes: some of the words in UTF-8."""
    encoded = np.array([w.encode() for w in words], object)
    return lambda rng: np.asarray(encoded[rng.integers(0, len(words), shape)], object)

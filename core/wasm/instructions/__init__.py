"""Every instruction of WebAssembly, one row each; all other rooms of this package read the rows.

Contains the first version, sign extension, saturating conversions, bulk memory, reference types,
SIMD128, relaxed SIMD and threads.
"""

from collections import defaultdict

from core.wasm.errors import WasmError
from core.wasm.instructions import (
    atomics,
    control,
    conversions,
    floats,
    integers,
    memory,
    relaxed_simd,
    simd,
    tables,
    variables,
)
from core.wasm.instructions.opcode import Immediate, Opcode
from weights_cache.common.similar_names import did_you_mean

__all__ = ["ALL", "BY_CODE", "BY_NAME", "FEATURES", "Immediate", "Opcode", "named"]

#: Every row.
ALL: tuple[Opcode, ...] = (
    *control.CONTROL,
    *(variables.OPERANDS + variables.TYPED_SELECT + variables.VARIABLES + variables.REFERENCES),
    *(tables.TABLES + tables.BULK + tables.SIZES),
    *(memory.MEMORY + memory.BULK),
    *(integers.I32 + integers.I64 + integers.SIGN_EXTENSIONS),
    *(floats.F32 + floats.F64),
    *(conversions.CONVERSIONS + conversions.SATURATING),
    *(simd.MEMORY + simd.LANES + simd.COMPARISONS + simd.BITS),
    *(simd.INTEGERS + simd.WIDTHS + simd.FLOATS),
    *relaxed_simd.RELAXED,
    *(atomics.WAITING + atomics.ACCESSES + atomics.CHANGES),
)


def _by_code() -> dict[int | None, dict[int, Opcode]]:
    found: dict[int | None, dict[int, Opcode]] = defaultdict(dict)
    for row in ALL:
        found[row.prefix][row.code] = row
    return dict(found)


#: Rows by prefix, None for those without, then by code.
BY_CODE: dict[int | None, dict[int, Opcode]] = _by_code()

#: Rows by name; "select" is the one without types.
BY_NAME: dict[str, Opcode] = {row.name: row for row in reversed(ALL)}

#: The extensions of WebAssembly that the rows belong to, and "multi_value", which has no row.
FEATURES: frozenset[str] = frozenset(row.feature for row in ALL) | {"multi_value"}


def named(name: str) -> Opcode:
    """Return the row of an instruction.

    Raises:
        WasmError: there is no instruction of this name.

    >>> named("i32.add").parameters
    ('i32', 'i32')
    >>> named("i32.ext8_s")
    Traceback (most recent call last):
    core.wasm.errors.WasmError: no instruction is named 'i32.ext8_s': did you mean 'i32.extend8_s'?
    """
    row = BY_NAME.get(name)
    if row is None:
        raise WasmError(f"no instruction is named {name!r}{did_you_mean(name, BY_NAME)}")
    return row

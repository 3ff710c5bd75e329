"""GLSL functions that kernels use by name; a program contains those that its text calls.

GLSL guarantees little about its built-in functions: drivers differ in exp and sin, in division, and
in the treatment of NaN. The functions here use one set of polynomials on every driver, within two
units in the last place (tan: three) if a driver adds and multiplies correctly, and with NumPy's
special values and signs of zero. Denormal numbers may count as zero.

Compilers may contract ``a * b + c``, and may simplify ``(a + b) - a`` to ``b``. So no function
relies on the rounding of a sum: where a remainder is needed, numbers are cut off by their bits,
which no compiler sees through, and products have so few bits that they are exact either way.
NVIDIA's compiler also reorders additions, and replaces ``!(a <= b)`` by ``a > b``, which is false
for NaN: additions whose order matters are marked ``EXACT`` (``precise`` where GLSL has that), and
no comparison of numbers that may be NaN is negated.

Polynomials: "Cephes" are those of Moshier's single precision library, "msun" those of FreeBSD's.
"""

import re

from core.backends.shader.codegen.library.arithmetic import ARITHMETIC, BITS, COMPLEX_ARITHMETIC
from core.backends.shader.codegen.library.exponentials import EXPONENTIALS
from core.backends.shader.codegen.library.pairs import PAIRS
from core.backends.shader.codegen.library.trigonometry import CIRCULAR, HYPERBOLIC

_TABLES = (BITS, ARITHMETIC, COMPLEX_ARITHMETIC, EXPONENTIALS, CIRCULAR, HYPERBOLIC, PAIRS)

#: A polynomial of x in the tables, ``float y = HORNER(x, a, b, c);`` for ``(a * x + b) * x + c``.
_HORNER = re.compile(r"( *)float (\w+) = HORNER\((\w+), ([^)]+)\);")


def _written_out(match: re.Match[str]) -> str:
    """Return the statements of a polynomial, one for each coefficient."""
    indent, y, x, coefficients = match.groups()
    first, *rest = re.split(r",\s+", coefficients)
    signed = [f"- {c[1:]}" if c.startswith("-") else f"+ {c}" for c in rest]
    steps = [f"{indent}{y} = {y} * {x} {c};" for c in signed]
    return "\n".join([f"{indent}float {y} = {first};", *steps])


#: Function by name; those that it calls are found in its text.
FUNCTIONS: dict[str, str] = {
    name: _HORNER.sub(_written_out, text.strip())
    for table in _TABLES
    for name, text in table.items()
}


def functions_for(text: str) -> str:
    """Return the functions that a text calls, each after those that it calls itself."""
    found: dict[str, str] = {}
    _collect(text, found)
    return "\n".join(found.values())


def _collect(text: str, found: dict[str, str]) -> None:
    for name in re.findall(r"\b(\w+)\s*\(", text):
        if name in FUNCTIONS and name not in found:
            _collect(FUNCTIONS[name].split("{", 1)[1], found)
            found[name] = FUNCTIONS[name]

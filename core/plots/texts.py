"""Texts of plots: numbers in few digits, names in one line."""

from math import isfinite


def plain_text(text: str, longest: int = 200) -> str:
    r"""Return a text in one line, without its middle where it is longer, and without formulas.

    Matplotlib would read what stands between two dollars as TeX.

    >>> plain_text("from $2\nto $3"), plain_text("a very long name of a class", 17)
    ('from \\$2 to \\$3', 'a very...a class')
    """
    line = " ".join(text.split())
    if len(line) > longest:
        end = (longest - 3) // 2
        line = f"{line[: longest - 3 - end].rstrip()}...{line[len(line) - end :].lstrip()}"
    return line.replace("$", r"\$")


def counted(count: int, one: str, several: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "value is", "values are"), counted(1200, "value is", "values are")
    ('1 value is', '1,200 values are')
    """
    return f"{count:,} {one if count == 1 else several}"


def short_number(value: float, digits: int = 4) -> str:
    """Return a number with that many significant digits, and all of an integer part.

    >>> short_number(0.123456), short_number(12345.0), short_number(3.0), short_number(4.2e-9)
    ('0.1235', '12,345', '3', '4.2e-09')
    """
    if not isfinite(value):
        return {"nan": "NaN", "inf": "Inf", "-inf": "-Inf"}[str(float(value))]
    if 10 ** (digits - 1) <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"

"""Matplotlib, which draws: an extra that is imported with the first plot."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from core.errors import CoreError

if TYPE_CHECKING:
    from matplotlib.ticker import MaxNLocator


def check_matplotlib() -> None:
    """Raise an error where the library that draws is not installed, before any work is done."""
    if find_spec("matplotlib") is None:
        raise CoreError(
            "plots are drawn by Matplotlib, which is not installed: "
            "run pip install 'friendly-zoo[plots]'"
        )


def matplotlib() -> Any:
    """Import Matplotlib, with the parts that plots use.

    Raises:
        CoreError: it is not installed.
    """
    check_matplotlib()
    import matplotlib.backends.backend_agg
    import matplotlib.figure
    import matplotlib.ticker

    return matplotlib


def whole_ticks(most: int | str, least: int = 2) -> "MaxNLocator":
    """Return the locator of ticks at integers: from ``least`` to ``most`` ticks, or "auto"."""
    locator: MaxNLocator = matplotlib().ticker.MaxNLocator(most, integer=True, min_n_ticks=least)
    return locator

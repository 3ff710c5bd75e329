"""Results of plotting functions: a figure, and the numbers that it shows."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from core.errors import CoreError
from core.plots.figures import size_of
from weights_cache.atomic_files import replacing
from weights_cache.ownership import behind_links

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure
    from PIL import Image

#: Values by the names of columns, which all have the same length.
Columns = Mapping[str, Sequence[object]]


@dataclass(frozen=True, repr=False)
class Plot:
    """A figure of numbers, with these numbers. Made by the functions of `core.plots`.

    A notebook shows it where it is the last line of a cell.

    Attributes:
        figure: of Matplotlib; what is added to it or changed is shown and saved, too.
        data: what it shows, as columns of equal length.
        notes: sentences about what the figure does not show, such as values that are NaN; they
            are written below it.
        scale: number of pixels for a unit of ``width`` and ``height``.
    """

    figure: "Figure"
    data: Columns
    notes: tuple[str, ...] = ()
    scale: float = 1.0

    @property
    def image(self) -> "Image.Image":
        """The figure as a Pillow image, RGB, drawn anew each time."""
        from PIL import Image

        return Image.open(BytesIO(self._png())).convert("RGB")

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the image in pixels."""
        return self.figure.canvas.get_width_height()

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the figure to a file, whole or not at all; a link stays a link.

        Args:
            path: of the file.
            format: name of a format that Matplotlib writes, such as ``"PNG"``; by default that of
                the path's ending: ``.png``, ``.jpg``, ``.webp``, ``.svg``, ``.pdf`` and others.

        Raises:
            CoreError: Matplotlib writes no such format.

        >>> import core, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "loss.png"
        >>> core.plots.line_chart([3.0, 2.0, 1.0]).save(path)
        >>> path.read_bytes()[1:4]
        b'PNG'
        """
        name = os.fspath(path)
        chosen = (format or os.path.splitext(name)[1][1:]).lower()
        if chosen not in self.figure.canvas.get_supported_filetypes():
            raise CoreError(
                f"Matplotlib writes no format {format!r}: use 'PNG', 'SVG' or 'PDF'"
                if format
                else f"{name!r} has no ending of a format that Matplotlib writes: use .png or .svg"
            )
        with replacing(behind_links(name)) as stream:
            self.figure.savefig(stream, format=chosen, dpi="figure")

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the data as a data frame, with a column for each of `data`.

        Raises:
            CoreError: pandas is not installed.

        >>> import core
        >>> core.plots.bar_chart({"cat": 3, "dog": 5}).to_pandas()
          name  value
        0  cat    3.0
        1  dog    5.0
        """
        try:
            import pandas
        except ImportError as error:
            raise CoreError(
                "to_pandas needs pandas: run pip install pandas, or use .data"
            ) from error
        return pandas.DataFrame(dict(self.data))

    def __repr__(self) -> str:
        width, height = self.size
        rows = max(map(len, self.data.values()), default=0)
        return f"Plot({width} x {height} pixels; {rows} rows of {', '.join(self.data)})"

    def _png(self) -> bytes:
        buffer = BytesIO()
        self.figure.savefig(buffer, format="png", dpi="figure")
        return buffer.getvalue()

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the image for notebooks, and the size at which it has its full sharpness."""
        width, height = map(round, size_of(self.figure))
        return self._png(), {"width": width, "height": height}

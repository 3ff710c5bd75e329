"""Options of a caller for how a model is read from its file."""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from core.converter import InputShapes


class FileOptions(NamedTuple):
    """Arguments of `zoo.load` and of `core.load_model`, of the same names.

    Attributes:
        signature: of a SavedModel.
        inputs: shapes of inputs by name.
    """

    signature: str | None = None
    inputs: "InputShapes | None" = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The options that are given, by name."""
        return {name: value for name, value in self._asdict().items() if value is not None}


#: A file is read as usual.
NO_OPTIONS = FileOptions()

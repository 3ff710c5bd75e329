"""Bytes of tensors that lie in other files of the model's folder."""

import os
from collections.abc import Mapping
from pathlib import Path

from core.converter.tensor_protos import Budget
from core.errors import CoreError
from weights_cache.lfs_pointers import refuse_pointer_file
from weights_cache.paths import inside
from weights_cache.reading_budgets import add_file
from weights_cache.regular_files import open_regular


class ExternalFiles:
    """The files beside a model that hold the bytes of its tensors.

    Args:
        folder: of the model; no name and no link leads out of it.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._budgets: dict[Path, Budget] = {}

    def read(self, facts: Mapping[str, str], size: int, memory: int) -> bytes:
        """Return the bytes of a tensor; a file that is too short is refused before memory is taken.

        Args:
            facts: texts of the tensor: ``location``, ``offset`` and ``length``.
            size: bytes that the tensor has by its shape and type.
            memory: bytes that it takes as an array.

        Raises:
            CoreError: the file is missing or too short, or the length is another one.
            WeightsError: the name leads out of the folder.
        """
        location = facts.get("location", "")
        path = inside(self._folder, location, "the weights of the model")
        if not path.is_file():
            raise CoreError(
                f"weights are in the file {location!r:.80}, which is not beside the model: put it "
                f"into {self._folder}"
            )
        offset, length = _number(facts, "offset", 0), _number(facts, "length", size)
        if length != size:
            raise CoreError(f"{location!r:.80} holds {length} bytes of a tensor that has {size}")
        with open_regular(path) as stream:
            status = os.fstat(stream.fileno())
            if offset + size > status.st_size:
                raise CoreError(
                    f"weights end at byte {offset + size} of the file {location!r:.80}, which has "
                    f"{status.st_size}: is it complete?"
                )
            self._budget(path, status).take(memory)
            stream.seek(offset)
            return stream.read(size)

    def _budget(self, path: Path, status: os.stat_result) -> Budget:
        """Return the budget of a file, whose size is added to that of the model once."""
        if path not in self._budgets:
            refuse_pointer_file(path)
            add_file(status)
            self._budgets[path] = Budget(status.st_size)
        return self._budgets[path]


def _number(facts: Mapping[str, str], name: str, default: int) -> int:
    """Return an offset or a length, which files hold as texts."""
    text = facts.get(name) or str(default)
    if not text.isdecimal() or len(text) > 18:
        raise CoreError(f"the {name} of weights in another file is {text!r:.80}")
    return int(text)

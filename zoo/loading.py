"""Loading models by name, and keeping those that the one-line functions use."""

import importlib
import os
from threading import Lock
from typing import Any

from core.settings import get_backend
from weights_cache.errors import ZooError
from zoo.catalog import find_entry
from zoo.entry import Entry
from zoo.options import check_options
from zoo.runner import Model

KEPT_MODELS = 4  # how many models the one-line functions keep loaded

_kept: dict[Any, Model] = {}
_keeping = Lock()


def load(
    name: str,
    *,
    backend: str | None = None,
    weights: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Any:
    """Load a pretrained model.

    Args:
        name: ``family.variant``, such as ``"posenet.tiny"``; `zoo.models` lists them.
        backend: where it runs, by default ``CORE_BACKEND`` or else ``"cpu"``.
        weights: a folder or manifest with weights of your own for the same network,
            in one of the formats that ``weights_cache`` reads.
        options: of the entry. PoseNet: ``output_stride`` (8 or 16), ``input_size`` (a number or
            (height, width) in pixels, rounded down to a multiple of the stride plus 1).

    Returns:
        A `zoo.runner.Model` with the verbs of its task.

    Raises:
        ZooError: an unknown model, option or backend; the message lists the valid ones.
        WeightsError: the weights are missing, damaged, or of another network.

    >>> import zoo
    >>> model = zoo.load("posenet.tiny", output_stride=8)
    >>> model.outputs["heatmap"].shape
    (None, None, None, 17)
    """
    entry = _find(name)
    checked = check_options(name, entry.options, options, also=("backend", "weights"))
    return _make(entry, checked, backend, weights)


def _make(entry: Entry, options: dict[str, Any], backend: str | None, weights: Any = None) -> Any:
    task = importlib.import_module(f"zoo.{entry.task}")
    return task.MODEL(entry, options, backend=backend, weights=weights)


def _find(name: Any) -> Any:
    if isinstance(name, os.PathLike) or os.sep in str(name):
        raise ZooError(
            f"{os.fspath(name)!r} is a path: give the model whose network the weights belong to, "
            f"and the path as weights=, as in zoo.load('posenet.tiny', weights=path)"
        )
    return find_entry(name)


def load_once(
    name: str, verb_options: tuple[str, ...], backend: str | None, options: dict[str, Any]
) -> Any:
    """The model of an earlier call with the same arguments, or a newly loaded one.

    ``verb_options`` are those of the calling function, for the error about an unknown option.
    """
    entry = _find(name)
    known = ("model", "backend", *verb_options)
    checked = check_options(name, entry.options, options, also=known)
    backend = backend or get_backend()  # which may be another one at the next call
    key = name, backend, repr(checked)
    with _keeping:
        model = _kept.pop(key, None) or _make(entry, checked, backend)
        _kept[key] = model  # the last used is the last to go
        while len(_kept) > KEPT_MODELS:
            del _kept[next(iter(_kept))]
        return model

"""Loading models by name, and keeping those that the one-line functions use."""

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from core import Limits
from core.graph_model.deferred_model import network_backend
from core.process.locks import new_lock
from weights_cache.common.errors import ZooError
from weights_cache.shown_urls import shown_url
from zoo.catalog.entries import all_entries, find, model_class, verbs_of
from zoo.catalog.entry import Entry
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model import make_model
from zoo.pipeline.options import check_backend, checked, unknown_option

KEPT_MODELS = 8  # how many models the one-line functions keep loaded

_kept: dict[Any, LoadedModel] = {}
_keeping = new_lock()
_loading: dict[Any, Any] = {}  # locks


def load(
    name: str | os.PathLike[str],
    *,
    backend: str | None = None,
    weights: str | os.PathLike[str] | None = None,
    kernels: Mapping[str, Callable[..., Any]] | None = None,
    limits: Limits | None = None,
    isolate: bool = False,
    **options: Any,
) -> Any:
    """Load a pretrained model by name, or a model of your own from a file or URL.

    Args:
        name: ``family.variant``, such as ``"posenet.tiny"``; `zoo.models` lists them. Or "fast" or
            "best" of a task or function: ``"hands.fast"``, ``"detect_faces.best"``. Or the path
            of a TensorFlow.js ``model.json`` or its folder, a ``.tflite``, ``.h5``, ``.keras`` or
            frozen ``.pb`` file, a SavedModel folder, what Teachable Machine exports (folder or
            zip), or a folder that `zoo.teach` saved. A name goes first: write ``./name`` for a
            folder that is called the same.
            Or the URL of such a file, or of a folder with a ``model.json``, such as Teachable
            Machine's: up to 512 MB are downloaded into the cache at the first use, and used from
            there, also without a network. The sha256 of each file is remembered and checked;
            write ``#sha256=<64 hexadecimal digits>`` behind the URL if you know that of the file.
            ``zoo weights clear URL`` forgets it, to accept a new version.
        backend: where it runs, by default ``CORE_BACKEND`` or else ``"cpu"``. With ``"auto"`` each
            network runs on a GPU where that is measured faster for its input, else on the CPU.
        weights: weights of your own for the same network: for PoseNet and face-api.js a folder or
            manifest in one of the formats that ``weights_cache`` reads, for others a model file
            of any format that is read, or the folder with it. Networks that the model works with,
            such as its detector, stay the registered ones.
        kernels: for a path or URL: functions for node types that have none here, by type; see
            `core.graph_model.graph_model.GraphModel`.
        limits: for a path or URL: what reading the file and a run of the model may cost, see
            `core.Limits`. A model from a URL has ``core.Limits.strict()`` if nothing else is
            given, as its file is not yours; one from a path the generous defaults.
        isolate: for a path or URL of strangers: read and run the model in a process of its own,
            with ``"cpu"``. What ``limits`` leaves open is as in ``core.Limits.strict()``, and the
            operating system holds the process to it: memory (Linux; macOS about; not Windows),
            time (this process ends it, on any system), open files and bytes written. What hangs,
            grows or crashes ends that process alone: it is an error here, and the next call starts
            another one. Starting takes about 0.4 s and 45 MB, each call 0.2 ms more, or 2 to 4 ms
            with 1 MB. It is no sandbox: the process has the rights of the user.
        options: of the entry. PoseNet: ``output_stride`` (8 or 16), ``input_size`` (a number or
            (height, width) in pixels, rounded down to a multiple of the stride plus 1; by default
            ``posenet.tiny`` has 257 for one person and 321 for several).

    Returns:
        A `zoo.pipeline.model.Model` with the verbs of its task; of a path a `zoo.LoadedModel` with
        ``predict`` and ``execute``, and with ``classify`` if it is Teachable Machine's; of what was
        taught a `zoo.TaughtModel`. It can be pickled and copied: a pickle holds these arguments,
        no weights.

    Raises:
        ZooError: an unknown model, option or backend; the message lists the valid ones.
        WeightsError: the weights are missing, damaged, or of another network.
        LimitError: the file costs more than the limits allow; runs of the model may raise it, too.

    >>> import zoo
    >>> model = zoo.load("posenet.tiny", output_stride=8)
    >>> model.outputs["heatmap"].shape
    (None, None, None, 17)
    """
    check_backend(backend)
    entry = find(name)
    if not isinstance(entry, Entry):
        unknown = [*options, *(["weights"] if weights is not None else [])]
        if unknown:
            owner = f"the model in {shown_url(os.fspath(name))!r}"
            raise unknown_option(owner, unknown, ("backend", "kernels", "limits", "isolate"))
        from zoo.pipeline.file_model import load_path

        if isolate:
            _check_isolated(backend, kernels)
        return load_path(name, backend, kernels, limits, isolate)
    if kernels is not None:
        raise ZooError(f"kernels= is for models from a path, {name!r} needs none")
    if limits is not None:
        raise ZooError(
            f"limits= is for models from a path or URL, {name!r} is a pretrained model: use "
            f"`with core.limits(...)` around its calls"
        )
    if isolate:
        raise ZooError(
            f"isolate=True is for models from a path or URL, {name!r} is a pretrained model, whose "
            "file is known: leave isolate out"
        )
    values = checked(entry.name, entry.options, options, also=("backend", "weights"))
    return make_model(entry, values, backend, weights)


def _check_isolated(backend: str | None, kernels: object) -> None:
    """Raise for options that isolated models do not have."""
    chosen = network_backend(backend)
    if chosen not in ("cpu", "auto"):
        raise ZooError(f"isolate=True runs on 'cpu', not on {chosen!r}: give backend='cpu'")
    if kernels is not None:
        raise ZooError(
            "kernels= are functions of this process, which isolate=True cannot call: leave one out"
        )


class BoundVerb(NamedTuple):
    """A verb of a loaded model, with its options."""

    model: LoadedModel
    verb: str
    options: Mapping[str, Any]


class _Bind:
    """Passed to a function of `zoo` in place of an image: it returns its `BoundVerb`."""


BIND = _Bind()


def call_verb(
    verb: str, image: Any, *, model: Any, backend: str | None = None, **options: Any
) -> Any:
    """Return the result of a model's verb; the first call loads the model.

    Args:
        verb: name of a method, such as ``"estimate_single_pose"``.
        image: its first argument; with `BIND` the `BoundVerb` is returned.
        model: a name, "fast" or "best", a path, or a loaded model.
        backend: where it runs, by default the active one; a loaded model runs on its own.
        options: of the model and of the verb; None stands for the model's own default.

    Raises:
        ZooError: the model has no such verb, or neither it nor the verb has such an option.
    """
    bound = _bound(verb, model, backend, options)
    if image is BIND:
        return bound
    return getattr(bound.model, verb)(image, **bound.options)


def _bound(verb: str, model: Any, backend: str | None, options: Mapping[str, Any]) -> BoundVerb:
    given = {name: value for name, value in options.items() if value is not None}
    entry = model if isinstance(model, LoadedModel) else find(model, verb)
    if not isinstance(entry, Entry):
        if not isinstance(model, LoadedModel):
            model, backend = _load_path_once(model, backend), None
        _check_loaded(model, verb, backend)
        return BoundVerb(model, verb, given)
    method = getattr(model_class(entry), verb, None)
    if method is None:
        raise ZooError(_cannot(entry, verb))
    of_verb = {k: v for k, v in given.items() if k in method.__kwdefaults__}
    of_model = {k: v for k, v in given.items() if k not in of_verb}
    also = ("model", "backend", *method.__kwdefaults__)
    values = checked(entry.name, entry.options, of_model, also)
    return BoundVerb(_load_once(entry, backend, values), verb, of_verb)


def _check_loaded(model: LoadedModel, verb: str, backend: str | None) -> None:
    """Raise if a loaded model lacks a verb, or runs on another backend than the one requested."""
    if not hasattr(model, verb):
        entry = getattr(model, "entry", None)
        raise ZooError(_cannot(entry, verb) if entry else _network_cannot(model, verb))
    check_backend(backend)
    if backend not in (None, model.backend):
        raise ZooError(
            f"backend={backend!r}, but the model {model.name} was loaded on {model.backend!r}: "
            f"leave out backend, or load it with zoo.load({model.name!r}, backend={backend!r})"
        )


def _cannot(entry: Entry, verb: str) -> str:
    """Explain what a model that lacks a verb can do, and which models have the verb."""
    from zoo.catalog.unknown_models import able_models

    user = next((e.name for e in all_entries().values() if entry.name in e.parts.values()), None)
    part_of = f", and is a part of models such as {user}" if user else ""
    return (
        f"{entry.name} cannot {verb}: it can {', '.join(verbs_of(entry))}{part_of}; "
        f"models that can {verb}: {', '.join(able_models(verb))}"
    )


def _network_cannot(model: LoadedModel, verb: str) -> str:
    from zoo.catalog.unknown_models import able_models

    return (
        f"the model {model.name} cannot {verb}: the task of a network from a file is not known, "
        f"so it has predict and execute (zoo.load returns it); models that can {verb}: "
        f"{', '.join(able_models(verb))}"
    )


def _load_once(entry: Entry, backend: str | None, options: Mapping[str, Any]) -> Any:
    """The model of an earlier call with the same arguments, or a newly loaded one."""
    check_backend(backend)
    backend = network_backend(backend)  # which may be another one at the next call
    values = (v if isinstance(v, LoadedModel) else repr(v) for v in options.values())
    return _keep((entry.name, backend, *values), lambda: make_model(entry, options, backend))


def _load_path_once(path: str | os.PathLike[str], backend: str | None) -> Any:
    """The model that a path holds, read again only when the file has changed."""
    check_backend(backend)
    backend = network_backend(backend)
    name = os.path.abspath(os.fspath(path))
    state = (s.st_mtime_ns, s.st_size) if (s := _stat(name)) else ()
    return _keep((name, backend, *state), lambda: load(path, backend=backend))


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _keep(key: Any, make: Callable[[], Any]) -> Any:
    """The kept model of a key, or a new one, which is kept then."""
    with _keeping:
        lock = _loading.setdefault(key, new_lock())
    with lock:  # who wants this model waits while it loads, who wants others does not
        with _keeping:
            model = _kept.pop(key, None)
        model = model or make()
        with _keeping:
            _kept[key] = model  # the last used is the last to go
            while len(_kept) > KEPT_MODELS:
                oldest = next(iter(_kept))
                del _kept[oldest]
                _loading.pop(oldest, None)
        return model

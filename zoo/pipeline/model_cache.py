"""Loading models by name, and keeping those that the one-line functions use."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from core import Limits
from core.graph_model.deferred_model import network_backend
from core.process.locks import new_lock
from weights_cache.common.errors import ZooError
from weights_cache.shown_urls import shown_url
from zoo.catalog.entries import find
from zoo.catalog.entry import Entry
from zoo.pipeline.file_options import FileOptions
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model import make_model
from zoo.pipeline.options import check_backend, checked, refuse_unknown

if TYPE_CHECKING:
    from core.converter import InputShapes

#: Arguments of `load` for a path or URL.
_OF_PATHS = (
    *("backend", "kernels", "limits", "isolate", "task", "labels", "range", "resize"),
    *("signature", "inputs", "preprocessing"),
)

#: Advice to those who give them for a pretrained model.
_INSTEAD = {
    "kernels": "it needs none, leave it out",
    "limits": "use `with core.limits(...)` around its calls",
    "isolate": "its file is known, leave isolate out",
    "signature": "it has no signatures, leave signature out",
    "inputs": "its shapes are known, leave inputs out",
}

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
    task: str | None = None,
    labels: Sequence[str] | str | os.PathLike[str] | None = None,
    range: tuple[float, float] | None = None,
    resize: str | None = None,
    signature: str | None = None,
    inputs: "InputShapes | None" = None,
    preprocessing: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Load a pretrained model by name, or a model of your own from a file or URL.

    Args:
        name: ``family.variant``, such as ``"posenet.tiny"``; `zoo.models` lists them. Or "fast" or
            "best" of a task or function: ``"hands.fast"``, ``"detect_faces.best"``. Or the path
            of a TensorFlow.js ``model.json`` or its folder, a ``.tflite``, ``.onnx``, ``.h5``,
            ``.keras`` or frozen ``.pb`` file, a SavedModel folder, what Teachable Machine exports
            (for the web or Python; folder or zip), what ml5 saves, or a folder that `zoo.teach`
            saved. A name goes first: write ``./name`` for a folder that is called the same.
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
        task: for a path or URL: ``"classification"`` if the network classifies images. Then the
            model has ``classify`` as that of Teachable Machine. What the file does not say is said
            by the next three arguments.
        labels: of the classes, in the order of the network's output; or the path of a file with a
            label in each line. The task then is ``"classification"``.
        range: what pixels of 0 and of 255 become: (-1, 1), (0, 1) and (0, 255) are usual. Integer
            inputs, such as of quantised networks, take pixels as they are.
        resize: how an image is fitted into the input: ``"crop"`` (default: the square in its
            middle), ``"stretch"``, or ``"pad"`` (black on the right or below).
        signature: for a path or URL of a SavedModel: which of its signatures to load, by default
            ``"serving_default"``.
        inputs: for a path or URL: shapes of inputs by name, such as ``{"input": (1, 3, 480,
            640)}``, where the network takes others than its file declares; None is any length.
        preprocessing: for a path or URL: how an image becomes the input, where the file does not
            say it, as a dict. Keys: ``"size"``: (height, width), where the input takes any;
            ``"resize"``: as above, or ``"letterbox"`` (between borders of the level ``"border"``,
            0 to 255); ``"antialias"``: False reads the four nearest pixels alone, as OpenCV's
            bilinear filter; ``"colors"``: ``"RGB"`` (default), ``"BGR"`` or ``"GREY"``;
            ``"layout"``: ``"NHWC"`` or ``"NCHW"``, by default as the shape says; ``"scale"``,
            ``"mean"``, ``"std"``: a pixel p of 0 to 255 becomes (p * scale - mean) / std. A model
            without ``labels`` or a task then has ``run_on_image``.
        options: of the entry. PoseNet: ``output_stride`` (8 or 16), ``input_size`` (a number or
            (height, width) in pixels, rounded down to a multiple of the stride plus 1; by default
            ``posenet.tiny`` has 257 for one person and 321 for several).

    Returns:
        A `zoo.pipeline.model.Model` with the verbs of its task; of a path a `zoo.LoadedModel` with
        ``predict`` and ``execute``, and with ``classify`` if it is an image classifier whose labels
        are known: Teachable Machine's, or with labels in the file, beside it in a ``labels.txt`` or
        in ``labels``; of an ONNX file of Ultralytics with the verbs of its task; of what was taught
        a `zoo.TaughtModel`. It can be pickled and copied: a pickle holds these arguments, no
        weights. A licence in the file that restricts the use gives a `LicenceWarning`.

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
        owner = f"the model in {shown_url(os.fspath(name))!r}"
        refuse_unknown(owner, unknown, _OF_PATHS)
        from zoo.pipeline.file_model import load_path
        from zoo.pipeline.file_tasks import file_task

        if isolate:
            _check_isolated(backend, kernels)
        wanted = file_task(task, labels, range, resize, preprocessing)
        reading = FileOptions(signature, inputs)
        return load_path(name, backend, kernels, limits, isolate, wanted, reading)
    said = {"task": task, "labels": labels, "range": range, "resize": resize}
    given = {"kernels": kernels, "limits": limits, "isolate": isolate or None, **said}
    given["preprocessing"] = preprocessing
    _refuse_of_paths(name, {**given, "signature": signature, "inputs": inputs})
    values = checked(entry.name, entry.options, options, also=("backend", "weights"))
    return make_model(entry, values, backend, weights)


def _refuse_of_paths(name: object, given: Mapping[str, object]) -> None:
    """Raise for arguments that pretrained models do not have; None is not given."""
    option = next((option for option, value in given.items() if value is not None), None)
    if option is not None:
        shown = "isolate=True" if option == "isolate" else f"{option}="
        raise ZooError(
            f"{shown} is for models from a path or URL, {name!r} is a pretrained model: "
            f"{_INSTEAD.get(option, f'its task is known, leave {option} out')}"
        )


def _check_isolated(backend: str | None, kernels: object) -> None:
    """Raise for options that isolated models do not have."""
    chosen = network_backend(backend)
    if chosen not in ("cpu", "auto"):
        raise ZooError(f"isolate=True runs on 'cpu', not on {chosen!r}: give backend='cpu'")
    if kernels is not None:
        raise ZooError(
            "kernels= are functions of this process, which isolate=True cannot call: leave one out"
        )


def load_once(entry: Entry, backend: str | None, options: Mapping[str, Any]) -> Any:
    """Return the model of an earlier call with the same arguments, or a newly loaded one."""
    if backend is None:
        backend = network_backend(None)  # which may be another one at the next call
    else:
        check_backend(backend)
    key: list[Any] = [entry.name, backend]
    for value in options.values():
        key.append(value if isinstance(value, LoadedModel) else repr(value))
    return _keep(tuple(key), partial(make_model, entry, options, backend))


def load_path_once(path: str | os.PathLike[str], backend: str | None) -> Any:
    """Return the model that a path holds, read again only when the file has changed."""
    check_backend(backend)
    backend = network_backend(backend)
    name = os.path.abspath(os.fspath(path))
    folder = name if os.path.isdir(name) else os.path.dirname(name)
    files = name, os.path.join(folder, "labels.txt")
    state = [(s.st_mtime_ns, s.st_size) if (s := _stat(file)) else () for file in files]
    return _keep((name, backend, *state), lambda: load(path, backend=backend))


def kept_names() -> list[str]:
    """Return the names of the models that the one-line functions keep loaded."""
    return [model.name for model in [*_kept.values()]]


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _keep(key: Any, make: Callable[[], Any]) -> Any:
    """Return the kept model of a key, or a new one, which is kept then."""
    with _keeping:
        model = _kept.pop(key, None)
        if model is not None:
            _kept[key] = model  # the least recently used one is dropped first
            return model
        loading = _loading.setdefault(key, new_lock())
    with loading:  # who wants this model waits while it loads, who wants others does not
        with _keeping:
            model = _kept.pop(key, None)
        model = model or make()
        with _keeping:
            _kept[key] = model
            while len(_kept) > KEPT_MODELS:
                oldest = next(iter(_kept))
                del _kept[oldest]
                _loading.pop(oldest, None)
        return model

"""All of a call of a function of images but the image: a loaded model, and options."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from weights_cache.common.errors import ZooError
from zoo.catalog.entries import all_entries, find, model_class, verbs_of
from zoo.catalog.entry import Entry
from zoo.catalog.unknown_models import able_models
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model_cache import load_once, load_path_once
from zoo.pipeline.options import check_backend, checked, refuse_unknown

Verb = TypeVar("Verb", bound=Callable[..., Any])
Binder = Callable[..., Any]


class BoundVerb(NamedTuple):
    """A verb of a loaded model, with its options."""

    model: Any  # a LoadedModel that has the verb
    verb: str
    options: Mapping[str, Any]


#: Functions of `zoo` that bind more than the model of their name.
_BINDERS: dict[Any, Binder] = {}


def bound_by(binder: Binder) -> Callable[[Verb], Verb]:
    """Decorator of a function of `zoo`, for which `bind` calls another function than `bind_model`.

    Args:
        binder: function of all options of the decorated one, by name.
    """

    def note(verb: Verb) -> Verb:
        _BINDERS[verb] = binder
        return verb

    return note


def bind(verb: Callable[..., Any], **options: Any) -> Any:
    """Do all that a function of `zoo` does before it looks at an image.

    Args:
        verb: the function, such as `zoo.estimate_hands`.
        options: of the function, among them ``model`` and ``backend``.

    Returns:
        A `BoundVerb`; of `zoo.recognize_gestures` a `zoo.tasks.gestures.verbs.BoundGestures`.

    Raises:
        ZooError: the model or an option is unknown, or the model has no such verb.
        WeightsError: the weights of the model are missing or damaged.

    >>> import zoo
    >>> model, verb, options = bind(zoo.estimate_single_pose, score_threshold=0.4)
    >>> model.name, verb, options
    ('topdown.tiny', 'estimate_single_pose', {'score_threshold': 0.4, 'mirror': False})
    >>> bind(zoo.estimate_hands, hands=1)
    Traceback (most recent call last):
    zoo.ZooError: unknown option 'hands' of estimate_hands: did you mean 'max_hands'?;\
 valid options: model, backend, max_hands, score_threshold, mirror, detector, detector_threshold,\
 iou_threshold, refine
    """
    function: Any = verb
    defaults: Mapping[str, Any] = function.__kwdefaults__ or {}
    refuse_unknown(function.__name__, options, defaults)
    given = {**defaults, **options}
    own = _BINDERS.get(verb)
    return bind_model(function.__name__, **given) if own is None else own(**given)


def bind_model(verb: str, *, model: Any, backend: str | None = None, **options: Any) -> BoundVerb:
    """Return a verb of a model, which is loaded at the first call.

    Args:
        verb: name of a method, such as ``"estimate_single_pose"``.
        model: a name, "fast" or "best", a path, or a loaded model.
        backend: where it runs, by default the active one; a loaded model runs on its own.
        options: of the model and of the verb; None stands for the model's own default.

    Raises:
        ZooError: the model has no such verb, or neither it nor the verb has such an option.
    """
    given: dict[str, Any] = {}
    for name, value in options.items():
        if value is not None:
            given[name] = value
    entry = None if isinstance(model, LoadedModel) else find(model, verb)
    if not isinstance(entry, Entry):
        return BoundVerb(_loaded(model, verb, backend), verb, given)
    method = getattr(model_class(entry), verb, None)
    if method is None:
        raise ZooError(_cannot(entry, verb))
    of_verb: dict[str, Any] = {}
    for name in method.__kwdefaults__:
        if name in given:
            of_verb[name] = given.pop(name)
    values = checked(
        entry.name, entry.options, given, also=("model", "backend", *method.__kwdefaults__)
    )
    return BoundVerb(load_once(entry, backend, values), verb, of_verb)


def _loaded(model: Any, verb: str, backend: str | None) -> LoadedModel:
    """Return a model that is no entry, if it has the verb, and runs on the backend requested."""
    if isinstance(model, LoadedModel):
        loaded = model
    else:
        loaded, backend = load_path_once(model, backend), None
    if not hasattr(loaded, verb):
        entry = getattr(loaded, "entry", None)
        raise ZooError(_cannot(entry, verb) if entry else _network_cannot(loaded, verb))
    check_backend(backend)
    if backend not in (None, loaded.backend):
        raise ZooError(
            f"backend={backend!r}, but the model {loaded.name} was loaded on {loaded.backend!r}: "
            f"leave out backend, or load it with zoo.load({loaded.name!r}, backend={backend!r})"
        )
    return loaded


def _cannot(entry: Entry, verb: str) -> str:
    """Explain what a model that lacks a verb can do, and which models have the verb."""
    user = next((e.name for e in all_entries().values() if entry.name in e.parts.values()), None)
    part_of = f", and is a part of models such as {user}" if user else ""
    return (
        f"{entry.name} cannot {verb}: it can {', '.join(verbs_of(entry))}{part_of}; "
        f"models that can {verb}: {', '.join(able_models(verb))}"
    )


def _network_cannot(model: LoadedModel, verb: str) -> str:
    return (
        f"the model {model.name} cannot {verb}: the task of a network from a file is not known, "
        f"so it has predict and execute (zoo.load returns it); models that can {verb}: "
        f"{', '.join(able_models(verb))}"
    )

"""Translation of topologies between the dialects of Keras 3, Keras 2 and TensorFlow.js."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.errors import CoreError
from core.layers.dialects.calls import attention_shapes, endpoint, keras3_call, listed_call
from core.layers.dialects.configs import (
    NotExpressibleError,
    config_from_keras3,
    keras3_config,
    without_unknown,
)
from core.layers.dialects.functions import as_layer, as_row_layer
from core.layers.dialects.masks import other_masks
from core.layers.dialects.tables import (
    LACKED_LAYERS,
    LAST_AXIS_IN_TFJS,
    OTHER_IN_TFJS,
    TFJS_LAYERS,
    TITLES,
    UNMASKED_IN_TFJS,
)
from core.layers.keras_config import (
    INNER_LAYERS,
    Dialect,
    LayerSpec,
    ModelSpec,
    read_layer,
    read_topology,
    sources,
)
from core.layers.lookup import find_layer_class

Topology = dict[str, Any]

#: Module of the functions of Keras 3 that operators between tensors are.
_FUNCTIONS = "keras.src.ops.numpy"


def translated_topology(topology: Any, target: Dialect, *, has_functions: bool = True) -> Topology:
    """Return a topology in a dialect; each layer has its own, as a model may have layers of files.

    Args:
        topology: a topology of any dialect, or a model that was read or made.
        target: "keras3", "keras2" or "tfjs".
        has_functions: whether files of Keras 3 have functions between layers; ``.h5`` files of
            Keras 3 cannot be read with them.

    Raises:
        CoreError: the dialect cannot express some layers; all are listed with the reasons.

    >>> dense = {"class_name": "Dense", "config": {
    ...     "name": "d", "units": 1, "batch_input_shape": [None, 2]}}
    >>> model = {"class_name": "Sequential", "config": {"name": "m", "layers": [dense]}}
    >>> layers = translated_topology(model, "keras3")["config"]["layers"]
    >>> [layer["class_name"] for layer in layers], layers[0]["config"]["batch_shape"]
    (['InputLayer', 'Dense'], [None, 2])
    """
    model = read_topology(topology)
    translation = _Translation(target, has_functions and target == "keras3")
    found = translation.layer(model, ())
    translation.check_masks(model)
    translation.check()
    return found


def keras3_config_of(layer: LayerSpec) -> dict[str, Any]:
    """Return the config of a layer or model in the dialect of Keras 3.

    Raises:
        CoreError: Keras 3 cannot express it.
    """
    translation = _Translation("keras3", has_functions=True)
    config: dict[str, Any] = translation.layer(layer, (layer.name,))["config"]
    translation.check()
    return config


class _Translation:
    """Translation of one topology, with the layers that the target lacks."""

    def __init__(self, target: Dialect, has_functions: bool):
        self.target, self.has_functions = target, has_functions
        self.problems: list[str] = []
        self._has_masks = False
        self._unmasked: list[str] = []

    def check_masks(self, model: LayerSpec) -> None:
        """Note the layers of a model that would use other masks."""
        if self._has_masks and not self.problems:
            self.problems += [
                f"{name!r} would use another mask" for name in other_masks(model, self.target)
            ]

    def check(self) -> None:
        """Raise if the target lacks layers, or some use masks in one dialect only."""
        problems = self.problems + (self._unmasked if self._has_masks else [])
        if problems:
            listed = "; ".join(problems)
            is_h5 = self.target == "keras3" and not self.has_functions
            title = "an .h5 file of Keras 3" if is_h5 else TITLES[self.target]
            raise CoreError(f"{title} cannot express these layers: {listed}")

    def layer(self, spec: LayerSpec, path: tuple[str, ...], rank: int | None = None) -> Topology:
        """Return a layer or a model without its calls.

        Args:
            spec: the layer.
            path: names of the surrounding layers, and the layer's name.
            rank: the number of axes of its input, if that is known.
        """
        if spec.model is not None:
            return self._model(spec, path)
        class_name, config = spec.class_name, dict(spec.config)
        with_reason = self._lacked(spec)
        if with_reason:
            self._add_problem(spec, path, with_reason)
            return {"class_name": class_name, "config": config}
        if spec.is_function:
            return {"module": spec.module or _FUNCTIONS, "class_name": class_name, "config": config}
        if spec.registered_name:
            return self._user_defined(spec, path)
        self._note_masks(spec, path)
        inner: dict[str, Any] = {key: config.pop(key) for key in INNER_LAYERS if key in config}
        try:
            config = self._config(spec, config, rank)
            config.update(self._inner_layers(spec, inner, path))
        except NotExpressibleError as error:
            self._add_problem(spec, path, str(error))
        found = {"class_name": class_name, "config": config}
        kind = find_layer_class(class_name)
        has_home = kind is not None and not kind.is_published and spec.module
        return {"module": spec.module, **found} if has_home else found

    def _user_defined(self, spec: LayerSpec, path: tuple[str, ...]) -> Topology:
        """Return a layer of a user's class, by the name under which Keras finds the class."""
        name, config = spec.registered_name, dict(spec.config)
        try:
            config = self._config(spec, config, None)
        except NotExpressibleError as error:
            self._add_problem(spec, path, str(error))
        is_archive = self.target == "keras3" and self.has_functions
        if not is_archive and find_layer_class(name) is not None:
            self._add_problem(spec, path, "has the name of a class of Keras: rename the class")
        found = {"class_name": spec.class_name if is_archive else name, "config": config}
        if self.target == "keras3":
            return {"module": None, **found, "registered_name": name}
        return found

    def _note_masks(self, spec: LayerSpec, path: tuple[str, ...]) -> None:
        makes = spec.class_name == "Masking" or bool(spec.config.get("mask_zero"))
        self._has_masks = self._has_masks or makes
        option = UNMASKED_IN_TFJS.get(spec.class_name)
        dialects = {spec.dialect, self.target}
        if option is None or len(dialects) == 1 or "tfjs" not in dialects:
            return
        inner = spec.config.get("layer")
        if not option or (inner and read_layer(inner, spec.dialect).config.get(option)):
            name = "/".join(path)
            self._unmasked.append(f"{name!r} ({spec.class_name}) uses masks in Keras only")

    def _config(self, spec: LayerSpec, config: dict[str, Any], rank: int | None) -> dict[str, Any]:
        class_name, source = spec.class_name, spec.dialect
        if source == self.target and class_name != "InputLayer":
            return without_unknown(class_name, config) if source == "keras3" else config
        if source != "keras3":
            config = keras3_config(class_name, config, source, self.target)
        if "tfjs" in (source, self.target):
            self._check_tfjs(class_name, config, rank)
        if self.target != "keras3":
            return config_from_keras3(class_name, config, self.target, source)
        return without_unknown(class_name, config)

    def _check_tfjs(self, class_name: str, config: Mapping[str, Any], rank: int | None) -> None:
        """Raise if TensorFlow.js computes otherwise than Keras."""
        for key, values in OTHER_IN_TFJS.get(class_name, {}).items():
            if config.get(key) in values:
                raise NotExpressibleError(
                    f"has {key}={config.get(key)!r}, which TensorFlow.js computes otherwise"
                )
        axis = config.get("axis", -1)
        if class_name in LAST_AXIS_IN_TFJS and rank and axis not in (-1, rank - 1):
            raise NotExpressibleError(
                f"has axis={axis!r}, and TensorFlow.js computes along the last one"
            )

    def _lacked(self, spec: LayerSpec) -> str:
        """Return why the target lacks a class of layers; an empty text if it has the class."""
        if spec.is_function:
            known = self.target == spec.dialect == "keras3"
            return "" if known else f"is the function {spec.class_name}, not a layer"
        if spec.registered_name:
            return "is of a user-defined class" if self.target == "tfjs" else ""
        unknown = self.target == "tfjs" and spec.class_name not in TFJS_LAYERS
        if unknown or spec.class_name in LACKED_LAYERS[self.target]:
            return "is of a class that it lacks"
        return ""

    def _add_problem(self, spec: LayerSpec, path: tuple[str, ...], reason: str) -> None:
        self.problems.append(f"{'/'.join(path) or spec.name!r} ({spec.class_name}) {reason}")

    def _inner_layers(
        self, spec: LayerSpec, inner: Mapping[str, Any], path: tuple[str, ...]
    ) -> Iterator[tuple[str, Any]]:
        """Yield the layers in a layer's config, such as cells, by the names of arguments."""
        if spec.class_name == "Bidirectional":
            inner = self._both_directions(spec, inner)
        for key, documents in inner.items():
            if documents is None:
                continue
            if key == "cell" and isinstance(documents, list) and self.target == "keras2":
                documents = {"class_name": "StackedRNNCells", "config": {"cells": documents}}
            listed = documents if isinstance(documents, list) else [documents]
            found = []
            for document in listed:
                child = self._as_known(read_layer(document, spec.dialect))
                if spec.class_name == "Bidirectional":
                    child = self._direction(child)
                found.append(self.layer(child, (*path, child.name)))
            yield key, found if isinstance(documents, list) else found[0]

    def _both_directions(self, spec: LayerSpec, inner: Mapping[str, Any]) -> Mapping[str, Any]:
        """Leave out a backward layer that the target makes from the forward one."""
        kind = find_layer_class("Bidirectional")
        assert kind is not None
        plain = spec._replace(config={"layer": inner.get("layer")})
        forward, made = kind.children(plain)
        given = kind.children(spec)[1]
        # Keras 3 writes it always; a program that gave one has another class or another option.
        same = given.class_name == made.class_name and _alike(given.config, made.config)
        if self.target == "keras3" or not same:
            if self.target == "tfjs":
                raise NotExpressibleError("has a backward layer that differs from the forward one")
            return inner
        return {"layer": inner.get("layer")}

    def _direction(self, child: LayerSpec) -> LayerSpec:
        """Return a forward or backward layer with zeros where Keras 2 has zeros for masks."""
        config = dict(child.config)
        if self.target == "keras3" and child.dialect == "keras2":
            config["zero_output_for_mask"] = config.get("return_sequences", False)
        elif self.target != "keras3":
            config.pop("zero_output_for_mask", None)
            config["name"] = child.name.removeprefix("forward_")
        return child._replace(config=config, name=str(config.get("name") or child.name))

    def _model(self, spec: LayerSpec, path: tuple[str, ...]) -> Topology:
        assert spec.model is not None
        layers = [self._expressible(child, spec, path) for child in spec.model.layers]
        layers = [child for child in layers if not _is_open_input(child)]
        documents = [
            self.layer(child, (*path, child.name), _rank(child, spec.model)) for child in layers
        ]
        config: dict[str, Any] = {"name": spec.name}
        if "trainable" in spec.config and self.target == "keras3":
            config["trainable"] = spec.config["trainable"]
        config["layers"] = documents
        class_name = spec.class_name
        if class_name == "Functional":
            config.update(self._graph(spec, layers, documents, path))
            class_name = "Model" if self.target == "tfjs" else class_name
        return {"class_name": class_name, "config": config}

    def _as_known(self, layer: LayerSpec) -> LayerSpec:
        """Return a layer of a user's class as the built-in one, where that computes the same.

        TensorFlow.js has no user-defined classes of files.
        """
        if self.target != "tfjs" or layer.same_built_in is None:
            return layer
        return layer.same_built_in._replace(calls=layer.calls)

    def _expressible(self, child: LayerSpec, spec: LayerSpec, path: tuple[str, ...]) -> LayerSpec:
        """Return a layer of a model, or one for what the file cannot have."""
        assert spec.model is not None
        child = self._as_known(child)
        if child.class_name == "Flatten" and self.target == "tfjs" != child.dialect:
            return as_row_layer(child, spec.model)
        if not child.is_function or (child.dialect == "keras3" and self.has_functions):
            return child
        try:
            return as_layer(child, spec.model)
        except NotExpressibleError as error:
            self._add_problem(child, (*path, child.name), str(error))
            return child

    def _graph(
        self,
        spec: LayerSpec,
        layers: list[LayerSpec],
        documents: list[Topology],
        path: tuple[str, ...],
    ) -> Topology:
        """Add the calls to the layers of a functional model; return its inputs and outputs."""
        assert spec.model is not None
        models = {child.name for child in layers if child.model is not None}
        functional = {child.name for child in layers if child.class_name == "Functional"}
        for child, document in zip(layers, documents, strict=True):
            calls = () if child.class_name == "InputLayer" else child.calls
            document["name"] = child.name
            try:
                document["inbound_nodes"] = [
                    keras3_call(call, spec.model.tensors)
                    if self.target == "keras3"
                    else listed_call(child, call, models, self.target)
                    for call in calls
                ]
            except NotExpressibleError as error:
                self._add_problem(child, (*path, child.name), str(error))
        if self.target == "keras2":
            for child, document in zip(layers, documents, strict=True):
                if child.class_name == "MultiHeadAttention" and child.dialect != "keras2":
                    document["config"] |= attention_shapes(child, spec.model)
        late = functional if self.target == "keras3" else models
        inputs, outputs = (
            [endpoint(source, late) for source in sources]
            for sources in (spec.model.inputs, spec.model.outputs)
        )
        ends = {"input_layers": inputs, "output_layers": outputs}
        if self.target == "keras3":  # a single tensor is in no list
            return {key: found[0] if len(found) == 1 else found for key, found in ends.items()}
        return ends


def _rank(layer: LayerSpec, model: ModelSpec) -> int | None:
    """Return the number of axes of the first input of a layer, if that is known."""
    first = next(sources([call.arguments for call in layer.calls], layer.name), None)
    return None if first is None else model.rank(first)


def _is_open_input(layer: LayerSpec) -> bool:
    """Whether a layer is an input of unknown shape, which was added to read a Sequential."""
    shapes = (layer.config.get("batch_shape"), layer.config.get("batch_input_shape"))
    return layer.class_name == "InputLayer" and shapes == (None, None)


def _alike(config: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two layers have equal arguments but for names and identities."""
    return _plain(config) == _plain(other)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        ignored = ("name", "shared_object_id", "build_config")
        return {k: _plain(v) for k, v in value.items() if k not in ignored}
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value

"""Translation of topologies between the dialects of Keras 3, Keras 2 and TensorFlow.js."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.converter.layer_files.dialect_tables import (
    LACKED_LAYERS,
    OTHER_IN_TFJS,
    TFJS_LAYERS,
    TITLES,
    UNMASKED_IN_TFJS,
)
from core.converter.layer_files.document import Dialect, LayersDocument
from core.converter.layer_files.layer_calls import (
    endpoint,
    keras3_call,
    listed_call,
)
from core.converter.layer_files.layer_configs import (
    NotExpressibleError,
    config_from_keras3,
    keras3_config,
    module_of,
)
from core.errors import CoreError
from core.graph.json_values import mapping
from core.layers.keras_config import MODEL_CLASSES, LayerSpec, Source, read_layer, read_topology
from core.layers.lowering.rows import find_layer_type

Topology = dict[str, Any]

#: Keys beside a topology by which readers recognise its dialect.
_MARKS = ("keras_version", "backend")
_TFJS_MARKS = {"keras_version": "tfjs-layers 4.22.0", "backend": "tensor_flow.js"}


def translated(document: LayersDocument, target: Dialect) -> LayersDocument:
    """Return a document with its topology in another dialect; weights are shared.

    Args:
        document: the document; one of the dialect is only completed, not changed.
        target: "keras3", "keras2" or "tfjs".

    Raises:
        CoreError: the dialect cannot express some layers; all are listed with the reasons.
    """
    if document.dialect == target:
        topology = {k: v for k, v in document.topology.items() if k not in _MARKS}
    else:
        topology = translated_topology(document.topology, target)
    if target == "keras3":
        topology = _completed(topology)
    elif target == "tfjs":
        topology = {**topology, **_TFJS_MARKS}
    return document._replace(topology=topology, dialect=target)


def translated_topology(topology: Any, target: Dialect) -> Topology:
    """Return a topology of any dialect in another one.

    Raises:
        CoreError: as for `translated`.

    >>> dense = {"class_name": "Dense", "config": {
    ...     "name": "d", "units": 1, "batch_input_shape": [None, 2]}}
    >>> model = {"class_name": "Sequential", "config": {"name": "m", "layers": [dense]}}
    >>> layers = translated_topology(model, "keras3")["config"]["layers"]
    >>> [layer["class_name"] for layer in layers], layers[0]["config"]["batch_shape"]
    (['InputLayer', 'Dense'], [None, 2])
    """
    model = read_topology(topology)
    translation = _Translation(target)
    found = translation.layer(model, ())
    problems = translation.all_problems()
    if problems:
        raise CoreError(f"{TITLES[target]} cannot express these layers: {'; '.join(problems)}")
    return found


class _Translation:
    """Translation of one topology, with the layers that the target lacks."""

    def __init__(self, target: Dialect):
        self.target = target
        self.problems: list[str] = []
        self._has_masks = False
        self._unmasked: list[str] = []

    def all_problems(self) -> list[str]:
        """Return the layers that the target lacks, or that use masks in one dialect only."""
        return self.problems + (self._unmasked if self._has_masks else [])

    def layer(self, spec: LayerSpec, path: tuple[str, ...]) -> Topology:
        """Return a layer or a model without its calls."""
        if spec.model is not None:
            return self._model(spec, path)
        class_name, config = spec.class_name, dict(spec.config)
        with_reason = self._lacked(spec)
        if with_reason:
            self._add_problem(spec, path, with_reason)
            return {"class_name": class_name, "config": config}
        self._note_masks(spec, path)
        inner: dict[str, Any] = {
            key: config.pop(key)
            for key in ("layer", "backward_layer", "cell", "cells")
            if key in config
        }
        try:
            config = self._config(spec, config)
            config.update(self._inner_layers(spec, inner, path))
        except NotExpressibleError as error:
            self._add_problem(spec, path, str(error))
        return {"class_name": class_name, "config": config}

    def _note_masks(self, spec: LayerSpec, path: tuple[str, ...]) -> None:
        makes = spec.class_name == "Masking" or spec.config.get("mask_zero") is True
        self._has_masks = self._has_masks or makes
        option = UNMASKED_IN_TFJS.get(spec.class_name)
        if option is None or "tfjs" not in (spec.dialect, self.target):
            return
        inner = spec.config.get("layer")
        if not option or (
            isinstance(inner, Mapping)
            and mapping(inner.get("config"), "an inner layer").get(option)
        ):
            name = "/".join(path)
            self._unmasked.append(f"{name!r} ({spec.class_name}) uses masks in Keras only")

    def _config(self, spec: LayerSpec, config: dict[str, Any]) -> dict[str, Any]:
        class_name = spec.class_name
        source: Dialect = spec.dialect  # type: ignore[assignment]
        if source != "keras3":
            config = keras3_config(class_name, config, source, self.target)
        if "tfjs" in (source, self.target):
            key, values = OTHER_IN_TFJS.get(class_name, ("", ()))
            if config.get(key) in values:
                raise NotExpressibleError(
                    f"has {key}={config.get(key)!r}, which TensorFlow.js computes otherwise"
                )
        if self.target != "keras3":
            config = config_from_keras3(class_name, config, self.target, source)
        return config

    def _lacked(self, spec: LayerSpec) -> str:
        """Return why the target lacks a class of layers; an empty text if it has the class."""
        if spec.is_function:
            return "is a function, not a layer"
        unknown = self.target == "tfjs" and spec.class_name not in TFJS_LAYERS
        if unknown or spec.class_name in LACKED_LAYERS[self.target]:
            return f"is a {spec.class_name}"
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
            listed = documents if isinstance(documents, list) else [documents]
            found = []
            for document in listed:
                child = read_layer(document, spec.dialect)
                if spec.class_name == "Bidirectional":
                    child = self._direction(child)
                found.append(self.layer(child, (*path, child.name)))
            yield key, found if isinstance(documents, list) else found[0]

    def _both_directions(self, spec: LayerSpec, inner: Mapping[str, Any]) -> Mapping[str, Any]:
        """Leave out a backward layer that the target makes from the forward one."""
        row = find_layer_type("Bidirectional")
        assert row is not None
        plain = spec._replace(config={"layer": inner.get("layer")})
        forward, made = row.children(plain)
        given = row.children(spec)[1]
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
        layers = [child for child in spec.model.layers if not _is_open_input(child)]
        documents = [self.layer(child, (*path, child.name)) for child in layers]
        config: dict[str, Any] = {"name": spec.name}
        if "trainable" in spec.config and self.target == "keras3":
            config["trainable"] = spec.config["trainable"]
        config["layers"] = documents
        class_name = spec.class_name
        if class_name == "Functional":
            config.update(self._graph(spec, layers, documents, path))
            class_name = "Model" if self.target == "tfjs" else class_name
        return {"class_name": class_name, "config": config}

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
        shapes = {child.name: document for child, document in zip(layers, documents, strict=True)}
        for child, document in zip(layers, documents, strict=True):
            calls = () if child.class_name == "InputLayer" else child.calls
            document["name"] = child.name
            try:
                document["inbound_nodes"] = [
                    keras3_call(child, call, _shape_of(shapes))
                    if self.target == "keras3"
                    else listed_call(child, call, models, self.target)
                    for call in calls
                ]
            except NotExpressibleError as error:
                self._add_problem(child, (*path, child.name), str(error))
        late = functional if self.target == "keras3" else models
        inputs, outputs = (
            [endpoint(source, late) for source in sources]
            for sources in (spec.model.inputs, spec.model.outputs)
        )
        ends = {"input_layers": inputs, "output_layers": outputs}
        if self.target == "keras3":  # a single tensor is in no list
            return {key: found[0] if len(found) == 1 else found for key, found in ends.items()}
        return ends


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


def _shape_of(documents: Mapping[str, Topology]) -> Callable[[Source], tuple[list[Any], str]]:
    """Return a function to the shape and dtype of a tensor, as far as inputs say them.

    Keras 3 writes shapes beside the tensors of calls, and computes them again when it reads them.
    """

    def shape_of(source: Source) -> tuple[list[Any], str]:
        config = documents[source.layer]["config"]
        return list(config.get("batch_shape") or [None]), str(config.get("dtype") or "float32")

    def checked(source: Source) -> tuple[list[Any], str]:
        is_input = documents[source.layer]["class_name"] == "InputLayer"
        return shape_of(source) if is_input else ([None], "float32")

    return checked


def _completed(value: Any, key: str = "") -> Any:
    """Return a topology of Keras 3 with the module and registered name of every object."""
    if isinstance(value, (list, tuple)):
        return [_completed(item, key) for item in value]
    if not isinstance(value, Mapping):
        return value
    found = {k: _completed(v, k) for k, v in value.items()}
    class_name = value.get("class_name")
    if not isinstance(class_name, str) or "config" not in value or class_name.startswith("__"):
        return found
    if class_name in ("Functional", "Model"):
        found["class_name"] = class_name = "Functional"
        module = "keras.src.models.functional"
    else:
        module = "keras" if class_name in (*MODEL_CLASSES, "DTypePolicy") else "keras.layers"
    registered = "Functional" if class_name == "Functional" else None
    given = {"module": module_of(key) or module, "class_name": class_name}
    return {**given, **found, "registered_name": found.get("registered_name", registered)}

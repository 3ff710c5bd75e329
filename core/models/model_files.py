"""Saving and loading of models and weights."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from core.engine.variables import Variable
from core.errors import CoreError
from core.layers.layer import Layer
from core.models.interrupts import INTERRUPTS

if TYPE_CHECKING:
    from core.converter.layer_files import LayersDocument
    from core.models.documents import CustomObjects
    from core.models.model import Model

Path = str | os.PathLike[str]


class SavedModel(Layer):
    """A model with methods that write it, and that take what was written."""

    #: The library that wrote the topology, by which some defaults differ.
    dialect: Any = "keras3"

    def save(self, path: Path, *, include_optimizer: bool = True) -> None:
        """Write the model with its weights, its training configuration, and the optimizer's state.

        Args:
            path: a ``.keras`` file (Keras 3), an ``.h5`` or ``.hdf5`` file (Keras 2 and 3), or a
                folder, for the layers format of TensorFlow.js: ``model.json`` and shards. What is
                there before is replaced as a whole, or stays if writing fails.
            include_optimizer: write the optimizer's state, too.

        Raises:
            CoreError: the model is a subclass, or a layer has what the format cannot express.

        >>> import core, os, tempfile
        >>> model = core.Sequential([core.layers.Dense(2, input_shape=(3,))])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(os.path.join(folder, "model.keras"))
        ...     again = core.load_layers_model(os.path.join(folder, "model.keras"))
        >>> bool((again.get_weights()[0] == model.get_weights()[0]).all())
        True
        """
        from core.models.documents import document_of

        model: Any = self
        write = _writer_for(path)
        with INTERRUPTS.step():
            write(path, document_of(model, include_optimizer=include_optimizer))

    def save_weights(self, path: Path) -> None:
        """Write the weights alone, as an ``.npz`` file of arrays by the names of variables.

        Raises:
            CoreError: two variables have one name, or the model has no variables yet.
        """
        from core.converter.layer_files.weight_archive import write_weight_archive

        arrays = {name: variable.numpy() for name, variable in self._named_variables().items()}
        with INTERRUPTS.step():
            write_weight_archive(path, arrays)

    def load_weights(self, path: Path) -> None:
        """Give the variables the values that `save_weights` wrote.

        Raises:
            CoreError: a variable is missing or left over, or has another shape.
            WeightsError: the file is damaged.
        """
        from core.converter.layer_files.weight_archive import read_weight_archive

        found = read_weight_archive(path)
        variables = self._named_variables()
        missing, left = sorted(set(variables) - set(found)), sorted(set(found) - set(variables))
        if missing or left:
            raise CoreError(
                f"the weights do not fit the model: missing are {missing or 'none'}, left over "
                f"{left or 'none'}"
            )
        for name, variable in variables.items():
            if found[name].shape != variable.shape:
                raise CoreError(
                    f"{name!r} has shape {variable.shape}, the file has {found[name].shape}"
                )
        for name, variable in variables.items():
            variable.assign(found[name])

    def _named_variables(self) -> dict[str, Variable]:
        """Return the variables by their names in archives."""
        variables = self.variables
        named = {variable.name.replace("/", "."): variable for variable in variables}
        if len(named) < len(variables) or not variables:
            raise CoreError(
                f"the model {self.name!r} has no variables yet, or two of one name: build it by a "
                f"call on data, and give its layers names"
            )
        return named


def _writer_for(path: Path) -> "Callable[[Path, LayersDocument], object]":
    """Return the writer for the ending of a path."""
    from core.converter import layer_files

    writers = {
        ".keras": layer_files.write_keras,
        ".h5": layer_files.write_h5,
        ".hdf5": layer_files.write_h5,
        "": layer_files.write_tfjs_layers,
    }
    ending = os.path.splitext(path)[1]
    if ending not in writers:
        raise CoreError(
            f"a model is saved as a .keras or .h5 file, or as a folder without an ending for "
            f"TensorFlow.js; got {os.fspath(path)!r}"
        )
    return writers[ending]


def load_layers_model(
    path: Path, *, custom_objects: "CustomObjects | None" = None, compile: bool = True
) -> "Model":
    """Load a model of layers, which can be trained on, from a file of Keras or TensorFlow.js.

    Args:
        path: a ``.keras`` or ``.h5`` file, or a folder or ``model.json`` of TensorFlow.js.
        custom_objects: classes of user-defined layers by their names in the file.
        compile: take the training configuration and the optimizer's state from the file.

    Raises:
        WeightsError: the file is missing, damaged, or of another kind.
        CoreError: topology and weights do not fit.
        KernelNotFound: the file has layers of unknown classes, which are listed.
    """
    from core.converter.layer_files import read_document
    from core.models.documents import fill, model_from_document

    document = read_document(path)
    model = model_from_document(document.topology, custom_objects)
    fill(model, document, compile=compile)
    return model


def model_from_json(text: str, custom_objects: "CustomObjects | None" = None) -> "Model":
    """Make a model with new weights from the JSON of a topology, of any dialect.

    Raises:
        CoreError: the text is no topology.
    """
    import json

    from core.models.documents import model_from_document

    try:
        document: Any = json.loads(text)
    except ValueError as error:
        raise CoreError(f"the topology is no JSON: {error}") from error
    if not isinstance(document, Mapping):
        raise CoreError(f"the topology must be an object, got {text!r:.80}")
    return model_from_document(document, custom_objects)

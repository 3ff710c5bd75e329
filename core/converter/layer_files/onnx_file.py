"""Writer of layer models as ONNX files, which have no layers, but what they compute."""

import os

from core.converter.layer_files.document import LayersDocument
from core.converter.onnx_writer import OnnxFile, write_onnx
from core.layers.inference import layers_graph


def write_onnx_of_layers(path: str | os.PathLike[str], document: LayersDocument) -> OnnxFile:
    """Write what a layer model computes in inference, without its training configuration.

    Args:
        path: of the file.
        document: the model.

    Raises:
        KernelNotFound: layers are user-defined; all are listed.
        WeightsError: as `core.converter.onnx_writer.write_onnx`.
    """
    weights = {
        "/".join((*layer, name)): array
        for layer, named in document.weights.items()
        for name, array in named.items()
    }
    return write_onnx(layers_graph(document.topology, weights), path)

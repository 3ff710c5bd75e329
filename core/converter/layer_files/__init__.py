"""Files of layer models with all of their content: ``.keras``, ``.h5``, TensorFlow.js's, ONNX."""

from core.converter.layer_files.document import LayersDocument
from core.converter.layer_files.files import read_document
from core.converter.layer_files.keras_archive import write_keras
from core.converter.layer_files.keras_h5 import write_h5
from core.converter.layer_files.onnx_file import write_onnx_of_layers
from core.converter.layer_files.tfjs_layers import write_tfjs_layers
from core.converter.layer_files.translation import translated

__all__ = [
    "LayersDocument",
    "read_document",
    "translated",
    "write_h5",
    "write_keras",
    "write_onnx_of_layers",
    "write_tfjs_layers",
]

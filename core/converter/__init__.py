"""Readers of model files, and writers of the web format and of ONNX: paths in, graphs out.

>>> from core import converter
>>> model = converter.load_model("blazeface/model.json")  # doctest: +SKIP
>>> converter.convert("face.tflite", "face-web", quantise="float16")  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING

from weights_cache.common.similar_names import no_attribute

if TYPE_CHECKING:
    from core.converter.accuracy_loss import QuantisationWarning
    from core.converter.conversion import convert
    from core.converter.conversion_report import Report, inspect_model
    from core.converter.formats import load_model, read_graph
    from core.converter.input_shapes import InputShapes
    from core.converter.layer_files.optimizer_state import OptimizerStateWarning
    from core.converter.onnx_writer.conversion import convert_to_onnx
    from core.converter.onnx_writer.protos import ModelFacts
    from core.converter.onnx_writer.writing import OnnxFile

_PUBLIC = {
    "InputShapes": "input_shapes",
    "ModelFacts": "onnx_writer.protos",
    "OnnxFile": "onnx_writer.writing",
    "OptimizerStateWarning": "layer_files.optimizer_state",
    "QuantisationWarning": "accuracy_loss",
    "Report": "conversion_report",
    "convert": "conversion",
    "convert_to_onnx": "onnx_writer.conversion",
    "inspect_model": "conversion_report",
    "load_model": "formats",
    "read_graph": "formats",
}

__all__ = [
    "InputShapes",
    "ModelFacts",
    "OnnxFile",
    "OptimizerStateWarning",
    "QuantisationWarning",
    "Report",
    "convert",
    "convert_to_onnx",
    "inspect_model",
    "load_model",
    "read_graph",
]


if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid

    def __getattr__(name: str) -> object:
        if name not in _PUBLIC:
            raise no_attribute(__name__, name, __all__)
        value = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)

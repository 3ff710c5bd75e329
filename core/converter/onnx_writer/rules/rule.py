"""The type of rules."""

from collections.abc import Callable

from core.converter.onnx_writer.graph_writer import GraphWriter
from core.engine.program import Step

#: Writes the nodes of a step, and notes the names of its results. It raises a `NotWrittenError` for
#: attributes that have no counterpart.
Rule = Callable[[GraphWriter, Step], None]

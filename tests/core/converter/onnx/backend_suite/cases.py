"""The cases of ONNX's backend suite: a model, its inputs, and what they give."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes  # noqa: F401 -- onnx makes arrays of its types
import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

KINDS = ("node", "simple", "light", "pytorch-operator", "pytorch-converted")

#: The part of the cases that is run by default, beside one of each op.
DRAWN_PART = 0.15

#: Ops of training in the default domain: losses, whose gradients the suite does not ask for.
LOSSES = {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}

#: Ops whose results are drawn: shapes and dtypes alone can agree.
DRAWN = {
    "Bernoulli",
    "Multinomial",
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
}


class Case(NamedTuple):
    """A case.

    Attributes:
        name: as the suite has it.
        model: what is run.
        sets: inputs and expected outputs, in the order of the model's.
        rtol: relative tolerance of the suite.
        atol: absolute tolerance of the suite.
    """

    name: str
    model: onnx.ModelProto
    sets: list[tuple[list[Any], list[Any]]]
    rtol: float
    atol: float

    @property
    def op(self) -> str:
        """The op that it is about, by its name."""
        return self.model.graph.node[0].op_type if self.model.graph.node else ""

    @property
    def ops(self) -> set[str]:
        """All ops of its graph."""
        return {node.op_type for node in self.model.graph.node}

    @property
    def category(self) -> str:
        """``inference``, or the part of the standard that is counted apart."""
        domains = {node.domain for node in self.model.graph.node}
        for domain in ("ai.onnx.preview.training", "ai.onnx.ml", "ai.onnx.preview"):
            if domain in domains:
                return domain
        is_training = "training_" in self.name and "Dropout" in self.ops
        if is_training or LOSSES & self.ops or self.name.startswith(("test_sce", "test_nllloss")):
            return "training"
        return "inference"


def cases(kind: str) -> Iterator[Case]:
    """Yield the cases of a kind."""
    if kind == "node":
        for each in collect_testcases(None):
            sets = [
                (
                    _in_order(given, each.model.graph.input),
                    _in_order(wanted, each.model.graph.output),
                )
                for given, wanted in each.data_sets
            ]
            yield Case(each.name, each.model, sets, each.rtol, each.atol)
        return
    for each in load_model_tests(kind="real" if kind == "light" else kind):
        read = _dummy_sets if kind == "light" else _stored_sets
        file = Path(onnx.__file__).parents[1] / each.url if each.url else Path(each.model_dir)
        path = file if kind == "light" else file / "model.onnx"
        model = onnx.load(path)
        yield Case(each.name, model, read(path, model), each.rtol, each.atol)


def part_of(every: Iterator[Case]) -> list[Case]:
    """Return a case of each op, and each of the others that a fixed seed draws."""
    rng, seen, part = np.random.default_rng(49), set(), []
    for case in every:
        if rng.random() < DRAWN_PART or case.op not in seen:
            part.append(case)
        seen.add(case.op)
    return part


def _in_order(values: Any, infos: Any) -> list[Any]:
    return [values[info.name] for info in infos] if isinstance(values, dict) else [*values]


def inputs_of(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """Return the inputs of a model without those that have an initial value."""
    initial = {each.name for each in model.graph.initializer}
    return [each for each in model.graph.input if each.name not in initial]


def _stored_sets(path: Path, model: onnx.ModelProto) -> list[tuple[list[Any], list[Any]]]:
    """Return inputs and outputs of the files beside a model."""
    return [
        (
            [_stored(folder / f"input_{i}.pb", x) for i, x in enumerate(inputs_of(model))],
            [_stored(folder / f"output_{i}.pb", x) for i, x in enumerate(model.graph.output)],
        )
        for folder in sorted(path.parent.glob("test_data_set_*"))
    ]


def _stored(path: Path, info: onnx.ValueInfoProto) -> Any:
    if not path.exists():
        return None
    kind, read = _FORMS[info.type.WhichOneof("value")]
    proto = kind()
    proto.ParseFromString(path.read_bytes())
    return read(proto)


_FORMS = {
    "tensor_type": (onnx.TensorProto, numpy_helper.to_array),
    "sequence_type": (onnx.SequenceProto, numpy_helper.to_list),
    "optional_type": (onnx.OptionalProto, numpy_helper.to_optional),
}


def _dummy_sets(path: Path, model: onnx.ModelProto) -> list[tuple[list[Any], list[Any]]]:
    """Return the inputs that the suite makes for a model without weights, and its outputs."""
    given = [Runner.generate_dummy_data(info, name=path.stem) for info in inputs_of(model)]
    wanted = [
        _stored(path.with_name(f"{path.stem}_output_{i}.pb"), info)
        for i, info in enumerate(model.graph.output)
    ]
    return [(given, wanted)]


def as_array(value: Any) -> Any:
    """Return a value of the suite, which may be a proto, as an array, a list of them, or None."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, (list, tuple)):
        return [as_array(each) for each in value]
    return None if value is None else np.asarray(value)

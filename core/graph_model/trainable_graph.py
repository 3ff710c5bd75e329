"""A graph of which some constants are variables, so that it trains."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from core.autodiff.scopes import keep
from core.engine.limits import Limits
from core.engine.run_guard import Guard, active_guard, guarded
from core.engine.settings import backend as on_backend
from core.engine.tensors import Tensor
from core.engine.trace_hook import active_trace
from core.engine.variables import Variable
from core.errors import CoreError
from core.graph.executor import Executor
from core.graph.nodes import Graph, PartialSpec, node_of
from core.graph.weight_tensors import weight
from core.graph_model.async_runs import AsyncRuns
from core.graph_model.graph_signature import GraphSignature, listed
from core.graph_model.trainable_constants import Constants, Pattern, matches
from core.graph_model.training_norms import (
    Moments,
    checked_momentum,
    find_norms,
    update_moving,
    with_moments,
)
from core.plan.planner import Planner
from core.process.locks import new_lock
from weights_cache.common.providers import provided
from weights_cache.common.similar_names import did_you_mean

Model = TypeVar("Model", bound=AsyncRuns)


@dataclass(frozen=True)
class ModelParts(Generic[Model]):
    """The parts of a `GraphModel` that trainable graphs share with it.

    Attributes:
        graph: its graph.
        executor: executor of the graph.
        signature: names of inputs and outputs.
        resources: returns the tables that the graph's initializer fills.
        backend: name of the backend.
        limits: returns the limits of a run.
        with_graph: returns a like model of another graph.
    """

    graph: Graph
    executor: Executor
    signature: GraphSignature
    resources: Callable[[], Mapping[str, Any]]
    backend: str
    limits: Callable[[], Limits]
    with_graph: Callable[[Graph], Model]


class _Body(NamedTuple):
    """The graph between feeds and fetches, optimised around its variables.

    Attributes:
        executor: executor of the optimised graph.
        sources: its reference for each fetch.
        moments: statistics of batches among the fetches.
        variables: names of the variables that it reads.
    """

    executor: Executor
    sources: Mapping[str, str]
    moments: Sequence[Moments]
    variables: Sequence[str]


class TrainableGraph(Generic[Model]):
    """A graph model with variables in place of some constants; made by `GraphModel.trainable`.

    The model that it is made of stays as it is: both share the graph and all weights that do not
    change.

    Args:
        model: parts of the model.
        patterns: patterns of names; see `GraphModel.trainable`.
        outputs: names of outputs or nodes.
        momentum: momentum of moving statistics.

    Attributes:
        variables: all variables, by the names of their constants.
    """

    def __init__(
        self,
        model: ModelParts[Model],
        patterns: Sequence[Pattern] = (),
        *,
        outputs: str | Iterable[str] | None = None,
        momentum: float = 0.99,
    ):
        self._model, self._momentum = model, checked_momentum(momentum)
        self._wanted = _references(model, outputs)
        self.variables, self._moving = self._made_variables(patterns)
        self._bodies: dict[tuple[bool, frozenset[str]], _Body] = {}
        self._frozen: Model | None = None
        self._freezing = new_lock()

    def _made_variables(
        self, patterns: Sequence[Pattern]
    ) -> tuple[dict[str, Variable], frozenset[str]]:
        """Return the variables by name, and the names of moving statistics among them."""
        model = self._model
        constants = Constants(model.graph, self._wanted.values())
        norms = find_norms(model.graph, constants.trainable)
        chosen = constants.chosen(patterns, [norm.node.name for norm in norms])
        moving: set[str] = set()
        for norm in norms:
            is_named = any(matches(pattern, norm.node.name) for pattern in patterns)
            if is_named or {norm.mean, norm.variance} <= {*chosen}:
                moving |= {norm.mean, norm.variance}
        names = [name for name in constants.trainable if name in {*chosen, *moving}]
        with on_backend(model.backend):
            made = {n: Variable(model.executor.constants[n], n not in moving, n) for n in names}
        return made, frozenset(moving)

    @property
    def trainable_variables(self) -> dict[str, Variable]:
        """The variables that gradients change, by name: all but statistics of batch norm."""
        return {name: v for name, v in self.variables.items() if v.trainable}

    @property
    def inputs(self) -> dict[str, PartialSpec]:
        """Name of each input, its shape (None: any length) and dtype."""
        return {name: endpoint.spec for name, endpoint in self._model.graph.inputs.items()}

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs that a call returns."""
        return [*self._wanted]

    def __call__(self, inputs: Any, training: bool = False) -> "Tensor | dict[str, Tensor]":
        """Return the outputs, through which gradients flow to variables and inputs.

        Runs op by op, or as a part of the plan of a function that `core.compile` made.

        Args:
            inputs: the input (tensor or array), or a dict of them by name.
            training: whether nodes of batch norm with variable statistics normalise by the mean
                and variance of the batch, and move their statistics towards these.

        Returns:
            The only output, or a dict of several by name.

        Raises:
            CoreError: an input is missing, unknown, or of another shape or dtype.
        """
        model = self._model
        feeds = model.signature.feeds(inputs)
        body = self._body(bool(training), frozenset(feeds))
        read = {name: self.variables[name].read() for name in body.variables}
        given = {**model.resources(), **read, **feeds}
        wanted = [*body.sources.values()]
        with self._guard():
            values = body.executor.run(given, wanted)
        found = [(name, r, values[body.sources[r]]) for name, r in self._wanted.items()]
        update_moving(
            body.moments,
            {r: values[body.sources[r]] for each in body.moments for r in each.batch},
            self.variables,
            self._momentum,
        )
        results = model.signature.results(found, given.values(), False)
        return next(iter(results.values())) if len(results) == 1 else results

    def _guard(self) -> AbstractContextManager[Any]:
        """Return the limits of a run; a plan is traced without data."""
        if active_trace() is not None:
            return nullcontext()
        return guarded(Guard(self._model.limits(), active_guard()))

    def _body(self, training: bool, feeds: frozenset[str]) -> _Body:
        key = training, feeds
        if key not in self._bodies:
            self._bodies[key] = self._new_body(training, feeds)
        return self._bodies[key]

    def _new_body(self, training: bool, feeds: frozenset[str]) -> _Body:
        """Return the graph from feeds and variables on, with frozen parts folded."""
        graph, executor, moments = self._model.graph, self._model.executor, list[Moments]()
        if training:
            graph, moments = with_moments(graph, find_norms(graph, self._moving))
            executor = _executor_of(graph, executor)
        given = frozenset({*feeds, *self._model.resources(), *self.variables})
        batches = [reference for each in moments for reference in each.batch]
        wanted = [*dict.fromkeys([*self._wanted.values(), *batches])]
        planner, sources = Planner(graph, executor), {reference: reference for reference in wanted}
        if planner.feeds_whole_nodes(given, wanted):
            executor, sources = planner.optimised(given, wanted)
        needed = _needed(executor, given - {*self.variables}, [*sources.values()])
        return _Body(executor, sources, moments, [n for n in self.variables if n in needed])

    def predict(self, inputs: Any) -> dict[str, Tensor]:
        """Run the graph with the present values of the variables, as `GraphModel.predict` does.

        Values that changed since the last call make another plan; without a change nothing is
        prepared again.

        Args:
            inputs: as for `GraphModel.predict`.

        Returns:
            Every output by name.

        Raises:
            CoreError: as of `GraphModel.predict`.
        """
        return self.freeze().execute(inputs, self.output_names)

    def freeze(self) -> Model:
        """Return a `GraphModel` of all outputs, with the present values of the variables."""
        values = {name: variable.numpy() for name, variable in self.variables.items()}
        with self._freezing:
            if self._frozen is None or not _are_equal(values, self._frozen.graph.weights):
                self._frozen = self._model.with_graph(self._graph_with(values))
            return self._frozen

    def _graph_with(self, values: Mapping[str, np.ndarray]) -> Graph:
        for array in values.values():
            array.setflags(write=False)  # the model then need not copy it
        graph = self._model.graph
        kept = {r: q for r, q in graph.quantizations.items() if r not in values}
        return graph._replace(weights={**graph.weights, **values}, quantizations=kept)

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the graph with the present values in TensorFlow.js's web format, or as ONNX.

        `core.load_model` reads it back with equal predictions. An error leaves existing files
        unchanged.

        Args:
            folder: the folder to write to, made if missing; or an ``.onnx`` file, as which a graph
                that came from one is written.
            overwrite: whether to replace a model in the folder, or the file.

        Returns:
            The path of ``model.json``, or of the file.

        Raises:
            WeightsError: there is a model in the folder, the folder or file cannot be written, or
                the format lacks node types, which are all listed.
        """
        is_file = Path(folder).suffix == ".onnx"
        write = provided("save_onnx_graph" if is_file else "save_graph")
        written: Path = write(self.freeze().graph, folder, overwrite=overwrite)
        return written

    def __repr__(self) -> str:
        count = sum(int(np.prod(v.shape)) for v in self.trainable_variables.values())
        return (
            f"TrainableGraph({len(self.trainable_variables)} trainable variables of "
            f"{len(self.variables)}, {count:,} trainable parameters)"
        )


def _references(model: ModelParts[Any], outputs: str | Iterable[str] | None) -> dict[str, str]:
    """Return the references of outputs by name.

    Raises:
        CoreError: there is no name, or no such output or node.
    """
    given = [*model.graph.outputs] if outputs is None else outputs
    names = listed([given] if isinstance(given, str) else given)
    if not names:
        raise CoreError("give the name of at least one output or node as outputs=")
    found = {name: model.signature.fetched(name) for name in names}
    known = model.executor.nodes.keys() | model.executor.constants.keys()
    for name, reference in found.items():
        if node_of(reference) not in known:
            hint = did_you_mean(name, [*model.graph.outputs, *known])
            raise CoreError(f"the graph has no output or node {name!r}{hint}")
    return found


def _executor_of(graph: Graph, like: Executor) -> Executor:
    """Return an executor of a graph with the weights and tables of another executor."""
    added = {n: weight(a) for n, a in graph.weights.items() if n not in like.constants}
    constants = {**like.constants, **keep(added)}
    made = Executor(graph.nodes, constants, functions=graph.functions, kernels=like.kernels)
    made.resources = like.resources
    return made


def _needed(executor: Executor, given: frozenset[str], wanted: Sequence[str]) -> set[str]:
    """Return the references that are read on the way from feeds to fetches."""
    order = executor.execution_order(given, wanted)
    inputs = [reference for name in order for reference in executor.node(name).inputs]
    return {*wanted, *order, *map(executor.normalised, inputs)}


def _are_equal(values: Mapping[str, np.ndarray], others: Mapping[str, np.ndarray]) -> bool:
    """Return whether arrays have equal bits."""
    return all(
        np.array_equal(array.view(np.uint32), np.asarray(others[name]).view(np.uint32))
        for name, array in values.items()
    )

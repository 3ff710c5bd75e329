"""A graph with its weights, ready to run."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from math import inf
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np

from core.autodiff.scopes import keep
from core.backends.cpu.single_runs import prepared, runs_by_numpy
from core.engine.backends import AUTO, REPLACED
from core.engine.limits import (
    LimitError,
    Limits,
    checked_limits,
    context_limits,
    effective_limits,
    usual_limits,
)
from core.engine.run_guard import Guard, RunCancelledError, active_guard, guarded
from core.engine.settings import active_backend, chosen_backend
from core.engine.settings import backend as on_backend
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.executor import Executor
from core.graph.feeds import as_tensor, as_view
from core.graph.initialization import Initialization, check_count, check_given, check_unique
from core.graph.nodes import Graph, PartialSpec
from core.graph.weight_tensors import shown_graph, weight
from core.graph_model.async_runs import AsyncRuns
from core.graph_model.graph_signature import GraphSignature, MakeFeed, as_array, listed, zeros_for
from core.graph_model.kept_states import KeptStates
from core.graph_model.run_cache import RunCache, call_key, needs_ops
from core.plan.partition import largest_plan
from core.plan.planner import Planner
from core.process.context_vars import in_new_context

if TYPE_CHECKING:
    from core.engine.program import Program
    from core.engine.specs import Spec
    from core.graph.nodes import Node
    from core.graph_model.stored_calls import StoredCalls
    from core.graph_model.trainable_constants import Pattern
    from core.graph_model.trainable_graph import ModelParts, TrainableGraph
    from core.plan.plan import Plan
    from core.plan.plan_report import PlanProfile

Result = TypeVar("Result")


class GraphModel(AsyncRuns):
    """Runs a graph on one backend, where its weights stay. Threads may share it.

    Args:
        graph: nodes, weights, inputs and outputs. Arrays that are marked read-only are shared (do
            not write to them by an older view), others copied; the model's own ``graph`` shows
            the data of its tensors.
        backend: where to run, by default the active one; ``"auto"``: see `backend_notes`.
        kernels: user-defined functions by node type, for types without a built-in one or in its
            place. Each takes the inputs of the node as tensors and its attributes as keywords, and
            returns a tensor or a list of them.
        plans: run by plans, which are made at the first call for inputs of some shapes (see
            `plan`). Without them, or while a gradient tape, `core.profile` or debug mode is active,
            the graph runs op by op.
        limits: limits of a run (`core.Limits`), besides those of `core.limits` and the defaults.
        stored: the stored calls of this network, to which others are added as they run.

    Raises:
        LimitError: the graph has more nodes than the limits allow.
        CoreError: the outputs need node types without a kernel; all are listed, with the names of
            their nodes. For types that the format does not define (``graph.custom_types``) the
            error is raised when an output that needs them is computed.

    >>> import numpy as np
    >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
    >>> nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("y", "Mul", ("x", "w"))]
    >>> ends = [Endpoint(name, PartialSpec((None,))) for name in ("x", "y")]
    >>> graph = Graph(nodes, {"w": np.float32([2.0])}, {"x": ends[0]}, {"y": ends[1]})
    >>> GraphModel(graph).predict([1.0, 2.0])["y"].numpy()
    array([2., 4.], dtype=float32)
    """

    def __new__(cls, graph: Any = None, backend: str | None = None, **_: Any) -> "GraphModel":
        """Make the object, an `AutomaticModel` where the backend is ``"auto"``."""
        if cls is GraphModel and graph is not None and (backend or chosen_backend()) == AUTO:
            cls = resolve_name("core.graph_model.automatic_model:AutomaticModel")
        return object.__new__(cls)

    def __init__(
        self,
        graph: Graph,
        backend: str | None = None,
        *,
        kernels: Mapping[str, Callable[..., Any]] | None = None,
        plans: bool = True,
        limits: Limits | None = None,
        stored: "StoredCalls | None" = None,
    ):
        self.backend = backend or chosen_backend()
        self.stored = stored
        self.limits = limits = checked_limits(limits)
        check_count(graph, effective_limits(limits))
        check_unique(graph)
        with on_backend(self.backend):
            # A model may be loaded inside of a tidy scope, and outlives it.
            weights = keep({name: weight(array) for name, array in graph.weights.items()})
        self.graph = graph = shown_graph(graph, weights)
        functions, own = graph.functions, kernels or {}
        self._executor = Executor(graph.nodes, weights, functions=functions, kernels=own)
        self._signature = GraphSignature(graph, self._executor)
        wanted = [*map(self._signature.fetched, graph.outputs)] or [n.name for n in graph.nodes]
        wanted += map(self._executor.normalised, graph.states.values())
        self._executor.check_outputs(
            wanted, [*graph.resources, *self._signature.inputs], graph.custom_types
        )
        check_given(graph)
        with on_backend(self.backend):
            self._initialization = Initialization(graph, self._executor)
        self._states = KeptStates(graph, self._executor)
        self._has_plans, self._replaced = plans, -1
        self._renew_plans()
        self._output_names = [*graph.outputs]
        self._only_input = next(iter(graph.inputs)) if len(graph.inputs) == 1 else None
        self._usual_limits = usual_limits(limits)

    @property
    def inputs(self) -> dict[str, PartialSpec]:
        """Name of each input, its shape (None: any length) and dtype."""
        return {name: endpoint.spec for name, endpoint in self.graph.inputs.items()}

    @property
    def outputs(self) -> dict[str, PartialSpec]:
        """Name of each output, its shape (None: any length) and dtype."""
        return {name: endpoint.spec for name, endpoint in self.graph.outputs.items()}

    @property
    def backend_notes(self) -> list[str]:
        """Why ``"auto"`` runs it on shader, or as it is not faster, on cpu; else none."""
        return []

    @property
    def tiers(self) -> list[str]:
        """Kinds of the kernels by which it has run so far, such as ``["generated"]``."""
        planner = self._planner
        return [] if planner is None else sorted({plan.tier for plan in planner.plans()})

    def predict(self, inputs: Any, *, raw: bool = False) -> dict[str, Tensor]:
        """Run the graph.

        Args:
            inputs: the input (array or tensor; where the graph takes a sequence a list of them,
                for an optional perhaps None), or a dict of them by name. Where an input is
                quantised, an array of its integer dtype holds quantized values, one of floats the
                real values.
            raw: return quantised outputs as their integers (int32) instead of the real values.

        Returns:
            Every output by name. A graph with states, such as a network for streams, goes on from
            the run before; see `reset_states`.

        Raises:
            CoreError: an input is missing, unknown, or of another shape or dtype; or an output
                needs a node without a kernel.
            LimitError: the run takes more time or memory than the limits allow.
        """
        return self._run(inputs, self._output_names, raw, False)

    @overload
    def execute(
        self,
        inputs: Any,
        outputs: Iterable[str],
        *,
        raw: bool = ...,
        as_arrays: Literal[False] = ...,
    ) -> dict[str, Tensor]: ...

    @overload
    def execute(
        self, inputs: Any, outputs: Iterable[str], *, raw: bool = ..., as_arrays: Literal[True]
    ) -> dict[str, np.ndarray]: ...

    def execute(
        self, inputs: Any, outputs: Iterable[str], *, raw: bool = False, as_arrays: bool = False
    ) -> dict[str, Any]:
        """Run the nodes that some outputs need.

        Args:
            inputs: as for `predict`; a dict may name any node of the graph, also a constant, or one
                output of a node as ``"name:1"``, which is then not computed. Inputs that the
                outputs do not need may be left out. A value may be named by any of its names.
            outputs: names of outputs or of any nodes; ``"name:1"`` is a node's second output.
            raw: as for `predict`.
            as_arrays: return read-only NumPy arrays, without making tensors of them first.

        Returns:
            The outputs, by the given names, independent of the model and the inputs.

        Raises:
            CoreError: an input is unknown, named twice, or of another shape or dtype; an output
                does not exist, is not a tensor, lies inside of a loop or on a branch that is not
                taken, or needs an input that is missing or a node without a kernel.
            LimitError: the run takes more time or memory than the limits allow.

        >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
        >>> nodes = [Node("x", "Placeholder"), Node("a", "Neg", ("x",)), Node("y", "Exp", ("a",))]
        >>> ends = [Endpoint(name, PartialSpec((None,))) for name in ("x", "y")]
        >>> model = GraphModel(Graph(nodes, {}, {"x": ends[0]}, {"y": ends[1]}))
        >>> model.execute([1.0, 2.0], ["a"])["a"].numpy()
        array([-1., -2.], dtype=float32)
        >>> model.execute({"a": [0.0]}, ["y"])["y"].numpy()
        array([1.], dtype=float32)
        """
        return self._run(inputs, listed(outputs), raw, as_arrays)

    def _run(self, inputs: Any, names: list[str], raw: bool, as_arrays: bool) -> dict[str, Any]:
        """Return the outputs of a run by name."""
        limits = self._usual_limits if context_limits() is None else self._effective_limits()
        kind = type(inputs)
        is_named = kind is dict or (kind is not np.ndarray and isinstance(inputs, Mapping))
        if self._only_input is not None and not is_named:
            inputs = {self._only_input: inputs}
        if self._replaced != len(REPLACED):  # checked here to spare the call
            self._renew_plans()
        is_long = raw or self._runs is None or needs_ops()
        key = None if is_long else call_key(inputs, names)
        found = None if key is None else self._repeated(key, inputs, limits, as_arrays)
        if found is not None:
            return found
        execute = partial(self._executed, inputs, names, raw, key)
        runs = None if key is None else self._runs
        stored = None if runs is None else self.stored
        if stored is not None and runs_by_numpy() and stored.has_prepared(inputs, names):
            execute = partial(prepared, execute)
        results = self._guarded(limits, execute)
        if runs is not None and stored is not None:
            runs.store(key, inputs, names, stored, is_all=names == self._output_names)
        return {n: as_array(v) for n, v in results.items()} if as_arrays else results

    def _repeated(
        self, key: Hashable, inputs: Any, limits: Limits, as_arrays: bool
    ) -> dict[str, Any] | None:
        """Return the outputs by a cached call; None if no call has that key."""
        assert self._runs is not None
        call = self._runs.find(key)
        if call is None or not call.plan.fits(limits):
            return None
        try:
            if limits.seconds == inf:  # no guard is needed
                return call.run(inputs, as_arrays)
            return self._guarded(limits, partial(call.run, inputs, as_arrays))
        except (LimitError, RunCancelledError):
            raise
        except CoreError:
            return None  # the run without a cached call raises it with the names of the graph

    def _effective_limits(self) -> Limits:
        """Return the limits of the model and the context, with all values."""
        if context_limits() is None:
            return self._usual_limits
        return effective_limits(self.limits)

    def _guarded(self, limits: Limits, run: Callable[[], Result]) -> Result:
        """Return the result of a function that runs on the model's backend, under a guard."""

        def inside() -> Result:
            with on_backend(self.backend), guarded(Guard(limits, active_guard())):
                return run()

        return in_new_context(inside)

    def _renew_plans(self) -> None:
        """Drop plans that call kernels which a user replaced since."""
        if self._replaced != len(REPLACED):
            self._replaced = len(REPLACED)
            self._planner = Planner(self.graph, self._executor) if self._has_plans else None
            planner = None if self.graph.states else self._planner  # a cached call keeps nothing
            self._runs = None if planner is None else RunCache(planner)

    def _executed(
        self, inputs: Any, names: list[str], raw: bool, key: Hashable | None
    ) -> dict[str, Tensor]:
        """Return the outputs by name; with a key, cache the call if it can be repeated."""
        references = [*map(self._signature.fetched, names)]
        runner, make = self._runner()
        resources, fed = self._initialization.resources(), self._signature.feeds(inputs, make)
        values = self._states.run(runner, resources, fed, references)
        feeds = {**resources, **fed}
        found = [(name, r, values[r]) for name, r in zip(names, references, strict=True)]
        results = self._signature.results(found, [*feeds.values(), *self._states.held()], raw)
        if key is not None and self._runs is not None:
            given = {self._signature.fed(name): name for name in inputs}
            self._runs.add(key, given, feeds, dict(zip(names, references, strict=True)))
        return results

    def _runner(self) -> "tuple[Planner | Executor, MakeFeed]":
        """Return the runner of the graph, and its function for feeds: plans copy their inputs."""
        if self._planner is None or needs_ops() or not active_backend().has_plans:
            return self._executor, as_tensor
        return self._planner, as_view

    def reset_states(self) -> None:
        """Set what the graph keeps from run to run, as TFLite's variables, to its first values.

        A run to which all inputs are given moves them on; other runs leave them as they are.
        """
        self._states.reset()

    def plan(self, inputs: Any = None, outputs: Iterable[str] | None = None) -> "Plan":
        """The plan by which the graph runs; print it, or read its steps.

        `predict` uses this plan, too; it is made now if need be. Of a graph that runs in several
        stages, as results of its loops decide shapes, it is the plan with the most arithmetic.

        Args:
            inputs: as for `predict`; by default zeros of the shapes that the inputs declare, with a
                length of 1 where the first may be any.
            outputs: as for `execute`; by default all outputs.

        Raises:
            CoreError: the model or the backend has no plans, nothing of the graph can be planned
                from these inputs, or an input declares too little of its shape.

        >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
        >>> nodes = [Node("x", "Placeholder"), Node("a", "Neg", ("x",)), Node("y", "Relu", ("a",))]
        >>> ends = [Endpoint(name, PartialSpec((None, 2))) for name in ("x", "y")]
        >>> plan = GraphModel(Graph(nodes, {}, {"x": ends[0]}, {"y": ends[1]})).plan()
        >>> [(step.op, step.fused, step.output_shape) for step in plan.steps]
        [('neg', ('relu',), (1, 2))]
        """
        return self._largest_plan(inputs, outputs)[0]

    def planned_names(self, outputs: Iterable[str] | None = None) -> dict[str, str]:
        """Return the name that each output has in `plan`, which is that of the node that gives it.

        Args:
            outputs: as for `execute`; by default all outputs.

        Raises:
            CoreError: there is no such output or node, or the model has no plans.
        """
        names = [*self.graph.outputs] if outputs is None else listed(outputs)
        references = {name: self._signature.fetched(name) for name in names}
        if self._planner is None:
            raise CoreError(f"this model runs op by op on backend {self.backend!r}")
        given = [*self._initialization.resources(), *map(self._signature.fed, self.inputs)]
        sources = self._planner.sources(given, [*references.values()])
        return {name: sources[reference] for name, reference in references.items()}

    def record(self, specs: "Mapping[str, Spec]") -> "tuple[Program, list[Node]]":
        """Return all outputs as one program, and the nodes that have no place in it.

        Inputs that the model takes as integers are real values that integers stand for.

        Args:
            specs: shape and dtype of each input, by name, in the order of the program's inputs.

        Raises:
            CoreError: a node does not take these shapes.
        """
        references = [*map(self._signature.fetched, self.graph.outputs)]
        given = {self._signature.fed(name): spec for name, spec in specs.items()}
        quantised = {
            self._signature.fed(name): end.quantization
            for name, end in self.graph.inputs.items()
            if end.quantization is not None
        }
        planner = Planner(self.graph, self._executor)
        return self._guarded(
            self._effective_limits(), lambda: planner.record(given, references, quantised)
        )

    def warmup(self, inputs: Any = None, outputs: Iterable[str] | None = None) -> None:
        """Make the plan ready, so that the next run takes no longer than later ones.

        Kernels are compiled, and the graph runs once, unless it has states; see `plan`.

        Args:
            inputs: as for `plan`.
            outputs: as for `plan`.

        Raises:
            CoreError: as of `plan`.

        >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
        >>> nodes = [Node("x", "Placeholder"), Node("y", "Relu", ("x",))]
        >>> ends = [Endpoint(name, PartialSpec((None,))) for name in ("x", "y")]
        >>> model = GraphModel(Graph(nodes, {}, {"x": ends[0]}, {"y": ends[1]}))
        >>> model.warmup()
        >>> model.tiers
        ['numpy']
        """
        self.plan(inputs, outputs).warmup()
        if not self.graph.states:
            given = zeros_for(self.inputs, self.graph.inputs) if inputs is None else inputs
            self.execute(given, [*self.graph.outputs] if outputs is None else outputs)

    def profile(
        self, inputs: Any = None, outputs: Iterable[str] | None = None, repeat: int = 10
    ) -> "PlanProfile":
        """Measure the time of each step of the plan; printed, it is a table.

        Args:
            inputs: as for `plan`; where a stage comes before the plan, the plan begins with the
                results of that stage.
            outputs: as for `plan`.
            repeat: how many runs, 1 or more; times are their medians.

        Raises:
            CoreError: as of `plan`, or ``repeat`` is not such a number.

        >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
        >>> nodes = [Node("x", "Placeholder"), Node("y", "Relu", ("x",))]
        >>> ends = [Endpoint(name, PartialSpec((None, 2))) for name in ("x", "y")]
        >>> profile = GraphModel(Graph(nodes, {}, {"x": ends[0]}, {"y": ends[1]})).profile(repeat=3)
        >>> [step["op"] for step in profile.steps], profile.total_ms > 0
        (['relu'], True)
        """
        from core.plan.plan_report import timed

        plan, values = self._largest_plan(inputs, outputs)
        return timed(plan, plan.profile(values, repeat), repeat)

    def _largest_plan(
        self, inputs: Any, outputs: Iterable[str] | None
    ) -> "tuple[Plan, Mapping[str, Any]]":
        """Return the plan of a run with the most arithmetic, and its initial values."""
        names = [*self.graph.outputs] if outputs is None else listed(outputs)
        references = [*map(self._signature.fetched, names)]

        def found() -> "tuple[Plan, Mapping[str, Any]]":
            self._renew_plans()
            if self._planner is None or not active_backend().has_plans:
                raise CoreError(f"this model runs op by op on backend {self.backend!r}")
            given = zeros_for(self.inputs, self.graph.inputs) if inputs is None else inputs
            feeds = {**self._initialization.resources(), **self._signature.feeds(given, as_view)}
            if not self._planner.can_run(feeds, references):
                raise CoreError(
                    f"with the inputs {', '.join(feeds)} the graph runs op by op: a node with "
                    f"several outputs is among them, and its other outputs may be computed"
                )
            return largest_plan(self._planner.stages(feeds, references))

        return self._guarded(self._effective_limits(), found)

    def trainable(
        self,
        *patterns: "Pattern",
        outputs: str | Iterable[str] | None = None,
        momentum: float = 0.99,
    ) -> "TrainableGraph[GraphModel]":
        """Return a graph that trains: float constants become variables. The model stays as it is.

        Args:
            patterns: names of constants with ``*``, ``?`` and ``[...]``, such as ``"head/*"``, or
                functions of a name. Where a pattern matches a node of batch norm or both of its
                moving statistics, these become variables that calls with ``training=True`` update.
                Without patterns the graph only computes, such as features.
            outputs: name or names of outputs or nodes to compute; by default all outputs.
            momentum: share of moving statistics that is kept in each call, 0 to 1.

        Raises:
            CoreError: a pattern matches nothing that can train, an output does not exist, or the
                momentum is out of range.

        >>> import core
        >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
        >>> nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("y", "Mul", ("x", "w"))]
        >>> ends = [Endpoint(name, PartialSpec((None,))) for name in ("x", "y")]
        >>> graph = Graph(nodes, {"w": np.float32([2.0])}, {"x": ends[0]}, {"y": ends[1]})
        >>> trained = GraphModel(graph).trainable("w")
        >>> optimizer = core.train.sgd(0.1)
        >>> for _ in range(20):
        ...     optimizer.minimize(lambda: core.mean(core.square(trained([1.0]) - 5.0)))
        >>> f"{trained.variables['w'].item():.2f}"
        '4.97'
        """
        from core.graph_model.trainable_graph import TrainableGraph

        return TrainableGraph(self._parts(), patterns, outputs=outputs, momentum=momentum)

    def _parts(self) -> "ModelParts[GraphModel]":
        """Return what trainable graphs share with this model."""
        from core.graph_model.trainable_graph import ModelParts

        made = self._executor, self._signature, self._initialization.resources
        return ModelParts(self.graph, *made, self.backend, self._effective_limits, self._with_graph)

    def _with_graph(self, graph: Graph) -> "GraphModel":
        """Return a model of another graph with these options."""
        kernels, plans = self._executor.kernels, self._has_plans
        return GraphModel(graph, self.backend, kernels=kernels, plans=plans, limits=self.limits)

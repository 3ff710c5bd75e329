"""A model on the backend that is the faster one: what ``"auto"`` means for a graph."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

import core.backends.renderers as renderers  # "from core import" would import all ops
from core.backends.automatic import backend_of_ops, has_gpu, why_no_gpu
from core.engine.backends import AUTO, REPLACED
from core.engine.dtypes import DTYPES
from core.engine.limits import LimitError, Limits, context_limits
from core.engine.run_guard import RunCancelledError, active_guard
from core.errors import CoreError
from core.graph.nodes import Graph
from core.graph_model.backend_timing import failed, measured_choice
from core.graph_model.graph_model import GraphModel
from core.graph_model.graph_signature import listed
from core.graph_model.measured_choices import (
    Call,
    Choice,
    call_of,
    file_key,
    keep_choice,
    load_choice,
    network_digest,
)
from core.graph_model.run_cache import needs_ops
from core.process.locks import new_lock

if TYPE_CHECKING:
    from core.graph_model.stored_calls import StoredCalls
    from core.graph_model.trainable_graph import ModelParts
    from core.plan.plan import Plan

#: Largest number of input sizes with a choice in a process; others take that of the nearest size.
MOST_CHOICES = 32

#: Two measurements at the same time would disturb each other.
_choosing = new_lock()


class AutomaticModel(GraphModel):
    """A `GraphModel` that runs on shader where that is measured faster, else on cpu.

    Each combination of shapes and outputs has its own choice. Where no GPU draws for OpenGL, all
    run on cpu. A model that no choice needs any more is dropped.

    Args:
        graph: as for `GraphModel`, like all other arguments.
        backend: ``"auto"``.
    """

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
        self.backend, self.stored = AUTO, stored
        self._kernels, self._has_plans = kernels, plans
        cpu = GraphModel(graph, "cpu", kernels=kernels, plans=plans, limits=limits, stored=stored)
        self.graph, self.limits = cpu.graph, cpu.limits
        self._output_names = [*cpu.graph.outputs]
        self._models = {"cpu": cpu}
        self._choices: dict[Call, Choice] = {}
        self._digest = ""

    @property
    def backend_notes(self) -> list[str]:
        """Backend and times for the inputs that were seen in this process, a line for each."""
        if not has_gpu():
            return [f"{AUTO}: cpu, as {why_no_gpu()}"]
        if self.graph.states:
            return [f"{AUTO}: cpu, as the graph keeps states from run to run"]
        if not self._choices:
            renderer = renderers.renderer_here()
            return [f"{AUTO}: the first run decides between cpu and shader on {renderer}"]
        found = [*self._choices.items()]
        return [f"{AUTO}: {choice.text(c.text(self._output_names))}" for c, choice in found]

    @property
    def tiers(self) -> list[str]:
        """Kinds of the kernels by which it has run so far, on all backends."""
        return sorted({tier for model in self._models.values() for tier in model.tiers})

    def __repr__(self) -> str:
        return f"<AutomaticModel {'; '.join(self.backend_notes)}>"

    def _run(self, inputs: Any, names: list[str], raw: bool, as_arrays: bool) -> dict[str, Any]:
        """Return the outputs of a run on the chosen backend, which is measured if need be."""
        # To measure takes runs, and two models would each keep states of their own.
        if not has_gpu() or self.graph.states:
            return self._on("cpu")._run(inputs, names, raw, as_arrays)
        model, call = self._model_for(inputs, names)
        try:
            return model._run(inputs, names, raw, as_arrays)
        except (LimitError, RunCancelledError):
            raise
        except CoreError as error:
            if model.backend == "cpu":
                raise
            found = self._on("cpu")._run(inputs, names, raw, as_arrays)  # or the caller's error
            self._set_failed(call, error)
            return found

    def reset_states(self) -> None:
        """Set what the graph keeps from run to run to its first values."""
        self._on("cpu").reset_states()

    def _named(self, inputs: Any) -> Mapping[str, Any]:
        """Return the inputs by name; a value without a name is the first input."""
        return (
            inputs if isinstance(inputs, Mapping) else {next(iter(self.graph.inputs), ""): inputs}
        )

    def _on(self, backend: str) -> GraphModel:
        """Return the model on a backend, made at its first use."""
        found = self._models.get(backend)
        if found is None:
            with _choosing:
                found = self._models.get(backend)
                if found is None:
                    found = self._models[backend] = self._new(self.graph, backend)
        return found

    def _model_for(self, inputs: Any, names: Sequence[str]) -> tuple[GraphModel, Call]:
        """Return the model for a call; that on cpu if shader has failed since it was chosen."""
        named = self._named(inputs)
        call = call_of(named, names)
        choice = self._choices.get(call)
        if choice is None or choice.is_open:
            choice = self._choose(call, named)
        try:
            return self._on(choice.backend), call
        except CoreError as error:
            self._set_failed(call, error)
            return self._on("cpu"), call

    def _new(self, graph: Graph, backend: str) -> GraphModel:
        kernels, plans, limits = self._kernels, self._has_plans, self.limits
        return GraphModel(graph, backend, kernels=kernels, plans=plans, limits=limits)

    def _with_graph(self, graph: Graph) -> GraphModel:
        return self._new(graph, AUTO)

    # --- choices ----------------------------------------------------------------------------

    def _choose(self, call: Call, inputs: Mapping[str, Any]) -> Choice:
        """Return the choice of a call that is new here: from disk, or measured. Threads wait.

        Where somebody watches or limits the run it cannot be measured, and a later run decides.
        """
        with _choosing:
            known = self._choices.get(call)
            if known is not None and not known.is_open:
                return known
            if known is None and len(self._choices) >= MOST_CHOICES:
                nearest = min(self._choices, key=lambda each: abs(each.size - call.size))
                return self._choices[nearest]
            key = self._file_of(call)
            found = None if key is None else load_choice(key)
            if found is None:
                if not _may_measure():
                    return Choice("cpu")
                found = self._measured(call, inputs, known)
                if key is not None and found.is_lasting and not found.is_open:
                    keep_choice(key, found)
            self._set(call, found)
            return found

    def _measured(self, call: Call, inputs: Mapping[str, Any], known: Choice | None) -> Choice:
        """Return the measured choice of a call, of which earlier inputs may have left it open."""
        on_shader = partial(self._on, "shader")
        found = measured_choice(self._on("cpu"), on_shader, inputs, [*call.outputs])
        if found.differing and known is not None:
            found = found._replace(differing=known.differing + 1)
        return found

    def _set_failed(self, call: Call, error: CoreError) -> None:
        """Choose cpu after an error of the shader backend."""
        self._set(call, failed(error))

    def _set(self, call: Call, choice: Choice) -> None:
        """Keep a choice, and drop the model that no choice needs."""
        with _choosing:
            self._choices[call] = choice
            needed = {each.backend for each in self._choices.values()}
            needed |= {"shader" for each in self._choices.values() if each.is_open}
            for backend in self._models.keys() - needed:
                del self._models[backend]

    def _file_of(self, call: Call) -> str | None:
        """Return the key of a choice on disk; None if functions of the user decide the time."""
        if self._kernels or REPLACED:
            return None
        self._digest = self._digest or network_digest(self.graph)
        return file_key(self._digest, call)

    # --- plans and training -----------------------------------------------------------------

    def _largest_plan(
        self, inputs: Any, outputs: Iterable[str] | None
    ) -> "tuple[Plan, Mapping[str, Any]]":
        if not has_gpu() or self.graph.states:
            return self._on("cpu")._largest_plan(inputs, outputs)
        names = self._output_names if outputs is None else listed(outputs)
        model, _ = self._model_for(self._noise() if inputs is None else inputs, names)
        return model._largest_plan(inputs, outputs)

    def _noise(self) -> dict[str, np.ndarray]:
        """Return numbers of the declared shapes, from 0 to 1: a GPU is faster with zeros."""
        drawn, found = np.random.default_rng(0), {}
        for name, spec in self.inputs.items():
            if spec.smallest is None:
                raise CoreError(f"give inputs: the shape of {name!r} may be any {spec.shape}")
            found[name] = np.zeros(spec.smallest, DTYPES[spec.dtype])
            if spec.dtype == "float32":
                drawn.random(out=found[name], dtype=np.float32)
        return found

    def _parts(self) -> "ModelParts[GraphModel]":
        """Return the parts of the model on the backend of ops, whose trained graph is like this."""
        from dataclasses import replace  # training imports it, runs do not

        return replace(self._on(backend_of_ops())._parts(), with_graph=self._with_graph)

    def _running_on(self) -> list[str]:
        return [*self._models]


def _may_measure() -> bool:
    """Return whether nobody watches the ops or limits the run, which would end by the repeats."""
    guard = active_guard()
    is_limited = guard is not None and guard.limits.seconds not in (None, inf)
    return not (needs_ops() or is_limited or context_limits() is not None)

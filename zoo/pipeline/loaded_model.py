"""A loaded network: the base of all models."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from core.graph_model.deferred_model import DeferredModel, names_of_outputs, network_fact
from weights_cache.common.errors import ZooError
from weights_cache.common.providers import found_at, provided
from zoo.pipeline.inspection import Planned
from zoo.pipeline.options import checked_for
from zoo.pipeline.pickling import LoadCall, reduced
from zoo.pipeline.verb_signatures import NetworkInput

if TYPE_CHECKING:
    from core import Graph, GraphModel, PartialSpec, Tensor
    from zoo.pipeline.following import Follower, LiveSession
    from zoo.pipeline.network_summary import Card

Self = TypeVar("Self", bound="LoadedModel")


class LoadedModel(Planned):
    """A loaded network: its inputs, its outputs, and any node. Threads may share the model.

    Made by `zoo.load`. Usable in a ``with`` statement, which closes it.
    """

    #: Verb -> ``"module:Class"`` of its `Follower`; others treat each frame as a still image.
    followers: ClassVar[Mapping[str, str]] = {}

    #: The network if it is read when a call needs it.
    _deferred: DeferredModel | None = None

    def __init__(
        self, name: str, network: "GraphModel | DeferredModel", recipe: LoadCall | None = None
    ):
        self._name, self._recipe = name, recipe
        self._network: GraphModel | None = None
        if isinstance(network, DeferredModel):
            self._deferred = network
        else:
            self._network = network

    @property
    def name(self) -> str:
        """Such as ``"posenet.tiny"``, or the path that the model was loaded from."""
        return self._name

    @property
    def backend(self) -> str:
        """Name of the backend on which the network runs; or ``"auto"``: see `describe`."""
        deferred = self._deferred
        return self.network.backend if deferred is None else deferred.backend

    @property
    def network(self) -> "GraphModel":
        """The graph that runs, with its weights."""
        network, deferred = self._network, self._deferred  # which another thread may close
        if network is not None:
            return network
        if deferred is not None:
            return deferred.model
        raise self._closed_error()

    def _network_fact(self, find: "Callable[[Graph], Any]") -> Any:
        """Return what a function finds in the network, without it if an earlier process found it.

        Args:
            find: function of a module; the result is for JSON.
        """
        self.check_open()
        return network_fact(self._deferred or self.network, find)

    def check_open(self) -> None:
        """Raise if the model is closed.

        Raises:
            ZooError: it is.
        """
        if self._network is None and self._deferred is None:
            raise self._closed_error()

    def _closed_error(self) -> ZooError:
        return ZooError(f"the model {self.name} is closed: load it again with zoo.load")

    @property
    def output_names(self) -> list[str]:
        """Names of the nodes that are fetched from the network; by default its outputs."""
        deferred = self._deferred
        if deferred is None:
            return network_fact(self.network, names_of_outputs)
        return deferred.output_names

    @property
    def inputs(self) -> "dict[str, PartialSpec]":
        """Name of each input of the network, its shape (None: any length) and dtype."""
        return self.network.inputs

    @property
    def outputs(self) -> "dict[str, PartialSpec]":
        """Name of each output of the network, its shape (None: any length) and dtype."""
        return self.network.outputs

    def predict(self, inputs: NetworkInput, *, raw: bool = False) -> "dict[str, Tensor]":
        """Run the network on ready-made input.

        Args:
            inputs: array or tensor as the property `inputs` says, or a dict of them by name.
            raw: give the outputs of a quantised network as their integers, not as the real values
                that they stand for.

        Returns:
            Every output by name, as the network gives it.

        Raises:
            CoreError: an input is missing, unknown, or of another shape or dtype.
            ZooError: the model is closed.
        """
        found = None if raw else self._run_stored(inputs, None)
        return found or self.network.predict(inputs, raw=raw)

    def predict_async(
        self, inputs: NetworkInput, *, raw: bool = False, timeout: float | None = None
    ) -> Coroutine[Any, Any, "dict[str, Tensor]"]:
        """`predict` to await: the event loop goes on while a worker thread computes.

        Any other method can be awaited likewise, such as
        ``await core.run_async(model.estimate_single_pose, image)``. If the awaiting task is
        cancelled, the run ends at its next step.

        Args:
            inputs: as for `predict`.
            raw: as for `predict`.
            timeout: seconds from the first ``await`` on, above 0; None: any time. For other
                methods: ``asyncio.wait_for(core.run_async(...), seconds)``.

        Returns:
            To await: every output by name.

        Raises:
            LimitError: (awaited) there is no result after ``timeout`` seconds; the run is
                cancelled then.
            CoreError: as of `predict`, or ``timeout`` is no such number.
            ZooError: the model is closed.

        >>> import asyncio, zoo
        >>> import numpy as np
        >>> model = zoo.load("posenet.tiny")
        >>> inputs = {name: np.zeros([n or 1 for n in x.shape], x.dtype)
        ...           for name, x in model.inputs.items()}
        >>> outputs = asyncio.run(model.predict_async(inputs, timeout=60))
        >>> outputs.keys() == model.outputs.keys()
        True
        """
        return self.network.predict_async(inputs, raw=raw, timeout=timeout)

    def execute(
        self, inputs: NetworkInput, outputs: Sequence[str], *, raw: bool = False
    ) -> "dict[str, Tensor]":
        """Run the part of the network that some nodes need, not only its outputs.

        Args:
            inputs: as for `predict`; a dict may name any node, which then is not computed.
            outputs: names of outputs or nodes; ``model.network.graph.nodes`` lists the nodes.
            raw: as for `predict`.

        Returns:
            The values of the nodes or outputs, by the names given.
        """
        found = None if raw else self._run_stored(inputs, outputs)
        return found or self.network.execute(inputs, outputs, raw=raw)

    def _run_stored(
        self, inputs: Any, outputs: Sequence[str] | None, *, as_arrays: bool = False
    ) -> dict[str, Any] | None:
        """Return the outputs of a call that an earlier process stored.

        None if the call is not stored, or if the network has been read since.

        Args:
            inputs: as for `predict`.
            outputs: as for `execute`; None for the outputs of the network.
            as_arrays: return read-only NumPy arrays instead of tensors.
        """
        deferred = self._deferred
        return None if deferred is None else deferred.run(inputs, outputs, as_arrays=as_arrays)

    def describe(self) -> "Card":
        """Inputs, outputs, number of parameters and types of nodes, as a text of a few lines.

        After the first call also which kernels run: NumPy's, or generated ones; see `warmup`.
        """
        from zoo.pipeline.network_summary import Card, kernels_text, network_text

        tiers = (self.network if self._deferred is None else self._deferred).tiers
        title = f"{repr(self)[1:-1]} on {self.backend}"
        text = network_text(self.network.graph, title)
        return Card("\n".join([text, *kernels_text(tiers), *self.network.backend_notes]))

    def session(
        self, verb: str | None = None, *, smooth: bool = True, **options: Any
    ) -> "LiveSession":
        """Return a session, which follows objects through the frames of a video or camera.

        Args:
            verb: name of the function that results are those of, such as ``"estimate_hands"``; by
                default the first of the model's task that the model has.
            smooth: steady keypoints, boxes, masks and labels over time.
            options: of the verb, without ``mirror``, which the session takes with each frame.

        Returns:
            A function of a frame and its time in seconds; see `zoo.live.session.Session`.

        Raises:
            ZooError: the model has no such verb, or an option is unknown or out of range.

        >>> import numpy as np, zoo
        >>> session = zoo.load("posenet.tiny").session("estimate_multiple_poses")
        >>> moment = session(np.zeros((120, 160, 3), np.uint8), 0.0)
        >>> moment["result"], moment["ids"], moment["index"]
        ([], [], 0)
        """
        make: Callable[..., LiveSession] = provided("model_session")
        return make(self, verb, smooth=smooth, **options)

    def follower(self, verb: str, options: Mapping[str, Any], **how: Any) -> "Follower":
        """Return a function of a frame and its time with the result of a verb.

        It remembers where objects were, and so has to be called frame by frame.

        Args:
            verb: name of a method.
            options: of the verb.
            how: of the follower itself, such as ``smooth`` of masks.

        Raises:
            ZooError: an option is unknown or out of range.
        """
        from zoo.pipeline.following import StillFollower

        checked = checked_for(self, getattr(type(self), verb), options)
        if verb in self.followers:
            follow: Follower = found_at(self.followers[verb])(self, checked, **how)
            return follow
        return StillFollower(getattr(self, verb), options)

    def close(self) -> None:
        """Release the network with its weights; the model cannot run after that."""
        self._network = self._deferred = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return reduced(self.name, self.backend, self._recipe)

    def __repr__(self) -> str:
        return f"<zoo model {self.name}>"

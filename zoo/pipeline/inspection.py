"""Plan of a model's network: printed, timed, and made ready before its first use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from time import perf_counter
from typing import TYPE_CHECKING, Any

from zoo.catalog.option import count
from zoo.pipeline.options import checked_value

if TYPE_CHECKING:
    from core import GraphModel
    from core.plan.plan import Plan
    from core.plan.plan_report import PlanProfile
    from zoo.pipeline.verb_signatures import ImageSource, NetworkInput


class Planned(ABC):
    """A model that shows the plan by which its network runs; the base of `LoadedModel`."""

    @property
    @abstractmethod
    def network(self) -> GraphModel:
        """The graph that runs, with its weights."""

    @property
    @abstractmethod
    def output_names(self) -> list[str]:
        """Names of the nodes that are fetched from the network; by default its outputs."""

    def network_input(self, image: Any) -> Any:
        """Return the network's input for an image or hands; None: zeros of the declared shapes."""
        return image

    def plan(self, image: ImageSource | NetworkInput | None = None) -> Plan:
        """Return the network's steps for an image, and the memory locations of their results.

        Print it, or look into its ``steps``, ``placed`` and ``arena_bytes``. Of a network that runs
        in several stages, as what its loops give decides shapes, it is the plan with the most
        arithmetic.

        Args:
            image: of a pretrained model an image, as its verbs take it; of a model from a path
                ready-made input, as for ``predict``. By default one of the size that the model
                takes.

        Returns:
            The plan that the model uses, made now if need be.

        Raises:
            CoreError: the backend has no plans, or nothing of the network can be planned; or
                nothing is given to a network that takes inputs of any size.
            ZooError: the image cannot be read, or the model is closed.

        >>> import zoo
        >>> plan = zoo.load("posenet.tiny").plan()
        >>> plan.steps[0].op, plan.steps[0].output_shape
        ('conv2d', (1, 129, 129, 24))
        """
        return self.network.plan(self.network_input(image), self.output_names)

    def profile(self, image: ImageSource | NetworkInput, repeat: int = 10) -> PlanProfile:
        """Return the time of each step of the network for an image; printed, they are a table.

        What comes before and after the network does not count, nor what runs beside its plan.

        Args:
            image: as for `plan`.
            repeat: how many runs, 1 or more; times are their medians.

        Returns:
            The steps with ``"ms"``, ``"share"`` and ``"gflops"``, ``total_ms`` and ``slowest()``.

        Raises:
            ZooError: as of `plan`, or ``repeat`` is no such number.

        >>> import zoo
        >>> model = zoo.load("posenet.tiny")
        >>> profile = model.profile("gallery/one_line_pose/astronaut.jpg", repeat=3)
        >>> len(profile.steps) == len(model.plan().steps), profile.total_ms > 0
        (True, True)
        >>> sum(step["share"] for step in profile.slowest(5)) > 5 / len(profile.steps)
        True
        """
        repeat = checked_value(count("repeat", "number of runs", 10), repeat)
        return self.network.profile(self.network_input(image), self.output_names, repeat)

    def warmup(self) -> float:
        """Make the network ready, so that the first image takes no longer than the next ones.

        Kernels that are generated for this computer are compiled, once and for all: later processes
        find their code on disk. Without ``warmup`` a thread compiles them after two images, and
        this process goes on with NumPy's, so that no answer changes; see `describe`.

        Returns:
            How many milliseconds it took.

        Raises:
            CoreError: the network takes inputs of any size: give some to ``predict`` once.
            ZooError: the model is closed.

        >>> import zoo
        >>> model = zoo.load("posenet.tiny")
        >>> model.warmup() > 0
        True
        """
        return self.warmup_for(self.network_input(None))

    def warmup_for(self, value: Any) -> float:
        """Make the network ready for inputs of a shape; return how many milliseconds it took.

        Args:
            value: an input of the network, or its inputs by name.
        """
        started = perf_counter()
        self.network.warmup(value, self.output_names)
        return 1e3 * (perf_counter() - started)

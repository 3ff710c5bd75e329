"""The process of a backend: it loads models, and runs them on request.

A request is a document with the name of a function here, and arrays; the answer likewise. The
process ends with its input.
"""

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core import CoreError
from weights_cache.child_processes import end_with_parent
from zoo.pipeline.isolation.child import ERRORS, FOREIGN, own_streams
from zoo.pipeline.isolation.messages import Message, receive, send
from zoo.verification.backend_facts import start_backend
from zoo.verification.cases import make_cases
from zoo.verification.networks import load_networks

if TYPE_CHECKING:
    from zoo.pipeline.loaded_model import LoadedModel
    from zoo.verification.cases import Case

#: Kind of the answer for a backend that is not available.
UNAVAILABLE = "unavailable"

_LONGEST = 4000  # characters of an error

#: Seconds for which a run is repeated at most.
_MOST_SECONDS = 2.0


class Answer(NamedTuple):
    """A document and arrays to send back."""

    document: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] = {}


def main() -> None:
    """Answer requests until the input ends."""
    requests, answers = own_streams()
    end_with_parent()
    child = _Child()
    while True:
        try:
            message = receive(requests, float("inf"))
        except EOFError:
            return
        answer = _answered(partial(child.answer, message))
        send(answers, answer.document, answer.arrays)


def _answered(work: Callable[[], Answer]) -> Answer:
    """Return the answer of some work, or its error."""
    try:
        return work()
    except MemoryError:
        return Answer({"error": FOREIGN, "message": "the memory is full"})
    except Exception as error:
        bases = (base.__name__ for base in type(error).__mro__)
        kind = next((name for name in bases if name in ERRORS), FOREIGN)
        text = str(error) if kind != FOREIGN else f"{type(error).__name__}: {error}"
        return Answer({"error": kind, "message": text[:_LONGEST]})


class _Child:
    """The models of a process on its backend."""

    def __init__(self) -> None:
        self._backend = ""
        self._models: dict[str, LoadedModel] = {}

    def answer(self, message: Message) -> Answer:
        """Do what a message requests."""
        functions = {"start": self._start, "load": self._load, "cases": self._cases}
        if message.document["do"] == "run":
            return self._run(message)
        return functions[message.document["do"]](message.document)

    def _start(self, document: Mapping[str, Any]) -> Answer:
        """Start the backend; answer with what it runs on."""
        self._backend = document["backend"]
        try:
            facts = start_backend(self._backend, document["tier"], document["path"])
        except CoreError as error:
            text = (str(error).splitlines() or ["no reason"])[0]
            return Answer({"error": UNAVAILABLE, "message": text[:_LONGEST]})
        return Answer({"facts": facts})

    def _load(self, document: Mapping[str, Any]) -> Answer:
        """Load a model after dropping the one before; answer with the names of its networks."""
        for model in self._models.values():
            model.close()
        found = load_networks(document["model"], self._backend)
        self._models = dict(found.models)
        return Answer({"networks": [*found.models], "others": found.others})

    def _cases(self, document: Mapping[str, Any]) -> Answer:
        """Make the cases of a network."""
        cases = make_cases(self._models[document["network"]], document["seed"])
        return Answer({"cases": [_facts(case) for case in cases]}, _arrays(cases))

    def _run(self, message: Message) -> Answer:
        """Run a network; answer with its outputs and the median of its times."""
        network = self._models[message.document["network"]].network
        names, inputs = message.document["outputs"], message.arrays

        def run() -> dict[str, np.ndarray]:
            return network.execute(inputs, names, as_arrays=True)

        network.reset_states()  # all backends begin alike
        outputs = run()  # which makes plans, and compiles
        times: list[float] = []
        while len(times) < message.document["runs"] and sum(times) < _MOST_SECONDS:
            started = perf_counter()
            run()
            times.append(perf_counter() - started)
        return Answer({"ms": 1e3 * float(np.median(times))}, outputs)


def _facts(case: "Case") -> dict[str, Any]:
    """Return a case without its arrays."""
    rules = {name: list(rule) for name, rule in case.rules.items()}
    return {"name": case.name, "rules": rules, "skipped": dict(case.skipped)}


def _arrays(cases: "list[Case]") -> dict[str, np.ndarray]:
    """Return the arrays of cases by number, kind and name; see `zoo.verification.children`."""
    found: dict[str, np.ndarray] = {}
    for number, case in enumerate(cases):
        found |= {f"{number} input {name}": array for name, array in case.inputs.items()}
        found |= {f"{number} expected {name}": array for name, array in case.expected.items()}
    return found

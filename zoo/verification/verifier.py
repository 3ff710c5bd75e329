"""The processes of all backends, which verify one model after another."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from weights_cache.common.errors import MissingError, ZooError
from zoo.catalog.entries import find, with_parts
from zoo.catalog.entry import Entry
from zoo.catalog.networks.facts import check_files
from zoo.catalog.option import Option, count
from zoo.pipeline.options import checked_value
from zoo.verification.children import BackendError, CaseFacts, Child, UnavailableError
from zoo.verification.comparison import difference
from zoo.verification.rows import (
    CRASHED,
    FAILED,
    NOT_COMPARED,
    PASSED,
    REFERENCE,
    UNAVAILABLE,
    Row,
)
from zoo.verification.variants import REFERENCE as CPU
from zoo.verification.variants import Variant

#: Time limit of one request, such as loading a model, or all runs for one input.
SECONDS = 600.0

Outputs = dict[str, np.ndarray]


def checked_names(name: str | os.PathLike[str]) -> list[str]:
    """Return the models that a name stands for, with their parts, after a check that they exist.

    Raises:
        ZooError: there is no such model.
        WeightsError: its weights are missing.
    """
    text = os.fspath(name)
    entry = find(text)
    if not isinstance(entry, Entry):
        if "://" not in text and not os.path.exists(text):
            raise ZooError(f"there is no model {text!r}: give a path, or a name of 'zoo models'")
        return [text]
    entries = with_parts(entry)
    for entry in entries:
        try:
            check_files(entry)
        except MissingError as error:
            raise error.for_model(entry.name) from None
    return [entry.name for entry in entries]


class Verifier:
    """The processes of some variants, which verify one model after another.

    Args:
        variants: what is compared; the first is cpu tier 1.
        seed: as for `verify`; so are ``runs`` and ``seconds``.
        runs: how many runs are timed.
        seconds: time limit of a request.
    """

    def __init__(
        self, variants: Sequence[Variant], *, seed: int = 0, runs: int = 5, seconds: float = SECONDS
    ):
        seed = checked_value(Option("seed", "integer", "seed of the noise", 0, low=0), seed)
        self._seed = seed
        self._runs = checked_value(count("runs", "number of timed runs", 5), runs)
        limit = Option("seconds", "number", "time limit of a request", SECONDS, low=0.001)
        seconds = checked_value(limit, seconds)
        self.children = [Child(variant, seconds) for variant in variants]
        self._absent: dict[str, Row] = {}
        self._done: set[str] = set()
        self._facts: dict[str, str] = {}

    def __enter__(self) -> "Verifier":
        return self

    def __exit__(self, *_: object) -> None:
        for child in self.children:
            child.close()

    @property
    def facts(self) -> dict[str, str]:
        """Facts about each backend that ran, or why it did not, by its label."""
        absent = {label: f"{row.result}: {row.reason}" for label, row in self._absent.items()}
        return {**self._facts, **absent}

    def rows_of(self, name: str | os.PathLike[str]) -> Iterator[Row]:
        """Yield the rows of a model, and of those that it works with, each once.

        Raises:
            ZooError: there is no such model, or it cannot be read.
        """
        waiting = checked_names(name)
        while waiting:
            model = waiting.pop(0)
            if model not in self._done:
                self._done.add(model)
                networks, others = self._reference_of(model)
                waiting += [part for other in others for part in checked_names(other)]
                for network in networks:
                    yield from self._rows_of_network(model, network)

    def _reference_of(self, model: str) -> tuple[list[str], list[str]]:
        """Load a model on cpu tier 1."""
        try:
            self._start(self.children[0])
            return self.children[0].load(model)
        except BackendError as error:
            raise ZooError(f"{model}: {CPU.label} {error}") from error

    def _start(self, child: Child) -> None:
        if child.variant.label not in self._facts:
            self._facts[child.variant.label] = child.start()

    def _rows_of_network(self, model: str, network: str) -> Iterator[Row]:
        """Yield the rows of a network, backend by backend."""
        reference, *others = self.children
        try:
            cases = reference.cases(model, network, self._seed)
        except ZooError as error:  # such as damaged goldens
            yield Row(network, "", CPU.label, "", FAILED, str(error))
            return
        except BackendError as error:
            yield Row(network, "", CPU.label, "", CRASHED, str(error))
            return
        right: dict[str, Outputs] = {}
        for case in cases:
            yield from self._rows_of_case(reference, model, network, case, right)
        for child in others:
            absent = self._absence_of(child)
            if absent is not None:
                yield _with_model(absent, network)
                continue
            for case in cases:
                if case.name in right:
                    yield from self._rows_of_case(child, model, network, case, right)

    def _absence_of(self, child: Child) -> Row | None:
        """Start a backend; return a row that says why it did not start."""
        label = child.variant.label
        if label not in self._absent:
            try:
                self._start(child)
            except UnavailableError as error:
                is_named = child.variant.is_required
                result = FAILED if is_named else UNAVAILABLE
                reason = f"unavailable: {error}" if is_named else str(error)
                self._absent[label] = Row("", "", label, "", result, reason)
            except BackendError as error:
                self._absent[label] = Row("", "", label, "", CRASHED, str(error))
        return self._absent.get(label)

    def _rows_of_case(
        self, child: Child, model: str, network: str, case: CaseFacts, right: dict[str, Outputs]
    ) -> Iterator[Row]:
        """Yield the rows of an input on one backend; cpu tier 1 adds the reference."""
        label = child.variant.label
        names = list(case.rules)
        is_first = child is self.children[0]
        found: Outputs = {}
        ms = None
        if names:
            try:
                found, ms = child.run(model, network, case, names, self._runs)
            except (BackendError, UnavailableError, ZooError) as error:
                yield Row(network, case.name, label, "", CRASHED, str(error))
                return
        if is_first:
            right[case.name] = case.expected or found
        for output in names:
            if is_first and not case.expected:
                row = Row(network, case.name, label, output, REFERENCE, ms=ms)
                yield _reference_row(row, found)
            else:
                row = Row(network, case.name, label, output, PASSED, ms=ms)
                yield _compared(row, found.get(output), right[case.name][output], case)
        if is_first:
            for output, reason in case.skipped.items():
                yield Row(network, case.name, label, output, NOT_COMPARED, reason)


def _with_model(row: Row, model: str) -> Row:
    return replace(row, model=model)


def _reference_row(row: Row, actual: Outputs) -> Row:
    """Return the row of cpu tier 1, which fails if an output is missing."""
    if row.output in actual:
        return row
    return replace(row, result=FAILED, reason="the output is missing")


def _compared(row: Row, actual: np.ndarray | None, expected: np.ndarray, case: CaseFacts) -> Row:
    """Return the row of an output with its difference."""
    measured = difference(actual, expected, case.rules[row.output])
    return replace(
        row,
        result=FAILED if measured.fault else PASSED,
        reason=measured.fault,
        absolute=measured.absolute,
        relative=measured.relative,
        measured=measured.measured,
        limit=measured.limit,
        unit=measured.unit,
    )

"""A GPU that is not there: software rendering plays its part, with times that tests choose."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from core.backends import renderers
from core.backends.renderers import Renderer
from core.graph_model import backend_timing

GPU = Renderer("a GPU", "its driver 1", False)
SOFTWARE = Renderer("llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa 22", True)


class Stopwatch:
    """Gives the times that were chosen, and counts how often it was asked."""

    def __init__(self, cpu: float, shader: float):
        self.times = {"cpu": cpu, "shader": shader}
        self.count = 0

    def __call__(self, runs: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
        assert runs.keys() == self.times.keys()
        self.count += 1
        return dict(self.times)


def use_renderer(monkeypatch: pytest.MonkeyPatch, renderer: Renderer) -> None:
    """Let a renderer be the one of this computer."""
    monkeypatch.setattr(renderers, "renderer_here", lambda: renderer)


def use_times(monkeypatch: pytest.MonkeyPatch, cpu: float, shader: float) -> Stopwatch:
    """Let all measurements give these milliseconds."""
    stopwatch = Stopwatch(cpu, shader)
    monkeypatch.setattr(backend_timing, "medians", stopwatch)
    return stopwatch


@contextmanager
def nothing_measured(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail where something is measured inside."""

    def refuse(runs: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
        raise AssertionError("it was measured")

    with monkeypatch.context() as inside:
        inside.setattr(backend_timing, "medians", refuse)
        yield

"""The engine chooses the tier, as in a process that begins."""

from collections import OrderedDict
from pathlib import Path

import pytest

from core.process import code_cache

_CPU = "core.backends.cpu"


def choose_freely(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let the engine choose until the end of the test, with a code cache in a folder."""
    monkeypatch.setenv(code_cache.VARIABLE, str(folder))
    monkeypatch.delenv("CORE_TIER", raising=False)
    monkeypatch.setattr(f"{_CPU}.tiers._is_chosen", False)
    begin_anew(monkeypatch)


def begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what this process has looked for, as a later process does not know it."""
    monkeypatch.setattr(f"{_CPU}.codegen.generated_program._missed", {})
    monkeypatch.setattr(f"{_CPU}.codegen.called_kernels._compiled", {})
    monkeypatch.setattr(f"{_CPU}.eager_kernels._known", OrderedDict())

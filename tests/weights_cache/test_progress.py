"""What is shown while weights are fetched: bars where people see them, lines elsewhere."""

import sys
import threading
from types import SimpleNamespace

import pytest

from tests.helpers import PATIENCE
from weights_cache import fetch, progress


@pytest.fixture
def kernel(monkeypatch):
    """As in a Jupyter kernel."""
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


def test_a_bar_is_shown_in_a_notebook(toy, kernel, capsys):
    toy.fetch()
    assert "toy: 100%" in capsys.readouterr().err


def test_no_bar_in_a_plain_interactive_shell_without_terminal(toy, monkeypatch, capsys):
    """IPython with a pipe: it has a shell, but no kernel."""
    plain = SimpleNamespace(get_ipython=lambda: SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", plain)
    toy.fetch()
    assert capsys.readouterr().err == ""


def test_notebooks_get_the_bar_of_tqdm_auto():
    from tqdm.auto import tqdm

    assert progress._bar_class() is tqdm


def test_a_line_above_the_bar(toy, capsys):
    with progress.showing("toy", 10, progress=True) as shown:
        shown.say("waiting")
    assert "zoo: waiting\n" in capsys.readouterr().err


def test_slow_steps_print_a_line_without_a_bar(toy, monkeypatch, capsys):
    with progress.showing("toy", 300_000, progress=None) as shown:
        assert shown.say is progress.say_line
    assert capsys.readouterr().err == ""
    said, told = threading.Event(), []
    with progress.after_patience(said.set, 0.0):
        assert said.wait(PATIENCE)
    ended, wait = threading.Event(), progress._Patience._wait
    monkeypatch.setattr(progress._Patience, "_wait", lambda *a: (wait(*a), ended.set()))
    with progress.after_patience(lambda: told.append("never"), PATIENCE) as patience:
        patience.cancel()
        patience.cancel()
        assert ended.wait(PATIENCE / 2)  # before its time: one that was not cancelled waits for it
    assert not told


def test_asked_for_no_bar_there_is_none_in_a_notebook(toy, kernel, capsys):
    fetch("toy", progress=False)
    assert capsys.readouterr().err == ""

"""The public list, and what this package never does."""

import ast
import sys
from subprocess import run

import pytest

import weights_cache
from tests.conftest import ROOT
from weights_cache import ZooError

PACKAGE = ROOT / "weights_cache"
SOURCES = sorted(PACKAGE.glob("*.py"))


def test_every_public_name_is_there():
    assert sorted(weights_cache.__all__) == sorted(weights_cache._PUBLIC)
    for name in weights_cache.__all__:
        value = getattr(weights_cache, name)
        assert value is getattr(weights_cache, name)
        assert name in dir(weights_cache)
        assert value.__doc__


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        weights_cache.nothing  # noqa: B018


def test_importing_it_imports_nothing_else():
    code = "import sys; import weights_cache; print(*sys.modules)"
    done = run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    ours = [name for name in done.stdout.split() if name.startswith("weights_cache")]
    assert ours == ["weights_cache"]
    assert "numpy" not in done.stdout.split()


def test_no_module_is_called_like_a_public_function():
    assert not {path.stem for path in SOURCES} & set(weights_cache.__all__)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_code_is_read_from_files(path):
    """No pickle in any form: nothing of numpy.load, marshal, eval."""
    forbidden = {"pickle", "marshal", "shelve", "eval", "exec", "load", "loads_pickle", "yaml"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
            assert not forbidden & {name.partition(".")[0] for name in names}
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            assert name not in forbidden, f"{path.name}:{node.lineno}"


def test_missing_packages_are_named(toy, monkeypatch):
    monkeypatch.setitem(sys.modules, "requests", None)
    monkeypatch.delitem(sys.modules, "weights_cache.sessions", raising=False)
    with pytest.raises(ZooError, match="fetching weights needs the package 'requests'.*pip"):
        toy.fetch()

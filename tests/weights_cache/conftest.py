"""A toy model on a server that misbehaves as told."""

import pytest

from tests.weights_cache.fault_server import FaultServer
from tests.weights_cache.toys import Toy
from weights_cache import download, registry


@pytest.fixture
def server(monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    with FaultServer() as running:
        yield running


@pytest.fixture
def waits(monkeypatch) -> list[float]:
    """Short time-outs and no real waiting; the waits asked for are listed."""
    asked: list[float] = []
    quick = download.TransferLimits(connect=2.0, read=5.0, sleep=asked.append)
    monkeypatch.setattr(download, "LIMITS", quick)
    return asked


@pytest.fixture
def toy(tmp_path, monkeypatch, server, waits) -> Toy:
    model = Toy(tmp_path, server, tmp_path / "weights-cache")
    monkeypatch.setattr(registry, "REGISTRY", model.registry)
    return model


@pytest.fixture
def mirror(toy, tmp_path):
    """A folder that has the toy model."""
    folder = tmp_path / "mirror"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy" / "weights.bin").write_bytes(toy.data)
    return folder

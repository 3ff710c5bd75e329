"""Several faults at random: right bytes or our error, and a cache that works afterwards."""

import numpy as np
import pytest

from tests.weights_cache.toys import SIZE
from weights_cache import WeightsError, download

FAULTS = ["cut", "reset", "stall", "flip", "status", "badrange", "norange", "html", "chunked"]


def random_faults(server, rng) -> list[str]:
    chosen = list(rng.choice(FAULTS, size=int(rng.integers(1, 5)), replace=False))
    for kind in chosen:
        value = 503 if kind == "status" else int(rng.integers(0, SIZE))
        times = None if rng.random() < 0.2 else int(rng.integers(1, 3))
        server.add(kind, value, times=times, after=int(rng.integers(0, 3)))
    return chosen


def check_random_faults(toy, rng, monkeypatch) -> None:
    toy.server.heal()
    random_faults(toy.server, rng)
    with monkeypatch.context() as patch:
        patch.setattr(download, "LIMITS", download.LIMITS._replace(read=0.05))
        try:
            assert toy.fetch() == toy.data
        except WeightsError:
            assert not toy.path.exists()
    toy.server.heal()
    assert toy.fetch() == toy.data
    assert toy.left_over() == []
    toy.path.unlink()


def test_random_combinations_of_faults(toy, monkeypatch):
    rng = np.random.default_rng(5)
    for _ in range(30):
        check_random_faults(toy, rng, monkeypatch)


@pytest.mark.long
def test_many_random_combinations_of_faults(toy, monkeypatch):
    rng = np.random.default_rng(6)
    for _ in range(1000):
        check_random_faults(toy, rng, monkeypatch)

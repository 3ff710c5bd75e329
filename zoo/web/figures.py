"""Figures of a server, as Prometheus reads them."""

from __future__ import annotations

from collections import Counter, defaultdict
from threading import Lock

#: Upper limits of the classes of durations, in seconds.
_CLASSES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

#: Name -> kind and meaning; durations are in seconds.
_MEANINGS = {
    "zoo_pages": ("gauge", "pages that are open"),
    "zoo_frames_total": ("counter", "frames by what became of them"),
    "zoo_requests_total": ("counter", "requests of REST by verb and status"),
    "zoo_refused_total": ("counter", "connections refused by reason"),
    "zoo_frame_seconds": ("histogram", "from a frame's arrival to its answer"),
    "zoo_request_seconds": ("histogram", "from a request's arrival to its answer"),
}


class Figures:
    """Counters and durations of one server; from any thread.

    >>> figures = Figures()
    >>> figures.count("zoo_frames_total", outcome="answered")
    >>> print(figures.text().splitlines()[-1])
    zoo_frames_total{outcome="answered"} 1
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: Counter[tuple[str, str]] = Counter()
        self._sums: defaultdict[tuple[str, str], float] = defaultdict(float)
        self._classes: dict[tuple[str, str], Counter[float]] = {}

    def count(self, name: str, by: int = 1, **labels: str) -> None:
        """Add to a counter."""
        with self._lock:
            self._values[name, _text(labels)] += by

    def take(self, name: str, seconds: float, **labels: str) -> None:
        """Add one duration."""
        with self._lock:
            key = name, _text(labels)
            self._values[key] += 1
            self._sums[key] += seconds
            classes = self._classes.setdefault(key, Counter())
            for limit in _CLASSES:
                classes[limit] += seconds <= limit

    def text(self) -> str:
        """Return all of them in Prometheus's text format, version 0.0.4."""
        lines = []
        with self._lock:
            for name, (kind, meaning) in _MEANINGS.items():
                rows = {key: n for key, n in self._values.items() if key[0] == name}
                if rows:
                    lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
                for key, value in sorted(rows.items()):
                    lines += self._lines(kind, key, value)
        return "\n".join(lines) + "\n"

    def _lines(self, kind: str, key: tuple[str, str], value: int) -> list[str]:
        name, labels = key
        if kind != "histogram":
            return [f"{name}{_braced(labels)} {value}"]
        before = f"{labels}," if labels else ""
        lines = [
            f'{name}_bucket{{{before}le="{limit:g}"}} {self._classes[key][limit]}'
            for limit in _CLASSES
        ]
        return [
            *lines,
            f'{name}_bucket{{{before}le="+Inf"}} {value}',
            f"{name}_sum{_braced(labels)} {self._sums[key]:.6f}",
            f"{name}_count{_braced(labels)} {value}",
        ]


def _text(labels: dict[str, str]) -> str:
    return ",".join(f'{name}="{value}"' for name, value in sorted(labels.items()))


def _braced(labels: str) -> str:
    return f"{{{labels}}}" if labels else ""

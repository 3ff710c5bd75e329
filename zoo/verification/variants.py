"""Backends and tiers that are compared, and their names."""

from collections.abc import Sequence
from typing import NamedTuple

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean


class Variant(NamedTuple):
    """One way in which a network is run.

    Attributes:
        name: as `zoo.verify` and the command take it.
        label: as tables show it.
        backend: of `core`.
        tier: of the cpu backend.
        path: of the shader backend; None: the default.
        by_default: whether it runs unless others are named.
        is_required: whether it must be available.
    """

    name: str
    label: str
    backend: str
    tier: int | None = None
    path: str | None = None
    by_default: bool = True
    is_required: bool = False


#: Reference with which the others are compared.
REFERENCE = Variant("cpu", "cpu tier 1", "cpu", 1, is_required=True)

GENERATED = Variant("cpu-tier-2", "cpu tier 2", "cpu", 2)

VARIANTS = (
    REFERENCE,
    GENERATED,
    Variant("shader", "shader", "shader"),
    Variant("shader-fragment", "shader (fragment)", "shader", path="fragment", by_default=False),
    Variant("tf", "tf", "tf"),
)


def chosen_variants(names: Sequence[str] | None) -> list[Variant]:
    """Return the variants of some names, of which cpu tier 1 is always the first.

    Args:
        names: names of variants, which then must be available; ``"cpu"`` brings tier 2 where it
            is. None: all that run by default and are available.

    Raises:
        ZooError: there is no such name.

    >>> [variant.label for variant in chosen_variants(["cpu"])]
    ['cpu tier 1', 'cpu tier 2']
    """
    if names is None:
        return [variant for variant in VARIANTS if variant.by_default]
    known = [variant.name for variant in VARIANTS]
    if isinstance(names, str):
        raise ZooError(f"backends={names!r} must be a list of names: use [{names!r}]")
    for name in names:
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise ZooError(f"unknown backend {name!r}{hint}; valid: {', '.join(known)}")
    wanted = [v._replace(is_required=True) for v in VARIANTS if v.name in names]
    if REFERENCE.name in names and GENERATED.name not in names:
        wanted.insert(1, GENERATED)
    return [REFERENCE, *(v for v in wanted if v.name != REFERENCE.name)]

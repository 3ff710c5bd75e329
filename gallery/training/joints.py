"""Which joint is which in a mirror image."""

from zoo.shared.skeletons import BODY_17

# In a mirror image left joints are right ones, and so are the edges between them.
_SWAPPED = {"left": "right", "right": "left"}


def _other_side(name: str) -> str:
    side, _, joint = name.partition("_")
    return f"{_SWAPPED[side]}_{joint}" if side in _SWAPPED else name


OTHER_SIDE = [BODY_17.names.index(_other_side(name)) for name in BODY_17.names]

"""Pretrained models behind friendly functions: images in, plain dicts out.

>>> import zoo
>>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
>>> sorted(pose)
['keypoints', 'score']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weights_cache.errors import WeightsError, ZooError
    from zoo.catalog import models
    from zoo.drawing import draw
    from zoo.images import ImageError, read_image
    from zoo.loading import load
    from zoo.pose import estimate_multiple_poses, estimate_single_pose
    from zoo.results import to_csv, to_json

__version__ = "0.1.0"

#: Public name -> the module that has it. Imported when first used, so that `import zoo` is quick.
_PUBLIC = {
    "ImageError": "zoo.images",
    "WeightsError": "weights_cache.errors",
    "ZooError": "weights_cache.errors",
    "draw": "zoo.drawing",
    "estimate_multiple_poses": "zoo.pose",
    "estimate_single_pose": "zoo.pose",
    "load": "zoo.loading",
    "models": "zoo.catalog",
    "read_image": "zoo.images",
    "to_csv": "zoo.results",
    "to_json": "zoo.results",
}

__all__ = [
    "ImageError",
    "WeightsError",
    "ZooError",
    "draw",
    "estimate_multiple_poses",
    "estimate_single_pose",
    "load",
    "models",
    "read_image",
    "to_csv",
    "to_json",
]


def __getattr__(name: str) -> Any:
    """Import the module of a public name, and remember the name."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'zoo' has no attribute {name!r}")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])

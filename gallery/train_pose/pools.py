"""How likely each photo is to be drawn for each purpose.

Photos come from sources: the folders directly below the folders given. Of a source's photos those
in which the teacher is sure are preferred: it is lost on extreme poses.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from photos import Photos
from torch import Tensor

from weights_cache.common.errors import ZooError

# The reported run: shares of its sources in each pool.
REPORTED_SHARES = {
    "everyday": {
        "coco": 0.60,
        "flickr8k": 0.10,
        "lspet": 0.15,
        "ccp": 0.08,
        "imagenet": 0.02,
        "animal": 0.03,
        "house": 0.02,
    },
    "collage": {"lspet": 0.42, "ccp": 0.20, "coco": 0.30, "flickr8k": 0.08},
    "pasted": {"lspet": 0.35, "ccp": 0.25, "coco": 0.30, "flickr8k": 0.10},
    "background": {
        "coco": 0.35,
        "imagenet": 0.15,
        "house": 0.2,
        "animal": 0.2,
        "flickr8k": 0.1,
    },
    "person_free": {
        "animal": 0.38,
        "imagenet": 0.20,
        "house": 0.14,
        "coco": 0.20,
        "cloth": 0.05,
        "insect": 0.03,
    },
}
REPORTED_SOURCES = {source for shares in REPORTED_SHARES.values() for source in shares}
EVERYDAY_SOURCES = {"coco", "flickr8k"}

# Of everyday photos all are liked in which the teacher is fairly sure; of others the surer, the
# more.
LEAST_EVERYDAY, SURE = 0.25, 0.6
LEAST_OTHER = 0.15
# People are pasted only from photos in which the teacher sees one.
PASTED_CONFIDENCE = 0.3
# Any photo may come: a pool is never without one.
LEAST_WEIGHT = 1e-9


class Pools(NamedTuple):
    """Weights ``[n]`` by which photos are drawn; ``person_free`` is None if there are no such.

    ``everyday`` is for photos shown as an application shows them, ``collage`` for those under
    stronger changes, ``pasted`` for the smaller ones on top, ``background`` for those below.
    """

    everyday: Tensor
    collage: Tensor
    pasted: Tensor
    background: Tensor
    person_free: Tensor | None


def even_pools(photos: Photos, confidence: Tensor) -> Pools:
    """Return pools in which all sources are alike, and photos without people are known as such.

    Args:
        photos: Photos with and without people.
        confidence: The teacher's confidence ``[n]`` in each.
    """
    people = (~photos.person_free).float()
    likes = people * _everyday_preference(confidence)
    weights = [likes, likes, likes * (confidence > PASTED_CONFIDENCE), torch.ones_like(people)]
    free = photos.person_free.float() if photos.person_free.any() else None
    # Without any photo that is fit for pasting, any photo of a person will do.
    return Pools(*(w + LEAST_WEIGHT * people for w in weights), free)


def reported_pools(photos: Photos, confidence: Tensor) -> Pools:
    """Return the pools of the reported run; its sources are the folders' names.

    Raises:
        ZooError: A folder has another name.
    """
    unknown = sorted(set(photos.sources) - REPORTED_SOURCES)
    if unknown:
        raise ZooError(
            f"the source {unknown[0]!r} is not of the reported run, which has "
            f"{', '.join(sorted(REPORTED_SOURCES))}; rename the folder or use --pools even"
        )
    likes = {name: _preferences(name, photos, confidence) for name in REPORTED_SHARES}
    pools = {
        name: sum(_weighted(photos, likes[name], shares), torch.full_like(confidence, LEAST_WEIGHT))
        for name, shares in REPORTED_SHARES.items()
    }
    if not photos.person_free.any():
        pools["person_free"] = None
    return Pools(**pools)


def _weighted(photos: Photos, likes: Tensor, shares: Mapping[str, float]) -> Iterator[Tensor]:
    """Yield each source's part of a pool: its share, divided among its photos."""
    for source, share in shares.items():
        if source in photos.sources:
            own = likes * (photos.source == photos.sources.index(source))
            yield share * own / own.sum().clamp_min(LEAST_WEIGHT)


def _preferences(pool: str, photos: Photos, confidence: Tensor) -> Tensor:
    if pool == "background":
        return torch.ones_like(confidence)
    if pool == "person_free":
        return photos.person_free.float()
    everyday = [source in EVERYDAY_SOURCES for source in photos.sources]
    is_everyday = torch.tensor(everyday, device=confidence.device)[photos.source]
    likes = torch.where(is_everyday, _everyday_preference(confidence), LEAST_OTHER + confidence)
    return likes * (confidence > PASTED_CONFIDENCE) if pool == "pasted" else likes


def _everyday_preference(confidence: Tensor) -> Tensor:
    return LEAST_EVERYDAY + (1 - LEAST_EVERYDAY) * (confidence / SURE).clamp_max(1)

"""How likely each photo is to be drawn for each purpose.

Photos come from sources: the folders directly below the folders given. Of a source's photos those
in which the teacher is sure are preferred: it is lost on extreme poses.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from training.photos import Photos
from weights_cache.common.errors import ZooError

# People are pasted only from photos in which the teacher sees one.
PASTED_CONFIDENCE = 0.3
# Any photo may come: a pool is never without one.
LEAST_WEIGHT = 1e-9


class Taste(NamedTuple):
    """How the teacher's confidence in a photo makes it likelier to be drawn.

    Everyday photos (of ``everyday_sources``) weigh ``least_everyday``, and 1 from the confidence
    ``sure`` on; others ``least_other`` more than their share of the confidence ``sure_other``.
    With ``people_only`` no photo that is free of people is drawn as one of people.
    """

    everyday_sources: frozenset[str]
    least_everyday: float
    sure: float
    least_other: float
    sure_other: float
    people_only: bool

    def of_everyday(self, confidence: Tensor) -> Tensor:
        """Return the weights of everyday photos."""
        known = (confidence / self.sure).clamp_max(1)
        return self.least_everyday + (1 - self.least_everyday) * known

    def of_others(self, confidence: Tensor) -> Tensor:
        """Return the weights of other photos."""
        return self.least_other + (confidence / self.sure_other).clamp_max(1)


# Pool -> source -> its share.
Shares = Mapping[str, Mapping[str, float]]


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


def even_pools(photos: Photos, confidence: Tensor, taste: Taste) -> Pools:
    """Return pools in which all sources are alike, and photos without people are known as such.

    Args:
        photos: Photos with and without people.
        confidence: The teacher's confidence ``[n]`` in each.
        taste: How much that counts; all photos are taken for everyday ones.
    """
    people = (~photos.person_free).float()
    likes = people * taste.of_everyday(confidence)
    weights = [likes, likes, likes * (confidence > PASTED_CONFIDENCE), torch.ones_like(people)]
    free = photos.person_free.float() if photos.person_free.any() else None
    # Without any photo that is fit for pasting, any photo of a person will do.
    return Pools(*(w + LEAST_WEIGHT * people for w in weights), free)


def reported_pools(photos: Photos, confidence: Tensor, taste: Taste, shares: Shares) -> Pools:
    """Return the pools of a reported run; its sources are the folders' names.

    Raises:
        ZooError: A folder has another name.
    """
    check_sources(photos, shares)
    likes = {name: _preferences(name, photos, confidence, taste) for name in shares}
    pools = {
        name: weigh_sources(likes[name], photos.source, photos.sources, own)
        for name, own in shares.items()
    }
    if not photos.person_free.any():
        pools["person_free"] = None
    return Pools(**pools)


def check_sources(photos: Photos, shares: Shares) -> None:
    """Refuse photos of a source that a reported run did not have.

    Raises:
        ZooError: There are such photos.
    """
    reported = {source for own in shares.values() for source in own}
    unknown = sorted(set(photos.sources) - reported)
    if unknown:
        raise ZooError(
            f"the source {unknown[0]!r} is not of the reported run, which has "
            f"{', '.join(sorted(reported))}; rename the folder or use --pools even"
        )


def weigh_sources(
    likes: Tensor, source: Tensor, sources: list[str], shares: Mapping[str, float]
) -> Tensor:
    """Return weights in which each source has its share, divided by ``likes`` among its own."""
    parts = _weighted(likes, source, sources, shares)
    return sum(parts, torch.full_like(likes, LEAST_WEIGHT))


def _weighted(
    likes: Tensor, source: Tensor, sources: list[str], shares: Mapping[str, float]
) -> Iterator[Tensor]:
    for name, share in shares.items():
        if name in sources:
            own = likes * (source == sources.index(name))
            yield share * own / own.sum().clamp_min(LEAST_WEIGHT)


def _preferences(pool: str, photos: Photos, confidence: Tensor, taste: Taste) -> Tensor:
    if pool == "background":
        return torch.ones_like(confidence)
    if pool == "person_free":
        return photos.person_free.float()
    everyday = [source in taste.everyday_sources for source in photos.sources]
    is_everyday = torch.tensor(everyday, device=confidence.device)[photos.source]
    likes = torch.where(is_everyday, taste.of_everyday(confidence), taste.of_others(confidence))
    if taste.people_only:
        likes = likes * ~photos.person_free
    return likes * (confidence > PASTED_CONFIDENCE) if pool == "pasted" else likes

"""How likely the reported run was to draw each photo for each purpose."""

from training.pools import Taste

TASTE = Taste(
    everyday_sources=frozenset({"coco", "flickr8k"}),
    least_everyday=0.25,
    sure=0.6,
    least_other=0.15,
    sure_other=1.0,
    people_only=False,
)

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

"""How likely the reported run was to draw each photo for each purpose.

Its sources are the names of folders; ``full`` are the photos of the third set in the README's
table, which were kept larger than the others.
"""

from training.pools import Taste

TASTE = Taste(
    everyday_sources=frozenset({"coco", "flickr8k", "full"}),
    least_everyday=0.2,
    sure=0.4,
    least_other=0.1,
    sure_other=0.4,
    people_only=True,
)

# The reported run: shares of its sources in each pool.
REPORTED_SHARES = {
    "everyday": {"coco": 0.36, "flickr8k": 0.10, "lspet": 0.08, "ccp": 0.05, "full": 0.41},
    "collage": {"lspet": 0.30, "ccp": 0.14, "coco": 0.22, "flickr8k": 0.08, "full": 0.26},
    "pasted": {"lspet": 0.28, "ccp": 0.20, "coco": 0.22, "flickr8k": 0.10, "full": 0.20},
    "background": {
        "coco": 0.35,
        "imagenet": 0.15,
        "house": 0.2,
        "animal": 0.2,
        "flickr8k": 0.1,
    },
    "person_free": {
        "animal": 0.26,
        "imagenet": 0.12,
        "house": 0.12,
        "coco": 0.16,
        "cloth": 0.04,
        "insect": 0.03,
        "full": 0.27,
    },
}
# And of the people in crops.
REPORTED_CROP_SHARES = {"coco": 0.27, "flickr8k": 0.08, "lspet": 0.14, "ccp": 0.06, "full": 0.45}
